"""An adapter given by the caller: what it is asked, what it may answer, and what becomes of wrong answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import AdapterError, LayoutError, place_context_blocks
from interleaf.adapters import MessageAdapter, MixedAdapter, ObjectAdapter

if TYPE_CHECKING:
    from implementations import Implementation

LAYOUT = {"author_note": 0, "conversation": {"message_indices": [1, 2]}}
NOTE: dict[str, Any] = {"id": "tone", "position": "author_note_bottom", "content": "soft"}
LORE: dict[str, Any] = {"id": "lore", "position": "at_depth", "depth": 1, "content": "rain", "role": "system"}
LAST: dict[str, Any] = {"id": "last", "position": "at_depth", "depth": 0, "content": "now", "role": "developer"}
MESSAGES = [("system", "note"), ("user", "a"), ("assistant", "b")]


class Tuples:
    """Messages that are tuples of role and content; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def role(self, message: Any, /) -> Any:
        self.asked.append(("role", message))
        return message[0]

    def text_parts(self, message: Any, /) -> Any:
        self.asked.append(("text_parts", message))
        return message[1]

    def with_text(self, message: Any, text: Any, /) -> Any:
        self.asked.append(("with_text", message, text))
        if isinstance(text, list):
            text = [message[1][index] if new is None else new for index, new in text]
        return (message[0], text)

    def create(self, role: str, content: str, /) -> Any:
        self.asked.append(("create", role, content))
        return (role, content)

    def joined(self, previous: Any, message: Any, /) -> Any:
        self.asked.append(("joined", previous, message))
        return message[0] == "tool"

    def waiting(self, message: Any, /) -> Any:
        self.asked.append(("waiting", message))
        return message[1] == "call"


def test_it_is_asked_of_nothing_but_what_has_to_be_looked_at(placed_by: Implementation) -> None:
    adapter = Tuples()
    _: MessageAdapter[Any] = adapter
    result = place_context_blocks(MESSAGES, [NOTE, LORE, LAST], LAYOUT, adapter=adapter)
    assert result.messages == [
        ("system", "note\nsoft"),
        ("user", "a"),
        ("system", "rain"),
        ("assistant", "b"),
        ("developer", "now"),
    ]
    assert result.messages[1] is MESSAGES[1]
    assert result.messages[3] is MESSAGES[2]
    assert [each.role for each in result.placements] == ["system", "system", "developer"]
    asked = [
        ("text_parts", ("system", "note")),
        ("joined", ("user", "a"), ("assistant", "b")),
        ("waiting", ("assistant", "b")),
        ("create", "system", "rain"),
        ("create", "developer", "now"),
        ("with_text", ("system", "note"), "note\nsoft"),
        ("text_parts", ("system", "note\nsoft")),
        ("role", ("system", "note")),
    ]
    # The reference may ask twice, and in another order.
    assert set(adapter.asked) == set(asked)
    assert placed_by.name != "native" or adapter.asked == asked


def test_no_role_is_asked_of_a_host_that_no_block_is_in() -> None:
    adapter = Tuples()
    result = place_context_blocks([("system", "{{outlet::a}}")], [], {"outlets": {"a": 0}}, adapter=adapter)
    assert result.messages == [("system", "")]
    assert "role" not in [asked[0] for asked in adapter.asked]


def test_parts_are_described_by_pairs_of_index_and_text() -> None:
    adapter = Tuples()
    message = ("user", ["see ", None, "{{outlet::lore}}", "{{outlet::none}}", "end"])
    blocks = [
        {**NOTE, "position": "author_note_top"},
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "x"},
    ]
    layout = {"author_note": 0, "outlets": {"lore": 0, "none": 0}}
    result = place_context_blocks([message], blocks, layout, adapter=adapter)
    pairs = [(None, "soft\n"), (0, None), (1, None), (2, "x"), (4, None)]
    assert ("with_text", message, pairs) in adapter.asked
    assert result.messages == [("user", ["soft\n", "see ", None, "x", "end"])]
    assert [(each.part_index, each.span) for each in result.placements] == [(0, (0, 4)), (3, (0, 1))]


def test_messages_are_created_by_create_message_where_both_say_how() -> None:
    result = place_context_blocks(
        MESSAGES, [LORE], LAYOUT, adapter=Tuples(), create_message=lambda message: message["content"]
    )
    assert result.messages[2] == "rain"


def test_its_exceptions_pass_through() -> None:
    class Failing(Tuples):
        def with_text(self, _message: Any, _text: Any, /) -> Any:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        place_context_blocks(MESSAGES, [NOTE], LAYOUT, adapter=Failing())


def test_a_host_may_have_no_role() -> None:
    class Anonymous(Tuples):
        def role(self, _message: Any, /) -> Any:
            return None

    result = place_context_blocks(MESSAGES, [NOTE], LAYOUT, adapter=Anonymous())
    assert result.placements[0].role is None


def test_a_host_without_text_is_refused() -> None:
    with pytest.raises(LayoutError) as caught:
        place_context_blocks([("system", None)], [NOTE], {"author_note": 0}, adapter=Tuples())
    assert (caught.value.code, caught.value.path) == ("content_not_text", "messages[0].content")


