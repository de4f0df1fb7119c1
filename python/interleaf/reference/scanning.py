"""The scanner in plain Python: folded text, regular expressions, and one pass for each kind.

It shares no table and no method with the native one, and reads texts only: `scan_text` gives `(kind, start, end)` by
where each finding begins, and `scan_parts` does so for texts that follow each other.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class PlainFinding(NamedTuple):
    """What was found between two offsets in code points."""

    kind: str
    start: int
    end: int


class PlainStretch(NamedTuple):
    """A finding in texts that are read as one: `end` is in the text `last`."""

    kind: str
    first: int
    start: int
    last: int
    end: int
    text: str


def _characters(description: str) -> str:
    """The body of a character class from `"AD 200B-200D"`."""
    return "".join("-".join(f"\\U{int(end, 16):08x}" for end in item.split("-")) for item in description.split())


_INVISIBLE = _characters(
    "AD 34F 115F-1160 180E 200B-200D 2060-2065 206A-206F 3164 FEFF FFA0 FFF0-FFFB 1D173-1D17A E0080-E00FF E01F0-E0FFF"
)
_BIDI = _characters("61C 200E-200F 202A-202E 2066-2069")
_TAGS = _characters("E0000-E007F")
_SELECTORS = _characters("FE00-FE0F E0100-E01EF")
_UNSEEN = re.compile(f"[{_INVISIBLE}{_BIDI}{_TAGS}{_SELECTORS}]")

_LOOK_ALIKES = {
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys("\u02c2\u1438\u2039\u2329\u276e\u27e8\u3008\ufe64", "<"),
    **dict.fromkeys("\u02c3\u1433\u203a\u232a\u276f\u27e9\u3009\ufe65", ">"),
    **dict.fromkeys("\u01c0\u2223\u2502\u2503\u2758\u4e28\uffe8", "|"),
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
    "\u3010": "[",
    "\u3011": "]",
    "\u2581": "_",
    **dict(zip("\u0430\u0435\u04bb\u0456\u0458\u043e\u0440\u0441\u0455\u0445\u0443", "aehijopcsxy", strict=True)),
    **dict(
        zip(
            "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425",
            "ABCEHIJKMOPSTX",
            strict=True,
        )
    ),
}

_SQUARE = "INST SYSTEM_PROMPT AVAILABLE_TOOLS TOOL_CALLS TOOL_RESULTS MODEL_SETTINGS"
_NAMED = [
    *(f"[{slash}{name}]" for name in _SQUARE.split() for slash in ("", "/")),
    *("[TOOL_CONTENT]", "[CALL_ID]", "[gMASK]", "[sMASK]", "<<SYS>>", "<</SYS>>", "<sop>", "<eop>", '<|"|>'),
    *("<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", "<BOS_TOKEN>", "<EOS_TOKEN>"),
    *(f"<{slash}{name}>" for name in ("tool_call", "tool_response") for slash in ("", "/")),
    *(f"<|{name}>" for name in ("turn", "channel", "tool", "tool_call", "tool_response", "image", "audio")),
    *(f"<{name}|>" for name in ("turn", "channel", "tool", "tool_call", "tool_response", "image", "audio")),
]
_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<dsml></?\|\|?DSML\|)",
            r"(?P<pipes><\|[A-Za-z][A-Za-z0-9_.:/-]{1,63}\|>)",
            f"(?P<named>{'|'.join(map(re.escape, _NAMED))})",
            r"(?P<sentence></?s>|<(?:bos|eos|pad|unk)>)",
            r"(?P<reasoning></?think>|\[/?THINK\])",
        )
    )
)


def _tokens(text: str) -> list[PlainFinding]:
    seen = [index for index, letter in enumerate(text) if not _UNSEEN.match(letter)]
    folded = "".join(_LOOK_ALIKES.get(text[index], text[index]) for index in seen)
    findings: list[PlainFinding] = []
    for match in _TOKEN.finditer(folded):
        start, end = seen[match.start()], seen[match.end() - 1] + 1
        written = text[start:end]
        family = match.lastgroup
        beyond = {letter for letter in written if not letter.isascii()}
        if family == "sentence":
            shown = {letter for letter in beyond if not _UNSEEN.match(letter)}
            if not all("\uff01" <= letter <= "\uff5e" for letter in shown):
                continue
        if family in {"dsml", "pipes"} and beyond <= {"\uff5c", "\u2581"}:
            kind = "control_token"
        elif beyond:
            kind = "look_alike_token"
        else:
            kind = {"sentence": "sentence_token", "reasoning": "reasoning_tag"}.get(str(family), "control_token")
        findings.append(PlainFinding(kind, start, end))
    return findings


def _markers(text: str) -> list[PlainFinding]:
    findings = []
    at = text.find("{{outlet::")
    while at >= 0:
        name = at + len("{{outlet::")
        close = text.find("}}", name)
        if close == name:
            close = text.find("}}", name + 1) if text[name : name + 3] == "}}}" else -1
            if close < 0:
                at = text.find("{{outlet::", name)
                continue
        if close < 0:
            break
        if "{{" in text[name:close]:
            at = text.find("{{outlet::", name)
            continue
        findings.append(PlainFinding("outlet_marker", at, close + 2))
        at = text.find("{{outlet::", close + 2)
    return findings


def _in(description: str) -> Callable[[str], bool]:
    pattern = re.compile(f"[{_characters(description)}]")
    return lambda letter: pattern.match(letter) is not None


_hyphenated = _in("41-5A 61-7A C0-D6 D8-F6 F8-24F 300-34E 350-58F 10A0-10FF 1E00-1FFF")
_mark = _in("300-34E 350-36F 591-5C7")
_unspaced = _in("E00-FFF 1000-109F 1780-17FF 1980-19FF 1A20-1AAF")
_joining = _in(
    "600-61B 61D-7FF 840-DFF 1000-109F 1780-180D 180F-18AF 1B00-1BFF A800-A82F A840-A8FF A980-A9DF AAE0-AAFF ABC0-ABFF "
    "FB50-FDFF FE70-FEFE 10A00-10FFF 11000-11FFF 1E900-1E95F"
)
_jamo = _in("1100-115E 1161-11FF A960-A97F D7B0-D7FF")
_mongolian = _in("1800-180D 180F-18AF")
_emoji = _in("2190-23FF 2600-27BF 2B00-2BFF 1F000-1FAFF")
_ideograph = _in("3005-3007 3400-4DBF 4E00-9FFF F900-FAFF 20000-3FFFF")
_right_to_left = re.compile(f"[{_characters('590-61B 61D-8FF FB1D-FDFF FE70-FEFE 10800-10FFF 1E800-1EFFF')}]")
_FLAG = re.compile("\U0001f3f4([\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f)")


def _invisible_is_needed(text: str, at: int) -> bool:
    before, letter, after = text[at - 1 : at] if at else "", text[at], text[at + 1 : at + 2]
    if letter == "\ufeff":
        return at == 0
    if letter == "\u00ad":
        return _hyphenated(before) and _hyphenated(after)
    if letter == "\u034f":
        return _mark(before) or _mark(after)
    if letter == "\u200b":
        return _unspaced(before) and _unspaced(after)
    if letter in "\u200c\u200d" and (_joining(before) or _joining(after)):
        return True
    if letter == "\u200d":
        base = text[at - 2 : at - 1] if before == "\ufe0f" else before
        return _emoji(base) and _emoji(after)
    if letter in "\u115f\u1160":
        return _jamo(before) or _jamo(after)
    if letter == "\u180e":
        return _mongolian(before) and _mongolian(after)
    return False


def _unseen(text: str) -> list[PlainFinding]:
    findings = [
        PlainFinding("invisible", *match.span())
        for match in re.finditer(f"[{_INVISIBLE}]+", text)
        if len(match[0]) > 1 or not _invisible_is_needed(text, match.start())
    ]
    for match in re.finditer(f"[{_BIDI}]+", text):
        start, end = match.span()
        if match[0] in {"\u061c", "\u200e", "\u200f"} and _right_to_left.search(text[max(start - 16, 0) : end + 16]):
            continue
        findings.append(PlainFinding("bidi_control", start, end))
    for match in re.finditer(f"[{_TAGS}]+", text):
        start, end = match.span()
        flag = _FLAG.match(text, start - 1)
        start = flag.end() if flag else start
        if start < end:
            findings.append(PlainFinding("tag_characters", start, end))
    for match in re.finditer(f"[{_SELECTORS}]+", text):
        before = text[match.start() - 1] if match.start() else ""
        if len(match[0]) == 1 and before and (match[0] < "\U000e0100" or _ideograph(before)):
            continue
        findings.append(PlainFinding("variation_selectors", *match.span()))
    return findings


def scan_text(text: str) -> list[PlainFinding]:
    """Everything found in `text`, by where it begins."""
    return sorted([*_tokens(text), *_markers(text), *_unseen(text)], key=lambda finding: finding.start)


def scan_parts(texts: Sequence[str]) -> list[PlainStretch]:
    """Everything found in texts that follow each other, with the texts it begins and ends in."""
    whole = "".join(texts)
    ends = list(accumulate(map(len, texts)))

    def text_of(offset: int) -> int:
        return next(index for index, end in enumerate(ends) if offset < end)

    stretches = []
    for kind, start, end in scan_text(whole):
        first, last = text_of(start), text_of(end - 1)
        shift = [ends[index] - len(texts[index]) for index in (first, last)]
        stretches.append(PlainStretch(kind, first, start - shift[0], last, end - shift[1], whole[start:end]))
    return stretches
