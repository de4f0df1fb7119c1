"""What a lorebook is refused with."""

from __future__ import annotations

from ..errors import InterleafError

__all__ = ["LorebookError"]


class LorebookError(InterleafError):
    """A lorebook, or a choice from it, cannot be used.

    Odd values inside an entry never raise it: they are coerced, defaulted or left out, and told as a `Problem`.

    | code | when |
    |---|---|
    | `too_large` | more than 64 MiB of input, or more text in a PNG than its bounds allow |
    | `too_many_entries` | more than 100,000 entries |
    | `too_deep` | JSON nested deeper than 64 levels |
    | `broken_encoding`, `broken_json`, `broken_png`, `broken_card` | the bytes are not what they begin as |
    | `unknown_format` | it is JSON, but no lorebook and no card |
    | `invalid_entries` | the entries are neither an object nor an array |
    | `no_card` | a PNG without a `chara` or `ccv3` chunk |
    | `several_books`, `unknown_book` | a file of several books and no such choice |
    | `unknown_entry`, `entry_left_out` | `blocks(entries=...)` asked for an entry that is not there to place |

    >>> from interleaf.lorebook import read_lorebook
    >>> try:
    ...     read_lorebook(b'{"entries": [}')
    ... except LorebookError as error:
    ...     print(error.code, error.path)
    broken_json source
    """
