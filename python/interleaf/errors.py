"""Every refusal of data, as one family of exceptions.

All of them are `ValueError`s with a machine-readable `code`, the `path` of the value that was refused, and a message
that says what was found, what was expected and whose it is. They pickle and copy with all their attributes.
"""

from __future__ import annotations

# Not from `typing`, whose import would be a third of that of the whole package: it brings `re` and `contextlib`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._interleaf import FragmentUsage, Mutation
    from .budget import BudgetUsage

__all__ = [
    "AdapterError",
    "BlockError",
    "BudgetExceededError",
    "CounterError",
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

    @property
    def help_url(self) -> str:
        """Where the documentation says what the code means, shows an example and says what to do.

        An address if the installed package names one for its documentation; without one the page in the source tree.

        >>> from interleaf import BlockError
        >>> BlockError("found -1, expected an int of 0 or more", "invalid_depth", "depth").help_url.rpartition("#")[2]
        'invalid_depth'
        """
        page = _errors_page()
        return f"{page}#{self.code}" if self.code else page

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
    """A message is of a type that no adapter knows or cannot change, or an adapter answered wrongly.

    Codes: `unsupported_message` (no adapter knows the type), `unchangeable_message` (no changed copy can be made),
    `invalid_adapter` (an adapter returned what it may not), `system_not_a_message` (the library has no message of that
    role), `system_not_text` (a system message holds something else than text).
    """


class CounterError(InterleafError):
    """A token counter failed on a text, or answered with something that is no count. Nothing was estimated instead.

    What the counter raised is the `__cause__`.

    Attributes:
        code: `counter_failed`, `invalid_count`, `batch_length` or `invalid_render`.
        text_length: how long the text is, in code points; of a batch that failed as a whole, all its texts together.
    """

    text_length: int

    def __init__(self, message: str, code: str = "", path: str = "", *, text_length: int = 0) -> None:
        super().__init__(message, code, path)
        self.text_length = text_length


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
        unit: `codepoint`, `utf16` or `utf8`, or `tokens`.
        usage: of an assembly the usage of every fragment, those within budget included; of `check_budget` its
            `BudgetUsage`: everything that was counted.
        fragment_ids: every fragment that is over; empty when it is the total.
    """

    limit: int | float
    actual: int
    unit: str
    usage: Any  # tuple[FragmentUsage, ...] or BudgetUsage: which, the call that raised says
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
        usage: Sequence[FragmentUsage] | BudgetUsage = (),
        fragment_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(message, code, path)
        self.limit = limit
        self.actual = actual
        self.unit = unit
        self.usage = tuple(usage) if hasattr(usage, "__iter__") else usage
        self.fragment_ids = tuple(fragment_ids)


def _errors_page() -> str:
    """Where the page of errors is. The address stands in one place, the project's metadata, and is read when asked for."""
    # Imported here: it costs several times what the whole package does.
    from importlib import metadata

    try:
        urls = metadata.metadata(__package__).get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        urls = ()
    for url in urls:
        label, _, address = url.partition(",")
        if label.strip().lower() == "documentation":
            return f"{address.strip().rstrip('/')}/errors.html"
    return "docs/errors.md"
