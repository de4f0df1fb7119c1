"""Character cards in PNG files: the `ccv3` or `chara` chunk, read by pillow once the bounds hold."""

from __future__ import annotations

import base64
import binascii
import io
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import LorebookError
from .fields import Found
from .limits import MAX_PNG_CHUNKS, MAX_UNPACKED_CHUNK_BYTES

if TYPE_CHECKING:
    from .source import Told

__all__ = ["PNG_SIGNATURE", "read_card_text"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">I4s")
_TEXT_KINDS = (b"tEXt", b"zTXt", b"iTXt")
_KEYWORDS = ("ccv3", "chara")
"""Which chunk holds the card; the V3 one wins, as its specification says."""


@dataclass(frozen=True, slots=True)
class _TextChunk:
    index: int
    kind: bytes
    keyword: str
    start: int
    length: int


def read_card_text(data: bytes) -> tuple[bytes, list[Told]]:
    """Takes the card out of a PNG. No pixel is decoded.

    The chunks are walked by their headers first: how many there are, whether they lie within the file, and what the
    compressed ones that hold a card unpack to, up to the bound and no further. Only then does pillow read the chunk.

    Args:
        data: the PNG.

    Returns:
        The JSON of the card as bytes, and what was told: chunks that were not read.

    Raises:
        LorebookError: `broken_png`, `too_large`, `no_card` or `broken_card`.
        ImportError: pillow is not installed.
    """
    chunks = [chunk for chunk in _text_chunks(data) if chunk.keyword in _KEYWORDS]
    if not chunks:
        raise LorebookError("found no chara or ccv3 chunk in this PNG, so it is no character card", "no_card", "source")
    # The first of a name counts, as in SillyTavern.
    chosen = min(chunks, key=lambda chunk: (_KEYWORDS.index(chunk.keyword), chunk.index))
    told: list[Told] = [
        (
            Found(f"png.chunks[{chunk.index}]", chunk.keyword),
            "ignored",
            f"not read, for the {chosen.keyword} chunk at {chosen.index} holds the card",
        )
        for chunk in chunks
        if chunk is not chosen
    ]
    text = _chunk_text(data, chosen)
    try:
        # Line breaks and spaces occur; whatever else is no base64 is damage and not to be skipped over.
        return base64.b64decode("".join(text.split()), validate=True), told
    except (binascii.Error, ValueError) as error:
        raise LorebookError(
            f"the {chosen.keyword} chunk is not base64: {error}", "broken_card", f"png.chunks[{chosen.index}]"
        ) from None


def _text_chunks(data: bytes) -> list[_TextChunk]:
    found: list[_TextChunk] = []
    at = len(PNG_SIGNATURE)
    for index in range(MAX_PNG_CHUNKS):
        if at + _HEADER.size > len(data):
            raise LorebookError("the PNG ends without an IEND chunk", "broken_png", f"png.chunks[{index}]")
        length, kind = _HEADER.unpack_from(data, at)
        start = at + _HEADER.size
        at = start + length + 4
        if at > len(data):
            raise LorebookError(
                f"found a chunk of {length} bytes, expected no more than the {len(data) - start} that are left",
                "broken_png",
                f"png.chunks[{index}]",
            )
        if kind == b"IEND":
            return found
        if kind in _TEXT_KINDS:
            # A keyword has at most 79 bytes.
            keyword = data[start : start + min(length, 80)].partition(b"\0")[0].decode("latin-1").lower()
            found.append(_TextChunk(index, kind, keyword, start, length))
    raise LorebookError(f"found more than {MAX_PNG_CHUNKS} chunks in the PNG", "too_large", "png.chunks")


def _chunk_text(data: bytes, chunk: _TextChunk) -> str:
    path = f"png.chunks[{chunk.index}]"
    _check_unpacked(data, chunk, path)
    try:
        from PIL import PngImagePlugin
    except ImportError:
        raise ImportError('reading cards from PNG files needs pillow: pip install "interleaf[cards]"') from None
    # pillow sees the one chunk and nothing else, so nothing of the image is read and no setting of pillow's changed.
    body = data[chunk.start : chunk.start + chunk.length + 4]
    reader = {
        b"tEXt": PngImagePlugin.PngStream.chunk_tEXt,
        b"zTXt": PngImagePlugin.PngStream.chunk_zTXt,
        b"iTXt": PngImagePlugin.PngStream.chunk_iTXt,
    }[chunk.kind]
    stream = PngImagePlugin.PngStream(io.BytesIO(body))
    try:
        stream.crc(chunk.kind, reader(stream, 0, chunk.length))
    except (SyntaxError, ValueError, OSError, struct.error) as error:
        raise LorebookError(f"pillow cannot read the {chunk.keyword} chunk: {error}", "broken_png", path) from None
    if not stream.im_text:
        raise LorebookError(f"the {chunk.keyword} chunk cannot be decoded", "broken_png", path)
    return str(next(iter(stream.im_text.values())))


def _check_unpacked(data: bytes, chunk: _TextChunk, path: str) -> None:
    """Refuses compressed text that unpacks to more than the bound, by unpacking no more than that."""
    if chunk.kind == b"tEXt":
        return
    body = data[chunk.start : chunk.start + chunk.length].partition(b"\0")[2]
    if chunk.kind == b"zTXt":
        packed = body[1:]
    elif body[:1] == b"\0":
        return
    else:
        packed = body[2:].partition(b"\0")[2].partition(b"\0")[2]
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed, MAX_UNPACKED_CHUNK_BYTES + 1)
    except zlib.error as error:
        raise LorebookError(f"the {chunk.keyword} chunk cannot be unpacked: {error}", "broken_png", path) from None
    if len(unpacked) > MAX_UNPACKED_CHUNK_BYTES:
        raise LorebookError(
            f"the {chunk.length} bytes of the {chunk.keyword} chunk unpack to more than {MAX_UNPACKED_CHUNK_BYTES} bytes",
            "too_large",
            path,
        )
