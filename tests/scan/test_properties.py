"""What holds for any text: spans cut out what was matched, parts read as one, and a scanner in plain Python agrees."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interleaf import scan_content
from interleaf.reference.scanning import scan_parts, scan_text

# Pieces from which texts full of near misses are made.
PIECES = [
    *(
        "<|",
        "|>",
        "<",
        ">",
        "|",
        "[",
        "]",
        "/",
        "{{",
        "}}",
        "{",
        "}",
        "outlet::",
        "{{outlet::",
        "{{outlet::a}}",
        "a",
        "x1",
        "_",
        " ",
    ),
    *(
        "<|im_start|>",
        "<|im_",
        "start|>",
        "[INST]",
        "[/INST",
        "INST]",
        "<<SYS>>",
        "<<SYS>",
        "</SYS>>",
        "<s>",
        "</s>",
        "s>",
        "<think>",
    ),
    *(
        "<start_of_turn>",
        "<|turn>",
        "<turn|>",
        '<|"|>',
        "<|DSML|",
        "</｜DSML｜",
        "<||DSML||",
        "<tool_call>",
        "<BOS_TOKEN>",
        "[gMASK]",
    ),
    *(
        "＜",
        "＞",
        "｜",
        "［",
        "］",
        "【",
        "】",
        "▁",
        "‹",
        "›",
        "⟨",
        "⟩",
        "│",
        "丨",
        "⁄",
        "＜s＞",
        "＜｜User｜＞",
        "<｜User｜>",
        "ｉｍ",
        "о",
        "Т",
    ),
    *(
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\u00ad",
        "\u034f",
        "\u115f",
        "\u180e",
        "\u3164",
        "\uffa0",
        "\ufff9",
    ),
    *(
        "\u200e",
        "\u200f",
        "\u061c",
        "\u202e",
        "\u202c",
        "\u2066",
        "\u2069",
        "\U000e0041",
        "\U000e0067\U000e0062\U000e0065",
    ),
    *(
        "\U000e0031",
        "\U000e007f",
        "🏴",
        "\ufe0f",
        "\ufe01",
        "\U000e0100",
        "\U000e01ff",
        "\U0001d173",
        "😀",
        "👩",
        "❤",
        "葛",
        "م",
        "क",
    ),
    *("א", "ไ", "é", "e\u0301", "ᄀ", "ᠠ", "\ud800", "\udbff", "a" * 20, "a" * 62, "b" * 17),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=24).map("".join),
    st.text(st.characters(), max_size=60),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join),
)


@given(TEXTS)
def test_agrees_with_the_plain_scanner(text: str) -> None:
    assert [(found.kind, *found.span) for found in scan_content(text)] == scan_text(text)


@given(TEXTS)
def test_spans_cut_out_the_matched_text(text: str) -> None:
    for found in scan_content(text):
        start, end = found.span
        assert start < end
        assert text[start:end] == found.text


@given(st.lists(TEXTS, max_size=5), st.booleans())
def test_parts_read_as_one(texts: list[str], in_a_result: bool) -> None:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    content = [{"type": "tool_result", "content": parts}] if in_a_result else parts
    findings = scan_content([{"role": "user", "content": content}])
    assert [(found.kind, found.text) for found in findings] == [
        (found.kind, found.text) for found in scan_content("".join(texts))
    ]
    stretches = []
    for found in findings:
        first = found.result_index if in_a_result else found.part_index
        assert first is not None
        start, end = found.span
        if found.end_part_index is None or found.end_offset is None:
            assert texts[first][start:end] == found.text
            stretches.append((found.kind, first, start, first, end, found.text))
            continue
        assert end == len(texts[first])
        between = texts[first + 1 : found.end_part_index]
        assert "".join([texts[first][start:], *between, texts[found.end_part_index][: found.end_offset]]) == found.text
        stretches.append((found.kind, first, start, found.end_part_index, found.end_offset, found.text))
    assert stretches == scan_parts(texts)


@given(TEXTS, TEXTS)
def test_a_full_stop_parts_two_texts(left: str, right: str) -> None:
    # A run of dots is longer than any context that is looked at, and part of no token; what lies in a marker's name may be.
    wall = "." * 80
    together = [
        (found.kind, *found.span) for found in scan_content(left + wall + right) if found.kind != "outlet_marker"
    ]
    apart = [(found.kind, *found.span) for found in scan_content(left + wall)]
    apart += [
        (found.kind, found.span[0] + len(left), found.span[1] + len(left)) for found in scan_content(wall + right)
    ]
    assert together == [found for found in apart if found[0] != "outlet_marker"]
