from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import assemble_context_plan, place_context_blocks
from interleaf.report import render_report

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("jinja2", reason="the extra `report` is not installed")

HOSTILE = [
    "<script>window.hit = 1</script>",
    "</style><img src=x onerror='window.hit=1'>",
    "</title></textarea></svg><a href='javascript:window.hit=1'>x</a>",
    "{{ 7 * 7 }}{% for x in y %}{{ title }}",
    '<!-- ]]> --> &lt;b&gt; &amp; " onmouseover=window.hit=1 x="',
    "\u202eright to left\u202c \u2066 \u200b \ufeff \U000e0041",
    "\x00 \x1b[31m \x7f \x85 \u2028 \ud800 \udfff \ufffe",
]


class Reader(HTMLParser):
    """What a page has: its tags and attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.text = "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page_of(request: dict[str, Any], **options: Any) -> str:
    return render_report(place_context_blocks(request["messages"], request["blocks"], request["layout"]), **options)


def test_a_page_shows_every_message_with_its_role_in_order(placing: dict[str, Any]) -> None:
    result = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"])
    page = render_report(result)
    roles = re.findall(r'<span class="role">(\w+)</span>', page)
    assert roles == [message["role"] for message in result.messages]
    text = Reader(page).text
    for block in placing["blocks"]:
        assert block["content"] in text
        assert block["id"] in text


def test_a_placed_block_has_its_position_and_an_embedded_one_is_marked_in_its_host(placing: dict[str, Any]) -> None:
    reader = Reader(page_of(placing))
    classes = {
        attributes["id"]: attributes["class"] or ""
        for tag, attributes in reader.tags
        if tag == "li" and "id" in attributes
    }
    assert "made g-before_character" in classes["m0"]
    assert "made" not in classes["m1"]
    assert "rail character" in classes["m1"]
    marks = [attributes for tag, attributes in reader.tags if tag == "mark"]
    assert [mark["class"] for mark in marks] == ["g-outlet", "g-author_note_top", "g-author_note_bottom"]


def test_every_link_leads_somewhere_on_the_page(placing: dict[str, Any], plan: dict[str, Any]) -> None:
    for page in (page_of(placing), render_report(assemble_context_plan(plan))):
        reader = Reader(page)
        ids = [attributes["id"] for _, attributes in reader.tags if attributes.get("id")]
        links = [attributes["href"] or "" for tag, attributes in reader.tags if tag == "a"]
        assert len(ids) == len(set(ids))
        assert links
        assert {link[1:] for link in links} <= set(ids)
        assert all(link.startswith("#") for link in links)


def test_the_page_loads_nothing(placing: dict[str, Any]) -> None:
    reader = Reader(page_of(placing))
    sources = [
        attributes.get("src") or attributes.get("href")
        for tag, attributes in reader.tags
        if tag in ("script", "img", "link")
    ]
    assert sources == ["data:,", None]
    policies = [attributes["content"] for tag, attributes in reader.tags if attributes.get("http-equiv")]
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")


@pytest.mark.parametrize("text", HOSTILE)
def test_content_is_data_wherever_it_stands(placing: dict[str, Any], text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()  # an id must be encodable
    plain = Reader(page_of(placing))
    placing["blocks"][0] |= {"id": clean, "content": text}
    placing["blocks"][-1] |= {"content": text.replace("{{", "{ {"), "outlet_name": "tonight"}
    placing["messages"][1] = {"role": text, "content": text}
    placing["messages"][2] = {
        "role": "assistant",
        "content": [{"type": text, "text": text}, {"type": "text", "text": text}],
    }
    page = page_of(placing, title=text, previous=None)
    reader = Reader(page)
    page.encode("utf-8")
    assert "<script>window" not in page
    kinds = {tag for tag, _ in reader.tags}
    assert kinds - {tag for tag, _ in plain.tags} <= {"span", "details", "summary"}
    names = {name for _, attributes in reader.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {
        value
        for _, attributes in reader.tags
        for value in attributes.values()
        if value and "javascript:" in value and not value.startswith("<")
    } - {clean}
    assert not re.search(
        "[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x08\x1b\ud800-\udfff\U000e0000-\U000e007f]", page
    )


def test_an_outlet_name_and_a_group_are_data_too() -> None:
    name = "<i>tonight</i>\u202e"
    messages = [{"role": "system", "content": f"{{{{outlet::{name}}}}}"}]
    page = render_report(place_context_blocks(messages, [], {"outlets": {name: 0}}))
    assert "&lt;i&gt;tonight&lt;/i&gt;" in page
    assert "<i>tonight" not in page
    assert "\u202e" not in page


def test_hidden_characters_are_named() -> None:
    messages = [{"role": "user", "content": "a\u202eb"}]
    page = render_report(place_context_blocks(messages, [], {}))
    assert 'a<span class="hidden" title="U+202E Right-To-Left Override">\\u202e</span>b' in page


def test_joiners_stay_for_emoji_and_persian() -> None:
    for text in ("👩\u200d🚀", "می\u200cخواهم"):
        assert text in render_report(place_context_blocks([{"role": "user", "content": text}], [], {}))


def test_a_long_text_folds_and_loses_nothing() -> None:
    text = " ".join(f"word{number}" for number in range(2_000))
    page = render_report(place_context_blocks([{"role": "user", "content": text}], [], {}))
    head, rest = re.findall(r'<div class="text">(.*?)</div>', page, re.DOTALL)
    assert head + rest == text
    assert len(head) <= 1200
    assert "more characters</summary>" in page


def test_many_short_lines_fold_too() -> None:
    text = "\n".join("x" * 20 for _ in range(100))
    page = render_report(place_context_blocks([{"role": "user", "content": text}], [], {}))
    head, rest = re.findall(r'<div class="text">(.*?)</div>', page, re.DOTALL)
    assert head + rest == text
    assert head.count("\n") < 20


def test_a_fold_may_cut_an_embedded_text() -> None:
    block = {"id": "long", "position": "outlet", "outlet_name": "x", "content": "lore " * 1_000}
    messages = [{"role": "system", "content": "before {{outlet::x}} after"}]
    page = render_report(place_context_blocks(messages, [block], {"outlets": {"x": 0}}))
    assert page.count('id="e0"') == 1
    assert page.count("<mark ") == 2
    marked = re.findall(r"<mark [^>]*>(?:<a .*?</a>)?(.*?)</mark>", page, re.DOTALL)
    assert "".join(marked) == "lore " * 1_000


def test_parts_tool_calls_and_empty_content_are_shown() -> None:
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "look:"}, {"type": "image_url", "image_url": {"url": "data:"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "find", "arguments": '{"a": 1}'}}]},
        {"type": "function_call", "name": "search", "arguments": "{}"},
        {"role": "user", "content": None},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "weigh", "input": {"kg": 2}}]},
        3,
    ]
    text = Reader(render_report(place_context_blocks(messages, [], {}))).text
    for shown in (
        "look:",
        "image_url",
        'calls find({"a": 1})',
        "calls search({})",
        "no content",
        'calls weigh({"kg": 2})',
    ):
        assert shown in text


def test_messages_of_other_types_are_read_by_their_attributes() -> None:
    gemini = SimpleNamespace(role="user", parts=[SimpleNamespace(text="in a part")])
    llama = SimpleNamespace(
        role=SimpleNamespace(value="assistant"), blocks=[SimpleNamespace(text="in a block")], content="joined"
    )
    langchain = SimpleNamespace(type="human", content="in the content")
    once = iter(["read once"])
    result = place_context_blocks([gemini, llama, langchain, {"role": "user", "content": once}], [], {})
    page = render_report(result)
    text = Reader(page).text
    assert re.findall(r'<span class="role">(\w+)</span>', page) == ["user", "assistant", "human", "user"]
    assert all(words in text for words in ("in a part", "in a block", "in the content", "list_iterator"))
    assert "joined" not in text
    assert list(once) == ["read once"]


def test_the_bar_shares_out_every_character(placing: dict[str, Any]) -> None:
    result = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"])
    total = sum(len(message["content"] or "") for message in result.messages)
    page = render_report(result)
    assert f"<b>{total}</b> characters" in page
    sizes = [int(size) for size in re.findall(r"</bdi> <b>(\d+)</b> <span>", page)]
    assert sum(sizes) == total


def test_tokens_may_be_counted_instead(placing: dict[str, Any]) -> None:
    page = page_of(placing, count=lambda text: len(text.split()), limit=10)
    assert "of 10 tokens" in page
    assert "Over budget" in page


def test_a_plan_shows_its_budgets(plan: dict[str, Any]) -> None:
    page = render_report(assemble_context_plan(plan))
    assert "<b>223</b> of 400 characters" in page
    assert "46 of 200" in page
    assert page.count("a cache may stop here") == 2


def test_fragments_that_share_a_message_are_marked_in_it(plan: dict[str, Any]) -> None:
    del plan["original_fragments"], plan["mutable_fragment_ids"]
    plan |= {"merge_adjacent": True, "separator": " // "}
    plan["fragments"][1]["trust"] = "system"
    page = render_report(assemble_context_plan(plan))
    assert "shared by 2 fragments" in page
    assert "separators" in page
    assert page.count("<mark ") == 2


def test_what_changed_since_the_previous_prompt(placing: dict[str, Any]) -> None:
    before = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"])
    later = json.loads(json.dumps(placing))
    later["blocks"][4]["content"] = later["blocks"][4]["content"].replace("两声向右", "两声停船")
    later["blocks"][6]["id"] = "memory/visitor"
    after = place_context_blocks(later["messages"], later["blocks"], later["layout"])
    page = render_report(after, previous=before)
    changed_at = next(
        index for index, pair in enumerate(zip(before.messages, after.messages, strict=False)) if pair[0] != pair[1]
    )
    assert f'The cache is lost in <a href="#m{changed_at}">' in page
    assert len(re.findall('class="message[^"]* cache-kept"', page)) == changed_at
    text = Reader(page).text
    for words in ("new\nmemory/visitor", "gone\nmemory/player", "changed\nmemory/tide"):
        assert words.replace("\n", "") in text.replace("\n", "")
    assert page.count('class="cut"') == 1


def test_nothing_changed_or_only_appended(placing: dict[str, Any]) -> None:
    result = place_context_blocks(placing["messages"], [], {})
    longer = place_context_blocks([*placing["messages"], {"role": "assistant", "content": "Then we wait."}], [], {})
    assert "Nothing that was sent has changed." in render_report(result, previous=result)
    page = render_report(longer, previous=result)
    assert "Nothing that was sent has changed; 1 message appended." in page
    assert 'class="mark lost"' not in page
    page = render_report(result, previous=longer)
    assert "Nothing that was sent has changed; 1 message at its end is gone." in page


def test_a_wrong_result_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="must be a PlacementResult or a BuiltContext, not list"):
        render_report([])  # type: ignore[arg-type]


def test_without_jinja2_the_error_says_what_to_install(
    run: Any, placing: dict[str, Any], without_library: Any, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    done = run("report", "-", "-o", str(page), given=placing, env=without_library("jinja2"))
    assert done.returncode == 2
    assert done.stderr == b'error: missing_extra at report: jinja2 is not installed; pip install "interleaf[report]"\n'
    assert not page.exists()
