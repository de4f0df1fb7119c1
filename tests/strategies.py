"""Random requests: texts of all widths, messages of all shapes, layouts, blocks and options that fit together."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from interleaf import ContextBlock, Conversation, Layout, OutletSpan

if TYPE_CHECKING:
    from collections.abc import Callable

STANDALONE = ("before_character", "after_character", "before_examples", "after_examples", "at_depth")
ROLES = ("system", "developer", "user", "assistant")
OUTLET_NAMES = ("lore", "世界", "a", "a}", "}a", "n{", "😀", "\ud800", "Lore", " lore")

# The widths in which Python stores text: ASCII, Latin-1, two bytes (with lone surrogates), four bytes.
_ALPHABETS = ("ab \n", "aéÿ{}", "a世界\ud800\udfff{}", "a😀𝒳é世\udc00}")
TEXTS = st.one_of(
    *(st.text(alphabet, max_size=8) for alphabet in _ALPHABETS),
    st.text(max_size=4),
    st.lists(
        st.sampled_from(
            ["{{outlet::", "}}", "{{", "}", "lore", "世界", "{{outlet::lore}}", "{{outlet::a}}", "é", "😀"]
        ),
        max_size=4,
    ).map("".join),
)
IDS = st.one_of(
    st.sampled_from(["a", "b", "ab", "é", "世界", "😀", "\uffff", "Z", "0"]),
    st.text(min_size=1, max_size=3).filter(lambda text: not any(0xD800 <= ord(char) <= 0xDFFF for char in text)),
)
# Numbers that compare equal, or only differ past the precision of a float.
ORDERS = st.one_of(
    st.integers(-2, 2),
    st.sampled_from([0, -1, 1, 0.5, -0.0, 0.0, 1.0, -0.5, 1e300, -1e300, 2**53, 2**53 + 1, float(2**53)]),
    st.sampled_from([2**63 - 1, -(2**63), 9.223372036854775807e18, 5e-324]),
)
DEPTHS = st.one_of(st.integers(0, 6), st.sampled_from([0, 1, 100, 2**63 - 1]))
METADATA = st.sampled_from([None, 0, "note", ["tags"], {"source": "book"}])

_CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
# Messages as the providers' APIs write calls, their results, and what must stay together.
EXCHANGE_MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "assistant", "content": "Looking.", "tool_calls": []},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "tool", "tool_call_id": "1", "content": "sunny"},
    {"role": "function", "name": "f", "content": "sunny"},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
    {"type": "web_search_call", "id": "2"},
    {"type": "function_call_output", "call_id": "1", "output": "sunny"},
    {"type": "世_output", "output": "sunny"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is."}]},
    {"role": "assistant", "content": [{"type": "text", "text": "One moment."}, {"type": "tool_use", "id": "1"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "sunny"}]},
    {"role": "user", "content": ({"type": "tool_result", "tool_use_id": "1"},)},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f"}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "1"}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]},
    {"role": "model", "parts": [{"function_call": {"name": "f"}}]},
    {"role": "user", "parts": [{"function_response": {"name": "f"}}]},
    {"role": "user", "parts": [{"functionResponse": None}], "content": 7},
    {"role": 7, "type": 8, "content": [9]},
    {},
)


@dataclass(frozen=True)
class Request:
    """The arguments of one placement."""

    messages: list[Any]
    blocks: list[Any]
    layout: Any
    options: dict[str, Any] = field(default_factory=dict)


@st.composite
def _text_parts(draw: st.DrawFn) -> dict[str, Any]:
    return {"type": draw(st.sampled_from(["text", "input_text"])), "text": draw(TEXTS), "cache": draw(st.booleans())}


_OTHER_PARTS = st.sampled_from(
    [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text"}, {"type": "text", "text": None}, 7, "text", {}]
)


@st.composite
def _host_messages(draw: st.DrawFn) -> dict[str, Any]:
    content: Any = draw(TEXTS)
    if draw(st.integers(0, 2)) == 0:
        content = draw(st.lists(st.one_of(_text_parts(), _text_parts(), _OTHER_PARTS.map(_copied)), max_size=4))
    message = {"role": draw(st.sampled_from(ROLES)), "content": content}
    if draw(st.integers(0, 3)) == 0:
        message = {"name": "é", **message, "extra": [1]}
    return message


def _copied(part: Any) -> Any:
    # Each its own object, so that identity tells them apart.
    return dict(part) if isinstance(part, dict) else part


MESSAGES = st.lists(
    st.one_of(_host_messages(), _host_messages(), st.sampled_from(EXCHANGE_MESSAGES).map(copy.deepcopy)), max_size=9
)


@st.composite
def _ranges(draw: st.DrawFn, count: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Two ranges that may touch or be empty, in either order, or be absent."""
    points = sorted(draw(st.lists(st.integers(0, count), min_size=4, max_size=4)))
    pair: list[tuple[int, int] | None] = [(points[0], points[1]), (points[2], points[3])]
    if draw(st.booleans()):
        pair.reverse()
    absent = draw(st.sampled_from([(), (), (), (0,), (1,), (0, 1)]))
    return (None if 0 in absent else pair[0]), (None if 1 in absent else pair[1])


