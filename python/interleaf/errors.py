"""Every refusal of data, as one family of exceptions.

All of them are `ValueError`s with a machine-readable `code`, the `path` of the value that was refused, and a message
that says what was found, what was expected and whose it is. They pickle and copy with all their attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._interleaf import FragmentUsage, Mutation

__all__ = [
    "AdapterError",
    "BlockError",
    "BudgetExceededError",
    "InterleafError",
    "LayoutError",
    "MutationError",
    "PlanError",
]


class InterleafError(ValueError):
    """Base class: data was refused, and nothing was changed.

    Raised directly for a bad option value (`code="invalid_option"`).

    Attributes:
        code: one word for programs, such as `invalid_depth`.
        path: where the refused value stands, such as `blocks[3].depth`; empty if it stands nowhere.
        message: what was found, what was expected and whose it is. `str()` shows the path in front of it.

    >>> from interleaf import ContextBlock, InterleafError
    >>> try:
    ...     ContextBlock(id="lore", position="at_depth", content="...", role="system", depth=-1)
    ... except InterleafError as error:
    ...     print(error.code, error.path)
    invalid_depth depth
    """

    code: str
    path: str

    def __init__(self, message: str, code: str = "", path: str = "") -> None:
        # Only the message goes into `args`: pickle and copy call the class with `args` and restore the rest
        # from `__dict__`, so every subclass stays picklable without code of its own.
        super().__init__(message)
        self.code = code
        self.path = path

    @property
    def message(self) -> str:
        """What was found, what was expected and whose it is, without the path."""
        return str(self.args[0])

    def __str__(self) -> str:
        """The path and the message, so that a bare traceback says where."""
        return f"{self.path}: {self.message}" if self.path else self.message


class LayoutError(InterleafError):
    """A layout, or a host message that it points to, cannot be used."""


class BlockError(InterleafError):
    """A block is malformed, has no anchor, or was rendered to something that cannot be placed."""


class PlanError(InterleafError):
    """A plan or one of its fragments is malformed."""


class AdapterError(InterleafError):
    """A message is of a type that no adapter knows, or one that an adapter cannot change."""


class MutationError(InterleafError):
    """The fragments are not the originals they are audited against.

    Attributes:
        violations: every difference found, in the order of the originals.
    """

    violations: tuple[Mutation, ...]

    def __init__(
        self,
        message: str,
        code: str = "mutated",
        path: str = "",
        violations: Sequence[Mutation] = (),
    ) -> None:
        super().__init__(message, code, path)
        self.violations = tuple(violations)


class BudgetExceededError(InterleafError):
    """A fragment or the whole input is over its budget. Nothing was truncated.

    Attributes:
        limit: the budget of the first thing that is over, as given.
        actual: what that thing measures, in `unit`.
        unit: `codepoint`, `utf16` or `utf8`.
        usage: the usage of every fragment, those within budget included.
        fragment_ids: every fragment that is over; empty when it is the total.
    """

    limit: int | float
    actual: int
    unit: str
    usage: tuple[FragmentUsage, ...]
    fragment_ids: tuple[str, ...]

    def __init__(
        self,
        message: str,
        code: str = "",
        path: str = "",
        *,
        limit: int | float = 0,
        actual: int = 0,
        unit: str = "codepoint",
        usage: Sequence[FragmentUsage] = (),
        fragment_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(message, code, path)
        self.limit = limit
        self.actual = actual
        self.unit = unit
        self.usage = tuple(usage)
        self.fragment_ids = tuple(fragment_ids)
