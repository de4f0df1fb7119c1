"""The `interleaf` command: requests as JSON in, prompts, tables and pages out."""

from .main import main

__all__ = ["main"]