def _range_forms(bounds: tuple[int, int] | None) -> st.SearchStrategy[Any]:
    if bounds is None:
        return st.just(None)
    start, end = bounds
    return st.sampled_from([(start, end), [start, end], {"start": start, "end": end}, {"end": end, "start": start}])


@st.composite
def _conversations(draw: st.DrawFn, count: int, ranges: list[tuple[int, int]], note: int | None) -> Any:
    free = [index for index in range(count) if index != note and not any(s <= index < e for s, e in ranges)]
    kept = draw(st.lists(st.booleans(), min_size=len(free), max_size=len(free))) if free else []
    if draw(st.booleans()):
        kept = [True] * len(free)
    if draw(st.integers(0, 4)) == 0:
        kept = [False] * len(free)
    indices = [index for index, keep in zip(free, kept, strict=True) if keep]
    gaps = [gap for gap in range(count + 1) if not any(s < gap < e for s, e in ranges)]
    empty_index = draw(st.sampled_from(gaps)) if not indices or draw(st.booleans()) else None
    listed: Any = indices if draw(st.booleans()) else tuple(indices)
    if indices and indices == list(range(indices[0], indices[-1] + 1)) and draw(st.booleans()):
        listed = range(indices[0], indices[-1] + 1)
    if draw(st.integers(0, 3)) == 0:
        return Conversation(listed, empty_index)
    names = ("message_indices", "empty_index") if draw(st.booleans()) else ("messageIndices", "emptyIndex")
    conversation = {names[0]: listed}
    if empty_index is not None:
        conversation[names[1]] = empty_index
    return conversation


def marker(name: str) -> str:
    """The text that holds the place of an outlet."""
    return "{{outlet::" + name + "}}"


def text_places(message: Any) -> list[int | None]:
    """The parts of a message that a marker can be put into; None for a content that is a str."""
    content = message.get("content")
    if isinstance(content, str):
        return [None]
    if not isinstance(content, list):
        return []
    return [
        index
        for index, part in enumerate(content)
        if isinstance(part, dict) and part.get("type") in ("text", "input_text") and isinstance(part.get("text"), str)
    ]


def _has_text(message: Any) -> bool:
    return isinstance(message.get("content"), (str, list))


