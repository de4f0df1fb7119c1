"""Turns links to files beside the documentation into the names of those files: the site has only its pages."""

from __future__ import annotations

import posixpath
import re
from typing import Any

__all__ = ["on_page_markdown"]


def on_page_markdown(markdown: str, *, page: Any, **_others: Any) -> str:
    """Rewrites the links of a page.

    Args:
        markdown: the text of the page.
        page: the page; its place says what a relative link means.

    Returns:
        The text, in which a link to `../tests/x.py` is the name `tests/x.py`.
    """
    folder = posixpath.dirname(page.file.src_uri)

    def named(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link["target"]))
        if not target.startswith("../"):
            return link[0]
        name = target.removeprefix("../")
        return f"`{name}`" if name.endswith(link["text"].strip("`")) else f"{link['text']} (`{name}`)"

    return re.sub(r"(?<!!)\[(?P<text>[^\]\n]+)\]\((?P<target>\.\./[^)\s]+)\)", named, markdown)
