"""Joining leading system messages, and what is said where a library is missing."""

from __future__ import annotations

import sys
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from interleaf import AdapterError
from interleaf.adapters import GoogleGenaiAdapter, LangChainAdapter, LlamaIndexAdapter, merge_leading_system

USER = {"role": "user", "content": "Hello."}
LATE = {"role": "system", "content": "Late."}


def system(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "system", "content": content, **fields}


def test_the_leading_run_becomes_one_message_and_the_rest_stays_the_same() -> None:
    messages = [system("a", name="n"), system("b"), system("c"), USER, LATE]
    before = [dict(each) for each in messages]
    merged = merge_leading_system(messages, separator=" | ")
    assert merged == [system("a | b | c", name="n"), USER, LATE]
    assert (merged[1] is USER, merged[2] is LATE) == (True, True)
    assert messages == before


@pytest.mark.parametrize("messages", [[], [USER], [system("a")], [system("a"), USER, LATE], [USER, LATE, LATE]])
def test_without_a_run_of_two_a_new_list_has_the_same_objects(messages: list[Any]) -> None:
    merged = merge_leading_system(messages)
    assert merged is not messages
    assert [id(each) for each in merged] == [id(each) for each in messages]


def test_developer_text_is_never_made_system_text_nor_the_other_way_round() -> None:
    developer = {"role": "developer", "content": "d"}
    assert merge_leading_system([system("a"), system("b"), developer, system("c")]) == [
        system("a\n\nb"),
        developer,
        system("c"),
    ]
    assert merge_leading_system([developer, developer, system("c")]) == [
        {"role": "developer", "content": "d\n\nd"},
        system("c"),
    ]


def test_parts_follow_each_other_and_read_joined_as_one_text_would() -> None:
    cached = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    picture = {"type": "image"}
    typed = {"type": "text", "text": "c", "cache_control": {"type": "ephemeral"}}
    (merged,) = merge_leading_system([system([cached]), system("b"), system([picture, typed])])
    assert merged["content"] == [
        cached,
        {"type": "text", "text": "\n\nb"},
        picture,
        {"type": "text", "text": "\n\nc", "cache_control": {"type": "ephemeral"}},
    ]
    assert merged["content"][0] is cached
    assert merged["content"][2] is picture
    assert typed["text"] == "c"


def test_messages_of_several_types_become_one_of_the_type_of_the_first() -> None:
    first = SimpleNamespace(role="system", content="a", id="m1")
    messages = [first, MappingProxyType(system([{"type": "text", "text": "b"}])), USER]
    assert merge_leading_system(messages) == [
        SimpleNamespace(
            role="system", content=[{"type": "text", "text": "a"}, {"type": "text", "text": "\n\nb"}], id="m1"
        ),
        USER,
    ]
    assert first.content == "a"


@pytest.mark.parametrize(
    ("messages", "code", "path"),
    [
        ([system("a"), system(None)], "system_not_text", "messages[1]"),
        ([system("a"), SimpleNamespace(role="system", content=[{"type": "image"}])], "system_not_text", "messages[1]"),
        ([system("a"), 5], "unsupported_message", "messages[1]"),
    ],
)
def test_what_cannot_be_joined_is_refused(messages: list[Any], code: str, path: str) -> None:
    with pytest.raises(AdapterError) as caught:
        merge_leading_system(messages)
    assert (caught.value.code, caught.value.path) == (code, path)


@pytest.mark.parametrize(
    ("adapter", "module", "said"),
    [
        (
            LangChainAdapter,
            "langchain_core",
            r"langchain-core is not installed; pip install \"interleaf\[langchain\]\"",
        ),
        (
            LlamaIndexAdapter,
            "llama_index",
            r"llama-index-core is not installed; pip install \"interleaf\[llama-index\]\"",
        ),
        (
            GoogleGenaiAdapter,
            "google.genai",
            r"google-genai is not installed; pip install \"interleaf\[google-genai\]\"",
        ),
    ],
)
def test_a_library_that_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, adapter: Any, module: str, said: str
) -> None:
    for name in [name for name in sys.modules if name == module or name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=said):
        adapter()


def test_no_library_is_imported_before_it_is_used() -> None:
    import subprocess

    code = "import sys, interleaf.adapters; print(sorted({name.split('.')[0] for name in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout  # noqa: S603
    assert "interleaf" in out
    for library in ("langchain_core", "llama_index", "google", "anthropic", "openai", "pydantic", "attrs", "attr"):
        assert f"'{library}'" not in out