@st.composite
def _outlets(draw: st.DrawFn, messages: list[Any]) -> dict[str, Any]:
    """Put markers into messages (which changes them) and declare them, by index or by span."""
    hosts = [index for index, message in enumerate(messages) if text_places(message)]
    if not hosts:
        return {}
    names = draw(st.lists(st.sampled_from(OUTLET_NAMES), max_size=3, unique=True))
    declared: dict[str, Any] = {}
    places: dict[str, tuple[int, int | None]] = {}
    for name in names:
        index = draw(st.sampled_from(hosts))
        part = draw(st.sampled_from(text_places(messages[index])))
        holder, key = (messages[index], "content") if part is None else (messages[index]["content"][part], "text")
        # Mostly not inside another marker, which would undo it.
        text = holder[key]
        free = [0, len(text), *(place for place in range(1, len(text)) if "{{outlet::" not in text)]
        at = draw(st.sampled_from(free)) if draw(st.integers(0, 19)) else draw(st.integers(0, len(text)))
        if draw(st.integers(0, 3)) == 0:
            # The marker alone: what is left of the text after its removal is nothing.
            text, at = "", 0
        holder[key] = text[:at] + marker(name) + text[at:]
        declared[name] = index
        places[name] = (index, part)
    for name, (index, part) in places.items():
        text = messages[index]["content"] if part is None else messages[index]["content"][part]["text"]
        start = text.find(marker(name))
        if start >= 0 and draw(st.integers(0, 2)) == 0:
            span = {"message_index": index, "start": start, "end": start + len(marker(name)), "part_index": part}
            declared[name] = draw(st.sampled_from([span, OutletSpan(**span)]))
    return declared


@st.composite
def _blocks(draw: st.DrawFn, positions: list[str], outlets: list[str]) -> list[Any]:
    if not positions:
        return []
    blocks = []
    least = draw(st.sampled_from([0, 1, 2, 3, 5, 7]))
    for identifier in draw(st.lists(IDS, min_size=least, max_size=9, unique=True)):
        position = draw(st.sampled_from(positions))
        block: dict[str, Any] = {"id": identifier, "position": position, "content": draw(TEXTS)}
        if position in STANDALONE or draw(st.integers(0, 3)) == 0:
            block["role"] = draw(st.sampled_from(ROLES))
        if draw(st.booleans()):
            block["order"] = draw(ORDERS)
        if position == "at_depth" or draw(st.integers(0, 5)) == 0:
            block["depth"] = draw(DEPTHS)
        if position == "outlet" or draw(st.integers(0, 5)) == 0:
            key = draw(st.sampled_from(["outlet_name", "outletName"]))
            block[key] = draw(st.sampled_from(outlets or list(OUTLET_NAMES)))
        if draw(st.booleans()):
            block["metadata"] = draw(METADATA)
        blocks.append(block)
    return blocks


def _render_block(block: Any) -> str:
    given = block if isinstance(block, dict) else block.to_dict()
    return f"<{given['id']}>{given['content']}"


def _render_messages(block: Any, content: str) -> list[Any]:
    given = block if isinstance(block, dict) else block.to_dict()
    return [{"role": given["role"], "content": content, "number": number} for number in range(len(content) % 3 + 1)]


def _create_message(message: dict[str, str]) -> Any:
    return {**message, "made": True}


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "tool_exchanges": st.sampled_from(["keep", "split", None]),
        "unfilled_outlets": st.sampled_from(["remove", "keep", "keep", "error", None]),
        "separator": st.one_of(st.none(), TEXTS),
        "mid_conversation_roles": st.sampled_from(
            [None, {}, {"system": "user"}, {"system": "user", "user": "assistant", "developer": "developer"}]
        ),
        "render_block": st.sampled_from([None, _render_block]),
        "render_messages": st.sampled_from([None, _render_messages]),
        "create_message": st.sampled_from([None, _create_message]),
    },
)


