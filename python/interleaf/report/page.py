"""`render_report`: a result as one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from .arrange import prompt_of
from .comparison import compare
from .page_rows import bar_segments, entry_rows, message_rows
from .prompt import is_over
from .shown_text import escaped, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jinja2 import Template

    from interleaf import BuiltContext, PlacementResult

__all__ = ["render_report"]

_TEMPLATE: Final = "page.html.jinja"
_STYLE: Final = "page.css"
_SCRIPT: Final = "page.js"


def render_report(
    result: PlacementResult[Any] | BuiltContext[Any],
    *,
    previous: PlacementResult[Any] | BuiltContext[Any] | None = None,
    title: str = "Prompt",
    count: Callable[[str], int] | None = None,
    unit: str | None = None,
    limit: float | None = None,
    not_placed: Sequence[tuple[str, str]] = (),
) -> str:
    """Draws what the model will see, and who put what where, as one HTML page.

    The page needs no network and loads nothing: styles and script are in it, and its own content policy allows nothing
    else to run. Content is data: markup in it is shown as text, and characters that hide or turn text are shown as escapes.

    Args:
        result: what `place_context_blocks` or `assemble_context_plan` returned.
        previous: the result of the turn before; the page then shows what changed and from where a prefix cache is lost.
        title: the heading of the page.
        count: measures a text in tokens, say; characters (for a plan, its own unit) if absent. Pieces are counted one
            by one, so the sum may differ a little from the count of the whole.
        unit: what `count` counts, in words; `tokens` if absent.
        limit: a budget for the whole in that unit. A plan that is not counted anew brings its own.
        not_placed: what else there was, such as disabled entries of a lorebook: an id and a reason each. The page lists
            them, so that a search for one finds why it is missing.

    Returns:
        The page. It can always be encoded as UTF-8.

    Raises:
        ModuleNotFoundError: jinja2 is not installed; the message says how to install it.
        TypeError: a result is of another type.

    >>> from interleaf import place_context_blocks
    >>> block = {"id": "lore", "position": "at_depth", "depth": 0, "role": "system", "content": "The lamp is lit."}
    >>> layout = {"conversation": {"message_indices": [], "empty_index": 0}}
    >>> page = render_report(place_context_blocks([], [block], layout), title="Turn 1")
    >>> page.startswith("<!doctype html>"), "The lamp is lit." in page
    (True, True)
    """
    prompt = prompt_of(result, count=count, unit=unit, limit=limit)
    comparison = None
    if previous is not None:
        before = prompt_of(previous, count=count, unit=unit)
        comparison = compare(before, prompt, previous.messages, result.messages)
    limited = prompt.limit is not None and not math.isinf(prompt.limit)
    return _template().render(
        title=title,
        prompt=prompt,
        limit=prompt.limit if limited else None,
        over=is_over(prompt.total, prompt.limit),
        segments=bar_segments(prompt),
        rows=message_rows(prompt, comparison),
        entries=entry_rows(prompt),
        embedded=sum(entry.embedded for entry in prompt.entries),
        moved=[entry for entry in prompt.entries if entry.moved],
        comparison=comparison,
        not_placed=not_placed,
    )


@cache
def _template() -> Template:
    try:
        import jinja2
        from markupsafe import Markup
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('jinja2 is not installed; pip install "interleaf[report]"', name="jinja2") from error

    def finalized(value: Any) -> Any:
        # Every str that reaches the page goes through here, so no field can be forgotten.
        return Markup(shown(value)) if type(value) is str else value  # noqa: S704 - `shown` escapes

    def attribute(value: str) -> Markup:
        return Markup.escape(escaped(value))

    environment = jinja2.Environment(
        autoescape=True,
        finalize=finalized,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.DictLoader({_TEMPLATE: _resource(_TEMPLATE)}),
    )
    style, script = _resource(_STYLE), _resource(_SCRIPT)
    environment.filters["attribute"] = attribute
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.globals |= {
        "style": Markup(style),  # noqa: S704 - a file of this package
        "script": Markup(script),  # noqa: S704 - a file of this package
        "style_hash": _hash(style),
        "script_hash": _hash(script),
    }
    return environment.get_template(_TEMPLATE)


def _resource(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
