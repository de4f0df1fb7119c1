"""What the model will see, as one page: `render_report` (extra `report`)."""

from .page import render_report

__all__ = ["render_report"]
