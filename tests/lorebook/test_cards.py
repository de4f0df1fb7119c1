"""Character cards in PNG files, made with pillow, and what hostile ones are refused with."""

from __future__ import annotations

import io
import json
import struct
import sys
import zlib
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageFile, PngImagePlugin

from interleaf.lorebook import LorebookError, read_lorebook
from interleaf.lorebook.limits import MAX_PNG_CHUNKS, MAX_UNPACKED_CHUNK_BYTES
from lorebook.books import PLAIN_V2, card, encoded, png, read_or_refusal, told

if TYPE_CHECKING:
    from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def refusal(data: bytes) -> tuple[str, str]:
    with pytest.raises(LorebookError) as refused:
        read_lorebook(data)
    return refused.value.code, refused.value.path


def test_a_v2_card() -> None:
    book = read_lorebook(png(("chara", encoded(card(name="Îris 图书")))))
    assert (book.format, book.name) == ("chara_card_v2", "Îris 图书")
    assert [block.content for block in book.blocks()] == ["The gate is shut."]
    assert book.problems == ()


def test_the_v3_chunk_wins_and_the_other_is_told(tmp_path: Path) -> None:
    file = tmp_path / "card.png"
    file.write_bytes(
        png(("chara", encoded(card())), ("ccv3", encoded(card("chara_card_v3", name="Io", description="x"))))
    )
    book = read_lorebook(file)
    assert (book.format, book.name) == ("chara_card_v3", "Io")
    assert [told(problem) for problem in book.problems] == [("png.chunks[1]", '"chara"', "ignored")]


def test_the_first_of_two_chunks_counts() -> None:
    book = read_lorebook(png(("Chara", encoded(card(name="One"))), ("chara", encoded(card(name="Two")))))
    assert book.name == "One"
    assert len(book.problems) == 1


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("international", [False, True])
def test_every_kind_of_text_chunk(packed: bool, international: bool) -> None:
    data = png(("chara", encoded(card())), packed=packed, international=international)
    assert [block.content for block in read_lorebook(data).blocks()] == ["The gate is shut."]


def test_a_chunk_behind_the_pixels() -> None:
    data = png()
    end = data.index(b"IEND") - 4
    data = data[:end] + chunk(b"tEXt", b"chara\0" + encoded(card()).encode()) + data[end:]
    assert len(read_lorebook(data).blocks()) == 1


def test_line_breaks_in_base64() -> None:
    text = encoded(card())
    wrapped = "\n".join(text[i : i + 76] for i in range(0, len(text), 76))
    assert len(read_lorebook(png(("chara", wrapped))).blocks()) == 1


def test_a_card_without_a_book_is_an_empty_one_and_that_is_told() -> None:
    document = {"spec": "chara_card_v2", "data": {"name": "Iris"}}
    for source in (png(("chara", encoded(document))), document, json.dumps(document).encode()):
        book = read_lorebook(source)
        assert (book.name, book.entries) == ("Iris", ())
        assert [told(problem) for problem in book.problems] == [("data.character_book", "nothing", "defaulted")]


def test_no_pixel_is_decoded() -> None:
    # A header that promises 4 gigapixels, and no pixels at all.
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 65535, 65535, 8, 6, 0, 0, 0))
    data = SIGNATURE + header + chunk(b"tEXt", b"chara\0" + encoded(card()).encode()) + chunk(b"IEND", b"")
    assert len(read_lorebook(data).blocks()) == 1


def test_a_picture_is_no_card() -> None:
    assert refusal(png(("Comment", "Hello"))) == ("no_card", "source")


def test_text_that_unpacks_to_too_much() -> None:
    bomb = zlib.compress(b"A" * (200 * MAX_UNPACKED_CHUNK_BYTES), 9)
    assert len(bomb) < MAX_UNPACKED_CHUNK_BYTES
    packed = SIGNATURE + chunk(b"zTXt", b"chara\0\0" + bomb) + chunk(b"IEND", b"")
    assert refusal(packed) == ("too_large", "png.chunks[0]")
    international = SIGNATURE + chunk(b"iTXt", b"ccv3\0\1\0en\0\0" + bomb) + chunk(b"IEND", b"")
    assert refusal(international) == ("too_large", "png.chunks[0]")


