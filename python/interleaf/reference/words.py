"""The words, field names and limits of the contract."""

from __future__ import annotations

POSITIONS = (
    "before_character",
    "after_character",
    "before_examples",
    "after_examples",
    "at_depth",
    "author_note_top",
    "author_note_bottom",
    "outlet",
)
# The positions that make messages of their own.
STANDALONE_POSITIONS = POSITIONS[:5]
ANCHOR_OF_POSITION = {
    "before_character": "character",
    "after_character": "character",
    "before_examples": "examples",
    "after_examples": "examples",
    "at_depth": "conversation",
    "author_note_top": "author_note",
    "author_note_bottom": "author_note",
    "outlet": "outlets",
}
ROLES = ("system", "developer", "user", "assistant")
TRUSTS = ("system", "developer", "user", "tool", "external")
LIFETIMES = ("static", "session", "turn")
UNITS = ("codepoint", "utf16", "utf8")
TOOL_EXCHANGES = ("keep", "split")
UNFILLED_OUTLETS = ("remove", "keep", "error")
CONTENT_POLICIES = ("ignore", "report", "refuse")

BLOCK_FIELDS = ("id", "position", "content", "role", "order", "depth", "outlet_name", "metadata")
LAYOUT_FIELDS = ("character", "examples", "conversation", "author_note", "outlets")
CONVERSATION_FIELDS = ("message_indices", "empty_index")
OUTLET_SPAN_FIELDS = ("message_index", "start", "end", "part_index")
FRAGMENT_FIELDS = ("id", "source_id", "trust", "lifetime", "role", "max_chars", "value", "metadata")
PLAN_FIELDS = (
    "fragments",
    "max_input_chars",
    "additional_messages",
    "original_fragments",
    "mutable_fragment_ids",
    "unit",
    "merge_adjacent",
    "separator",
    "trust_policy",
    "max_input_tokens",
    "token_counter",
)
AUDITED_FIELDS = ("source_id", "trust", "lifetime", "role", "max_chars")

LARGEST_INT = 2**63 - 1
SMALLEST_INT = -(2**63)
DEEPEST_JSON = 200
MARKER_OPENS = "{{outlet::"
MARKER_CLOSES = "}}"