@st.composite
def mapping_requests(draw: st.DrawFn) -> Request:
    """A placement that is well formed, with blocks and layout as mappings."""
    messages = draw(MESSAGES)
    count = len(messages)
    character, examples = draw(_ranges(count))
    with_text = [index for index in range(count) if _has_text(messages[index])]
    note = None
    if count and draw(st.booleans()):
        # Any message can be declared; blocks can only be embedded in one that has text.
        note = draw(st.sampled_from(with_text)) if with_text else draw(st.integers(0, count - 1))
    outlets = draw(_outlets(messages))
    layout: dict[str, Any] = {}
    if character is not None:
        layout["character"] = draw(_range_forms(character))
    if examples is not None:
        layout["examples"] = draw(_range_forms(examples))
    if draw(st.integers(0, 3)) > 0:
        ranges = [bounds for bounds in (character, examples) if bounds is not None]
        layout["conversation"] = draw(_conversations(count, ranges, note))
    if note is not None:
        layout[draw(st.sampled_from(["author_note", "authorNote"]))] = note
    if draw(st.booleans()) or outlets:
        layout["outlets"] = outlets
    positions = [
        position
        for position, is_declared in (
            ("before_character", character is not None),
            ("after_character", character is not None),
            ("before_examples", examples is not None),
            ("after_examples", examples is not None),
            ("at_depth", "conversation" in layout),
            ("author_note_top", note in with_text),
            ("author_note_bottom", note in with_text),
            ("outlet", bool(outlets)),
            ("outlet", bool(outlets)),
        )
        if is_declared
    ]
    return Request(messages, draw(_blocks(positions, list(outlets))), layout, draw(OPTIONS))


def in_native_form(request: Request) -> Request:
    """The same request with native blocks and a native layout."""
    return replace(
        request,
        blocks=[ContextBlock.from_dict(block) for block in request.blocks],
        layout=Layout.from_dict(request.layout),
    )


REQUESTS = st.tuples(mapping_requests(), st.booleans()).map(
    lambda pair: in_native_form(pair[0]) if pair[1] else pair[0]
)