def test_the_bound_itself_is_not_too_much() -> None:
    document = card(filler="")
    room = MAX_UNPACKED_CHUNK_BYTES // 4 * 3 - len(json.dumps(document).encode())
    document = card(filler="x" * (room - 3))
    text = encoded(document)
    assert MAX_UNPACKED_CHUNK_BYTES - 8 <= len(text) <= MAX_UNPACKED_CHUNK_BYTES
    assert len(read_lorebook(png(("chara", text), packed=True)).blocks()) == 1


def test_a_bomb_that_is_no_card_is_not_even_unpacked() -> None:
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"A" * (50 * MAX_UNPACKED_CHUNK_BYTES), 9))
    data = SIGNATURE + bomb * 3 + chunk(b"tEXt", b"chara\0" + encoded(card()).encode()) + chunk(b"IEND", b"")
    assert len(read_lorebook(data).blocks()) == 1


def test_too_many_chunks() -> None:
    data = SIGNATURE + chunk(b"IDAT", b"") * (MAX_PNG_CHUNKS + 1) + chunk(b"IEND", b"")
    assert refusal(data) == ("too_large", "png.chunks")


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        (SIGNATURE, "broken_png", "png.chunks[0]"),
        (SIGNATURE + b"\xff\xff\xff\xfftEXtchara\0", "broken_png", "png.chunks[0]"),
        (SIGNATURE + chunk(b"IDAT", b"x") + b"\0\0", "broken_png", "png.chunks[1]"),
        (SIGNATURE + chunk(b"tEXt", b"chara\0e30=")[:-1] + b"\0" + chunk(b"IEND", b""), "broken_png", "png.chunks[0]"),
        (SIGNATURE + chunk(b"zTXt", b"chara\0\0junk") + chunk(b"IEND", b""), "broken_png", "png.chunks[0]"),
        (
            SIGNATURE + chunk(b"zTXt", b"chara\0\5" + zlib.compress(b"e30=")) + chunk(b"IEND", b""),
            "broken_png",
            "png.chunks[0]",
        ),
        (SIGNATURE + chunk(b"iTXt", b"chara\0\1\7\0\0junk") + chunk(b"IEND", b""), "broken_png", "png.chunks[0]"),
        (SIGNATURE + chunk(b"iTXt", b"chara\0") + chunk(b"IEND", b""), "broken_png", "png.chunks[0]"),
        (SIGNATURE + chunk(b"tEXt", b'chara\0{"no": 1}') + chunk(b"IEND", b""), "broken_card", "png.chunks[0]"),
        (SIGNATURE + chunk(b"tEXt", b"chara\0e30") + chunk(b"IEND", b""), "broken_card", "png.chunks[0]"),
        (SIGNATURE + chunk(b"tEXt", b"chara") + chunk(b"IEND", b""), "broken_json", "source"),
        (SIGNATURE + chunk(b"tEXt", b"chara\0e30=") + chunk(b"IEND", b""), "unknown_format", "source"),
    ],
)
def test_broken_cards(data: bytes, code: str, path: str) -> None:
    assert refusal(data) == (code, path)


def test_every_cut_and_every_flipped_byte_is_refused_or_read_whole() -> None:
    data = png(("chara", encoded(card())))
    for length in range(len(data)):
        with pytest.raises(LorebookError):
            read_lorebook(data[:length])
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 0x55
        read = read_or_refusal(bytes(broken))
        assert not isinstance(read, LorebookError) or read.code


def test_pillows_settings_stay_as_they_are() -> None:
    before = (PngImagePlugin.MAX_TEXT_CHUNK, PngImagePlugin.MAX_TEXT_MEMORY, Image.MAX_IMAGE_PIXELS)
    truncated = ImageFile.LOAD_TRUNCATED_IMAGES
    read_lorebook(png(("chara", encoded(card())), packed=True))
    assert before == (PngImagePlugin.MAX_TEXT_CHUNK, PngImagePlugin.MAX_TEXT_MEMORY, Image.MAX_IMAGE_PIXELS)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is truncated


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = png(("chara", encoded(card())))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r'pip install "interleaf\[cards\]"'):
        read_lorebook(data)
    assert len(read_lorebook(card()).blocks()) == 1


def test_an_animated_card() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("chara", encoded(card()))
    file = io.BytesIO()
    frames = [Image.new("L", (2, 2), shade) for shade in (0, 80, 160)]
    frames[0].save(file, "PNG", save_all=True, append_images=frames[1:], pnginfo=info)
    assert file.getvalue().count(b"fcTL") == 3
    assert [entry.raw for entry in read_lorebook(file.getvalue()).entries] == [PLAIN_V2]