WRONG_ANSWERS = [
    ("role", 5, "messages[0]", "5.*a str or None"),
    ("text_parts", 5, "messages[0]", "5.*a str, None, or a sequence"),
    ("text_parts", b"note", "messages[0]", "found .*a str, None, or a sequence"),
    ("text_parts", {"text": "note"}, "messages[0]", "dict.*a str, None, or a sequence"),
    ("text_parts", ["note", 5], "messages[0]", "5.*a str, None, or a sequence"),
    ("with_text", None, "messages[0]", "None.*a message"),
    ("with_text", MESSAGES[0], "messages[0]", "found .*a changed copy"),
    ("with_text", ("system", "other"), "messages[0]", "found .*the new text"),
    ("with_text", ("system", ["note\nsoft"]), "messages[0]", "found .*the new text"),
    ("create", None, "blocks[1]", "None.*a message"),
    ("joined", None, "messages[2]", "None.*True or False"),
    ("joined", "no", "messages[2]", "no.*True or False"),
    ("waiting", None, "messages[2]", "None.*True or False"),
]


@pytest.mark.parametrize(("method", "answer", "path", "said"), WRONG_ANSWERS)
def test_a_wrong_answer_is_named_with_the_method_and_nothing_comes_of_it(
    method: str, answer: Any, path: str, said: str
) -> None:
    wrong = type("Wrong", (Tuples,), {method: lambda *_: answer})()
    messages = list(MESSAGES)
    with pytest.raises(AdapterError, match=rf"{said}.* from Wrong\.{method}$") as caught:
        place_context_blocks(messages, [NOTE, LORE, LAST], LAYOUT, adapter=wrong)
    assert (caught.value.code, caught.value.path) == ("invalid_adapter", path)
    assert str(caught.value).startswith(f"{path}: ")
    assert messages == MESSAGES


def test_a_copy_with_another_number_of_parts_is_a_wrong_answer() -> None:
    class Short(Tuples):
        def with_text(self, message: Any, _text: Any, /) -> Any:
            return (message[0], [message[1][0]])

    with pytest.raises(AdapterError, match="the new text"):
        place_context_blocks([("system", ["note"])], [NOTE], {"author_note": 0}, adapter=Short())


@pytest.mark.parametrize("method", ["role", "text_parts", "with_text", "create", "joined", "waiting"])
def test_what_lacks_a_method_is_no_adapter(method: str) -> None:
    lacking = type("Lacking", (Tuples,), {method: None})()
    with pytest.raises(TypeError, match=f"adapter must be.*Lacking, which has no method {method}"):
        place_context_blocks(MESSAGES, [], {}, adapter=lacking)


def test_the_class_of_an_adapter_is_no_adapter() -> None:
    with pytest.raises(TypeError, match="the class Tuples"):
        place_context_blocks(MESSAGES, [], {}, adapter=Tuples)


def test_an_adapter_error_of_an_adapter_gets_the_place_of_its_message() -> None:
    class Refusing(Tuples):
        def with_text(self, _message: Any, _text: Any, /) -> Any:
            raise AdapterError("a tuple is frozen", "unchangeable_message")

        def create(self, _role: str, _content: str, /) -> Any:
            raise AdapterError("no system text here", "system_not_a_message")

    with pytest.raises(AdapterError, match=r"^messages\[0\]: a tuple is frozen$") as caught:
        place_context_blocks(MESSAGES, [NOTE], LAYOUT, adapter=Refusing())
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")
    with pytest.raises(AdapterError, match=r"^blocks\[0\]: no system text here$") as caught:
        place_context_blocks(MESSAGES, [LORE], LAYOUT, adapter=Refusing())
    assert (caught.value.code, caught.value.path) == ("system_not_a_message", "blocks[0]")


def test_an_adapter_error_that_knows_its_place_keeps_it() -> None:
    class Refusing(Tuples):
        def with_text(self, _message: Any, _text: Any, /) -> Any:
            raise AdapterError("a tuple is frozen", "unchangeable_message", "messages[0][1]")

    with pytest.raises(AdapterError) as caught:
        place_context_blocks(MESSAGES, [NOTE], LAYOUT, adapter=Refusing())
    assert caught.value.path == "messages[0][1]"


def test_the_mixed_adapter_does_what_no_adapter_does() -> None:
    messages = [
        SimpleNamespace(role="system", content="note"),
        {"role": "user", "content": "a"},
        SimpleNamespace(role="tool", content="b"),
    ]
    blocks = [NOTE, LORE, LAST]
    with_it = place_context_blocks(messages, blocks, LAYOUT, adapter=MixedAdapter())
    without = place_context_blocks(messages, blocks, LAYOUT)
    assert with_it.messages == without.messages
    assert with_it.to_dict()["placements"] == without.to_dict()["placements"]
    assert with_it.placements[1].gap == 1


@pytest.mark.parametrize(("messages", "index"), [([5, ("x",)], 0), ([{"role": "user"}, 5], 1)])
def test_the_mixed_adapter_names_the_unknown_one_of_two_neighbours(messages: Any, index: int) -> None:
    layout = {"conversation": {"message_indices": [0, 1]}}
    for adapter in (None, MixedAdapter()):
        with pytest.raises(AdapterError, match=rf"^messages\[{index}\]: found int") as caught:
            place_context_blocks(messages, [LORE], layout, adapter=adapter)
        assert (caught.value.code, caught.value.path) == ("unsupported_message", f"messages[{index}]")


def test_an_object_adapter_makes_messages_of_the_given_class() -> None:
    messages = [SimpleNamespace(role="user", content="a")]
    layout = {"conversation": {"message_indices": [0]}}
    result = place_context_blocks(messages, [LORE], layout, adapter=ObjectAdapter(SimpleNamespace))
    assert result.messages == [SimpleNamespace(role="system", content="rain"), messages[0]]
    with pytest.raises(TypeError, match="create must be callable"):
        ObjectAdapter("Message")  # type: ignore[arg-type]
