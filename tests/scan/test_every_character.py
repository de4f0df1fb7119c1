"""Every character that either scanner could know, in every neighbourhood that decides about one: both find the same."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from interleaf import scan_content
from interleaf.reference.scanning import scan_parts, scan_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# All code points but long stretches in which nothing is looked up: ideographs, syllables of Hangul, private use, the rest of the planes.
STRETCHES = (
    *((0, 0x3500), (0x4D00, 0x4E40), (0x9FF0, 0xAC10), (0xD790, 0xD800), (0xF8F0, 0x11210), (0x1D100, 0x20010)),
    *((0x3FFF0, 0x40010), (0xE0000, 0xE1010), (0x10FFF0, 0x110000)),
)
CHARACTERS = [chr(code) for start, end in STRETCHES for code in range(start, end)]
# Where characters are that look like ASCII, and those that are not seen.
LOOK_ALIKES = [letter for letter in CHARACTERS if letter <= "\u0600" or "\u1400" <= letter <= "\u1480"]
LOOK_ALIKES += [letter for letter in CHARACTERS if "\u2000" <= letter <= "\u3100"]
LOOK_ALIKES += [letter for letter in CHARACTERS if "\u4d00" <= letter <= "\u4e40" or "\ufdf0" <= letter <= "\uffff"]
RIGHT_TO_LEFT = [letter for letter in CHARACTERS if "\u0580" <= letter <= "\u0910" or "\ufb00" <= letter <= "\uff00"]
RIGHT_TO_LEFT += [letter for letter in CHARACTERS if "\U00010700" <= letter <= "\U00011010" or letter >= "\U0001e700"]


def assert_the_same_is_found(text: str) -> None:
    found = [(finding.kind, *finding.span) for finding in scan_content(text)]
    expected = [tuple(finding) for finding in scan_text(text)]
    # The whole text is too long to be shown.
    apart = [(one, other) for one, other in zip(found, expected, strict=False) if one != other][:1]
    assert not apart, f"{apart} in {text[max(0, apart[0][0][1] - 3) : apart[0][0][2] + 3]!a}"
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    "around",
    [
        *("x{0}y ", "x{0}{0}y ", " {0}{0} "),
        *(" {0}\u200d{0} ", " {0}\u200d ", " \u200d{0} ", " {0}\ufe0f\u200d😀 ", " 😀\u200d{0} ", " {0}\u200d😀 "),
        *(" {0}\u200c{0} ", " {0}\u200c ", " \u200c{0} "),
        *(" {0}\u00ad{0} ", " {0}\u00ada ", " a\u00ad{0} "),
        *(" {0}\u034f ", " \u034f{0} "),
        *(" {0}\u200b{0} ", " {0}\u200b\u0e01 ", " \u0e01\u200b{0} "),
        *(" {0}\u115f ", " \u1160{0} "),
        *(" {0}\u180e{0} ", " {0}\u2060{0} ", " {0}\u180e\u1820 ", " \u1820\u180e{0} "),
        *(" {0}\U000e0100 ", " {0}\ufe0f ", " {0}\ufe00\ufe0f "),
    ],
    ids=ascii,
)
def test_neighbours(around: str) -> None:
    assert_the_same_is_found("".join(map(around.format, CHARACTERS)))


def test_letters_that_a_direction_mark_turns() -> None:
    assert_the_same_is_found("".join(f"{letter}\u200e{'.' * 20}" for letter in RIGHT_TO_LEFT))


@pytest.mark.parametrize("mark", ["\u061c", "\u200e", "\u200f", "\u200e\u200f"], ids=ascii)
def test_reach_of_direction_marks(mark: str) -> None:
    for letter, gap in product("\u05d0a", range(19)):
        assert_the_same_is_found(f"{letter}{'.' * gap}{mark}.")
        assert_the_same_is_found(f".{mark}{'.' * gap}{letter}")


@pytest.mark.parametrize(
    "around",
    [
        *(" {0}|ab|> <|ab|{0} <{0}ab{0}> ", " <|a{0}b|> <|{0}b|> <|b{0}|> <|{0}|> "),
        *(" {0}s> <s{0} <{0}s> <{0}> <s{0}> ", " <b{0}s> <p{0}d> <{0}os> <bo{0}> <u{0}k> "),
        *(
            " [{0}NST] [I{0}ST] [INS{0}] {0}INST] [INST{0} [{0}INST] ",
            " [gM{0}SK] [C{0}LL_ID] [CALL{0}ID] [T{0}OL_CALLS] ",
        ),
        *(
            " <{0}op> <e{0}p> <so{0}> <tool{0}call> <{0}tool_call> ",
            " <st{0}rt_of_turn> <BO{0}_TOKEN> <|{0}urn> <turn{0}> ",
        ),
        *(" <t{0}ink> <{0}think> [T{0}INK] [{0}THINK] ", " <{0}DSML|> <|DS{0}L| <||DSML{0} <|{0}DSML| "),
    ],
)
def test_what_looks_like_a_letter_of_a_token(around: str) -> None:
    assert_the_same_is_found("".join(map(around.format, LOOK_ALIKES)))


def _texts_of(pieces: Iterable[str], longest: int) -> Iterable[str]:
    pieces = list(pieces)
    return ("".join(chosen) for count in range(1, longest + 1) for chosen in product(pieces, repeat=count))


def _tagged(letter: str) -> str:
    return chr(0xE0000 + ord(letter))


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        # The ends of the ranges that a flag is spelled with, and their neighbours.
        (lambda: _texts_of(map(_tagged, "az09`{/:\x7f"), 4), "🏴{}."),
        (lambda: _texts_of(map(_tagged, "a0\x7f"), 8), "🏴{}."),
        (lambda: _texts_of(map(_tagged, "a\x7f"), 7), "x🏴{}."),
        (lambda: _texts_of(map(_tagged, "a\x7f"), 5), "x{}."),
        (lambda: _texts_of(["\u200d", "\ufe0f", "😀", "ب", "\u200c"], 4), "{}"),
        (lambda: _texts_of(["{{outlet::", "{{", "}}", "{", "}", "a"], 5), "{}"),
        (lambda: _texts_of(["{{outlet::", "}}", "a"], 7), "{}"),
        (lambda: _texts_of(["{{outlet::a}}", "{{outlet::", "{", "}", "a"], 4), "{}"),
        (lambda: _texts_of(["<", "|", ">", "/", "ab", "DSML", "s", "\u200b", "｜", "▁"], 4), "{}"),
        (lambda: _texts_of(["[", "]", "<<", "/", "INST", "SYS>>", "THINK", "\u200b"], 4), "{}"),
        (lambda: [f"<|{'a' * count}|>" for count in range(70)], "{}"),
    ],
    ids=[
        "flags",
        "long flags",
        "flags further on",
        "no flags",
        "joiners",
        "markers",
        "many markers",
        "whole markers",
        "angles",
        "squares",
        "lengths",
    ],
)
def test_what_small_pieces_make(texts: Callable[[], Iterable[str]], written: str) -> None:
    for text in texts():
        assert_the_same_is_found(written.replace("{}", text))


@pytest.mark.parametrize("text", ["x<|im_start|>y", "{{outlet::a}}", "a\u200b\u2060b"], ids=ascii)
def test_a_finding_in_parts_says_where_it_begins_and_ends(text: str) -> None:
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            texts = [text[:first], text[first:second], text[second:]]
            (found,) = scan_parts(texts)
            (finding,) = scan_content([{"role": "user", "content": [{"type": "text", "text": part} for part in texts]}])
            last, end = finding.end_part_index, finding.end_offset
            place = (finding.part_index, finding.span[1]) if last is None else (last, end)
            assert (found.first, found.start) == (finding.part_index, finding.span[0])
            assert (found.last, found.end) == place
            assert found.text == finding.text
