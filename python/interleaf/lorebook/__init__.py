"""Lorebooks and character cards in, blocks out, and every decision told.

`read_lorebook` reads SillyTavern world files, V2 `character_book`s, V3 lorebooks and V2 and V3 character cards (JSON, or
PNG with the extra `cards`). `Lorebook.blocks` gives `ContextBlock`s to place. `layout_for` says which of them a layout
has no anchor for, and `drop_unanchored` drops those, telling which.

>>> from interleaf import place_context_blocks
>>> from interleaf.lorebook import read_lorebook
>>> book = read_lorebook({"name": "Harbour", "entries": [{"id": 3, "keys": ["ferry"], "content": "The ferry is late.",
...     "insertion_order": 10, "enabled": True, "position": "after_char"}]})
>>> chat = [{"role": "system", "content": "You are the pilot."}, {"role": "user", "content": "Where is the ferry?"}]
>>> result = place_context_blocks(chat, book.blocks(), {"character": (0, 1)})
>>> [message["content"] for message in result.messages]
['You are the pilot.', 'The ferry is late.', 'Where is the ferry?']
"""

from .errors import LorebookError
from .placing import AnchoredBlocks, LayoutFit, Unanchored, drop_unanchored, layout_for
from .prepare import Ties
from .problems import Action, Problem
from .reading import read_lorebook
from .records import EntryChoice, Format, Lorebook, LorebookEntry

__all__ = [
    "Action",
    "AnchoredBlocks",
    "EntryChoice",
    "Format",
    "LayoutFit",
    "Lorebook",
    "LorebookEntry",
    "LorebookError",
    "Problem",
    "Ties",
    "Unanchored",
    "drop_unanchored",
    "layout_for",
    "read_lorebook",
]