class _Index:
    """An int as NumPy's are: by `__index__`."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Index) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"_Index({self.value})"


class _Text(str):
    __slots__ = ()


# Values that are wrong somewhere, and right elsewhere.
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    5,
    2**31,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**30,
    0.0,
    1.0,
    1.5,
    float("nan"),
    float("inf"),
    float("-inf"),
    1j,
    "",
    "x",
    "0",
    "user",
    "System",
    "outlet",
    "\ud800",
    "a\udfff",
    "{{",
    "}}",
    "{{outlet::lore}}",
    _Text("user"),
    _Text("at_depth"),
    b"user",
    bytearray(b"x"),
    (),
    (0, 0),
    (0, 1),
    (1, 0),
    (0, 0, 0),
    [0, 1],
    [0, True],
    [0, None],
    [-1],
    [1, 1],
    range(0),
    range(2),
    range(3, -1, -1),
    range(2**70),
    {},
    {"start": 0, "end": 0},
    {"start": 0},
    {"start": 0, "end": 0, "step": 1},
    {"message_indices": []},
    {"message_indices": [0]},
    {"lore": 0},
    {"message_index": 0, "start": 0, "end": 0},
    {0: 0},
    {1, 2},
    frozenset(),
    _Index(0),
    _Index(-1),
    _Index(2**70),
    ...,
    str,
)
ODD_KEYS: tuple[Any, ...] = (
    "dept",
    "role ",
    "outlet_Name",
    "",
    "é",
    "\ud800",
    0,
    None,
    ("id",),
    _Text("id"),
    _Text("idd"),
)


def _spellings(name: str) -> list[str]:
    first, *rest = name.split("_")
    return [name, first + "".join(word.capitalize() for word in rest)] if rest else [name]


@st.composite
def with_one_fault(
    draw: st.DrawFn, mapping: dict[Any, Any], names: tuple[str, ...], values: tuple[Any, ...] = ODD_VALUES
) -> dict[Any, Any]:
    """A copy of a mapping with one thing changed: a field replaced, left out, given twice, or one that is unknown."""
    fault = draw(st.sampled_from(["replace", "replace", "replace", "remove", "unknown", "twice"]))
    name = draw(st.sampled_from(names))
    spellings = _spellings(name)
    present = [spelling for spelling in spellings if spelling in mapping]
    changed = dict(mapping)
    if fault == "replace":
        changed[present[0] if present else name] = draw(st.sampled_from(values))
    elif fault == "remove":
        for spelling in present:
            del changed[spelling]
    elif fault == "unknown":
        changed[draw(st.sampled_from(ODD_KEYS))] = draw(st.sampled_from(values))
    else:
        for spelling in spellings:
            changed.setdefault(spelling, draw(st.sampled_from(values)))
    return changed


# No messages that are no mappings: what they are is for adapters to say.
_ODD_MESSAGES = tuple(value for value in ODD_VALUES if not isinstance(value, (tuple, list, range)) or not value)
# Python itself refuses to list a range of that length.
ODD_ITERABLES = tuple(value for value in ODD_VALUES if value != range(2**70))

BLOCK_NAMES = ("id", "position", "content", "role", "order", "depth", "outlet_name", "metadata")
LAYOUT_NAMES = ("character", "examples", "conversation", "author_note", "outlets")
CONVERSATION_NAMES = ("message_indices", "empty_index")
SPAN_NAMES = ("message_index", "start", "end", "part_index")


@st.composite
def faulty_requests(draw: st.DrawFn) -> Request:
    """A well-formed placement in which one thing is changed, most often into something that is refused."""
    request = draw(mapping_requests())
    faults: dict[str, Callable[[], Request]] = {
        "messages": lambda: replace(request, messages=draw(_with_odd_item(request.messages))),
        "all messages": lambda: replace(request, messages=draw(st.sampled_from(_ODD_MESSAGES))),
        "all blocks": lambda: replace(request, blocks=draw(st.sampled_from(ODD_ITERABLES))),
        "block": lambda: replace(request, blocks=draw(_with_faulty_item(request.blocks, BLOCK_NAMES))),
        "odd block": lambda: replace(request, blocks=draw(_with_odd_item(request.blocks))),
        "duplicate block": lambda: replace(request, blocks=[*request.blocks, *request.blocks[:1]]),
        "new position": lambda: replace(request, blocks=[*request.blocks, draw(_loose_blocks())]),
        "layout": lambda: replace(request, layout=draw(with_one_fault(request.layout, LAYOUT_NAMES))),
        "all layout": lambda: replace(request, layout=draw(st.sampled_from(ODD_VALUES))),
        "range": lambda: replace(request, layout=draw(_with_shifted_range(request.layout, len(request.messages)))),
        "conversation": lambda: replace(request, layout=draw(_with_faulty_conversation(request.layout))),
        "outlets": lambda: replace(request, layout=draw(_with_faulty_outlet(request.layout))),
        "option": lambda: replace(request, options=draw(_faulty_options(request.options))),
        "host": lambda: replace(request, messages=draw(_with_faulty_content(request.messages))),
    }
    weights = [*faults, "block", "block", "layout", "conversation", "outlets", "host"]
    return faults[draw(st.sampled_from(weights))]()


@st.composite
def _with_odd_item(draw: st.DrawFn, items: list[Any]) -> list[Any]:
    odd = draw(st.sampled_from([value for value in ODD_VALUES if isinstance(value, dict)]))
    at = draw(st.integers(0, len(items)))
    return [*items[:at], dict(odd), *items[at:]]


@st.composite
def _with_faulty_item(draw: st.DrawFn, items: list[Any], names: tuple[str, ...]) -> list[Any]:
    if not items:
        return [draw(st.sampled_from(ODD_VALUES))]
    at = draw(st.integers(0, len(items) - 1))
    item = draw(with_one_fault(items[at], names)) if draw(st.integers(0, 9)) else draw(st.sampled_from(ODD_VALUES))
    return [*items[:at], item, *items[at + 1 :]]


@st.composite
def _loose_blocks(draw: st.DrawFn) -> dict[str, Any]:
    positions = [*STANDALONE, "author_note_top", "author_note_bottom", "outlet"]
    return {
        "id": "loose",
        "position": draw(st.sampled_from(positions)),
        "content": draw(TEXTS),
        "role": draw(st.sampled_from(ROLES)),
        "depth": draw(DEPTHS),
        "outlet_name": draw(st.sampled_from(OUTLET_NAMES)),
    }


@st.composite
def _with_shifted_range(draw: st.DrawFn, layout: dict[str, Any], count: int) -> dict[str, Any]:
    bounds = st.integers(-1, count + 1)
    name = draw(st.sampled_from(["character", "examples"]))
    return {**layout, name: draw(st.one_of(st.tuples(bounds, bounds), st.sampled_from(ODD_VALUES)))}


@st.composite
def _with_faulty_conversation(draw: st.DrawFn, layout: dict[str, Any]) -> dict[str, Any]:
    conversation = layout.get("conversation", {"message_indices": [0], "empty_index": 0})
    if not isinstance(conversation, dict):
        conversation = conversation.to_dict()
    if draw(st.booleans()):
        return {**layout, "conversation": draw(with_one_fault(conversation, CONVERSATION_NAMES))}
    key = "messageIndices" if "messageIndices" in conversation else "message_indices"
    indices = list(conversation[key])
    at = draw(st.integers(0, len(indices)))
    indices.insert(at, draw(st.one_of(st.sampled_from(ODD_VALUES), st.integers(-1, 10))))
    return {**layout, "conversation": {**conversation, key: indices}}


@st.composite
def _with_faulty_outlet(draw: st.DrawFn, layout: dict[str, Any]) -> dict[str, Any]:
    outlets = dict(layout.get("outlets") or {"lore": 0})
    name = draw(st.sampled_from([*outlets, *OUTLET_NAMES, *ODD_VALUES]))
    try:
        anchor = outlets.get(name)
    except TypeError:  # not hashable
        name, anchor = "lore", None
    if isinstance(anchor, OutletSpan):
        anchor = anchor.to_dict()
    if isinstance(anchor, dict):
        outlets[name] = draw(with_one_fault(anchor, SPAN_NAMES))
    else:
        outlets[name] = draw(st.sampled_from([*ODD_VALUES, 0, 1, 2]))
    return {**layout, "outlets": outlets}


@st.composite
def _faulty_options(draw: st.DrawFn, options: dict[str, Any]) -> dict[str, Any]:
    odd = draw(st.sampled_from(ODD_ITERABLES))
    if draw(st.booleans()):
        # A callback that returns what it must not.
        return {**options, draw(st.sampled_from(["render_block", "render_messages"])): lambda *_: odd}
    if draw(st.integers(0, 5)) == 0:
        return {
            **options,
            "mid_conversation_roles": draw(st.sampled_from([{"system": odd}, {"user": "usr"}, {7: "user"}])),
        }
    names = [
        *("tool_exchanges", "unfilled_outlets", "separator", "mid_conversation_roles"),
        *("render_block", "render_messages", "create_message"),
    ]
    # A class is callable, but makes something that differs each time.
    return {**options, draw(st.sampled_from(names)): None if odd is str else odd}


@st.composite
def _with_faulty_content(draw: st.DrawFn, messages: list[Any]) -> list[Any]:
    if not messages:
        return messages
    at = draw(st.integers(0, len(messages) - 1))
    changed = dict(messages[at])
    kind = draw(st.sampled_from(["odd", "repeat", "remove"]))
    content = changed.get("content")
    if kind == "odd" or not isinstance(content, (str, list)):
        changed["content"] = draw(st.sampled_from(ODD_VALUES))
    elif kind == "repeat":
        changed["content"] = content * 2
    else:
        changed["content"] = content[: len(content) // 2]
    return [*messages[:at], changed, *messages[at + 1 :]]
