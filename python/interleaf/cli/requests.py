"""What the commands take: a placement request or a plan, as JSON."""

from __future__ import annotations

import difflib
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .json_input import InputError, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interleaf import BuiltContext, PlacementResult

__all__ = [
    "PlaceRequest",
    "PlanRequest",
    "parse_layout",
    "parse_place_request",
    "parse_plan_request",
    "parse_request",
    "read_place_request",
    "read_plan_request",
    "read_request",
]

_REQUIRED: Final = {"messages": list, "blocks": list, "layout": dict}
_OPTIONS: Final = ("tool_exchanges", "unfilled_outlets", "separator", "mid_conversation_roles")
_PLAN_KEYS: Final = (
    "fragments",
    "max_input_chars",
    "additional_messages",
    "original_fragments",
    "mutable_fragment_ids",
    "unit",
    "merge_adjacent",
    "separator",
)
_NO_LIMIT: Final = "Infinity"


@dataclass(frozen=True)
class PlaceRequest:
    """A request to place blocks.

    Attributes:
        messages: the chat, as the request has it.
        blocks: the blocks, as the request has them.
        layout: the anchors, as the request has them.
        options: the options given, by the names of `place_context_blocks`.
    """

    messages: list[Any]
    blocks: list[Any]
    layout: dict[str, Any]
    options: dict[str, Any]

    def run(self) -> PlacementResult[Any]:
        """Places the blocks.

        Returns:
            The result of `place_context_blocks`.

        Raises:
            InterleafError: the library refused the request.
        """
        from interleaf import place_context_blocks

        return place_context_blocks(self.messages, self.blocks, self.layout, **self.options)


@dataclass(frozen=True)
class PlanRequest:
    """A request to assemble a plan.

    Attributes:
        plan: the plan, as the request has it, with every `"Infinity"` budget as `math.inf`.
    """

    plan: dict[str, Any]

    def run(self) -> BuiltContext[Any]:
        """Assembles the plan.

        Returns:
            The result of `assemble_context_plan`.

        Raises:
            InterleafError: the library refused the plan.
        """
        from interleaf import assemble_context_plan

        return assemble_context_plan(self.plan)


def read_place_request(source: str) -> PlaceRequest:
    """Reads a placement request from a file, or from standard input for `-`.

    Args:
        source: the path of a file, or `-`.

    Returns:
        The request.

    Raises:
        InputError: see `read_json` and `parse_place_request`.
    """
    return parse_place_request(read_json(source))


def read_plan_request(source: str) -> PlanRequest:
    """Reads a plan from a file, or from standard input for `-`.

    Args:
        source: the path of a file, or `-`.

    Returns:
        The request.

    Raises:
        InputError: see `read_json` and `parse_plan_request`.
    """
    return parse_plan_request(read_json(source))


def read_request(source: str) -> PlaceRequest | PlanRequest:
    """Reads a request of either kind from a file, or from standard input for `-`.

    Args:
        source: the path of a file, or `-`.

    Returns:
        The request.

    Raises:
        InputError: see `read_json` and `parse_request`.
    """
    return parse_request(read_json(source))


def parse_place_request(value: Any) -> PlaceRequest:
    """Reads a placement request out of parsed JSON.

    Args:
        value: an object with `messages`, `blocks`, `layout`, and perhaps `tool_exchanges`, `unfilled_outlets`,
            `separator` and `mid_conversation_roles`, beside them or in an object `options`; keys may be spelled in
            camelCase.

    Returns:
        The request.

    Raises:
        InputError: it is no object, has an unknown key or one twice, or one of the three is missing or of a wrong type.

    >>> request = parse_place_request({"messages": [], "blocks": [], "layout": {}, "unfilledOutlets": "keep"})
    >>> request.options
    {'unfilled_outlets': 'keep'}
    """
    request = _with_options(_fields(_object(value), (*_REQUIRED, *_OPTIONS, "options")))
    for name, kind in _REQUIRED.items():
        wanted = "an array" if kind is list else "an object"
        if request.get(name) is None:
            raise InputError(f"found no {name}; expected {wanted}", "missing_field", name)
        if not isinstance(request[name], kind):
            raise InputError(f"found {_found(request[name])}; expected {wanted}", "invalid_type", name)
    options = {name: request[name] for name in _OPTIONS if request.get(name) is not None}
    return PlaceRequest(request["messages"], request["blocks"], request["layout"], options)


def parse_plan_request(value: Any) -> PlanRequest:
    """Reads a plan out of parsed JSON.

    Args:
        value: a plan, or an object with the plan as its `plan`.

    Returns:
        The request.

    Raises:
        InputError: it is no object, its plan is none, or it has another key besides `plan`.

    >>> parse_plan_request({"plan": {"fragments": [], "max_input_chars": "Infinity"}}).plan
    {'fragments': [], 'max_input_chars': inf}
    """
    request = _object(value)
    if "plan" in request:
        plan = _fields(request, ("plan",))["plan"]
        if not isinstance(plan, dict):
            raise InputError(f"found {_found(plan)}; expected an object", "invalid_type", "plan")
    else:
        plan = request
    return PlanRequest(_with_limits(plan))


def parse_request(value: Any) -> PlaceRequest | PlanRequest:
    """Reads a request of either kind out of parsed JSON: what has fragments, or a plan, is a plan.

    Args:
        value: see `parse_place_request` and `parse_plan_request`.

    Returns:
        The request.

    Raises:
        InputError: it is a request of neither kind.
    """
    request = _object(value)
    if "plan" in request or "fragments" in request:
        return parse_plan_request(request)
    if not any(name in request for name in _REQUIRED):
        found = f"found an object with {_listed(request)}" if request else "found an empty object"
        expected = "expected messages, blocks and layout, or a plan with fragments and max_input_chars"
        raise InputError(f"{found}; {expected}", "missing_field", "request")
    return parse_place_request(request)


def parse_layout(value: Any) -> dict[str, Any]:
    """Reads a layout out of parsed JSON.

    Args:
        value: a layout, or an object with one as its `layout`: a placement request, for instance.

    Returns:
        The layout.

    Raises:
        InputError: it is no object, its layout is none, or it has a key that no placement request has.

    >>> parse_layout({"messages": [], "layout": {"author_note": 0}})
    {'author_note': 0}
    """
    layout = _object(value)
    if "layout" in layout:
        layout = _fields(layout, (*_REQUIRED, *_OPTIONS, "options"))["layout"]
        if not isinstance(layout, dict):
            raise InputError(f"found {_found(layout)}; expected an object", "invalid_type", "layout")
    return layout


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"found {_found(value)}; expected an object", "invalid_type", "request")
    return value


def _fields(request: dict[str, Any], known: Iterable[str], path: str = "") -> dict[str, Any]:
    """The request by canonical names; refuses what nobody reads."""
    spellings = {spelling: name for name in known for spelling in (name, _camel_case(name))}
    fields: dict[str, Any] = {}
    for key, value in request.items():
        name = spellings.get(key)
        if name is None:
            raise InputError(_unknown(key, spellings), "unknown_field", path + _printable(key))
        if name in fields:
            message = f"found {name} twice, in snake_case and in camelCase; expected it once"
            raise InputError(message, "duplicate_field", path + name)
        fields[name] = value
    return fields


def _with_options(request: dict[str, Any]) -> dict[str, Any]:
    """The request with what stands in its `options` beside the rest."""
    options = request.pop("options", None)
    if options is None:
        return request
    if not isinstance(options, dict):
        raise InputError(f"found {_found(options)}; expected an object", "invalid_type", "options")
    for name, value in _fields(options, _OPTIONS, "options.").items():
        if name in request:
            raise InputError(f"found {name} twice, in options and beside it; expected it once", "duplicate_field", name)
        request[name] = value
    return request


def _unknown(key: str, spellings: Mapping[str, str]) -> str:
    if _camel_case(key) in map(_camel_case, _PLAN_KEYS) and "plan" not in spellings:
        return f"found the unknown key {json.dumps(key)}; it belongs into a plan, which `plan` takes"
    near = difflib.get_close_matches(key, spellings, n=1)
    hint = f" (did you mean {json.dumps(spellings[near[0]])}?)" if near else ""
    return f"found the unknown key {json.dumps(key)}; expected {_listed(set(spellings.values()))}{hint}"


def _with_limits(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with every budget that says "Infinity" as a number, which JSON itself has no word for."""
    plan = {key: _limit(value) if key in ("max_input_chars", "maxInputChars") else value for key, value in plan.items()}
    for key in ("fragments", "original_fragments", "originalFragments"):
        if isinstance(plan.get(key), list):
            plan[key] = [_fragment_with_limits(fragment) for fragment in plan[key]]
    return plan


def _fragment_with_limits(fragment: Any) -> Any:
    if not isinstance(fragment, dict):
        return fragment
    return {key: _limit(value) if key in ("max_chars", "maxChars") else value for key, value in fragment.items()}


def _limit(value: Any) -> Any:
    return math.inf if value == _NO_LIMIT else value


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _found(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "a string" if isinstance(value, str) else "an array" if isinstance(value, list) else "an object"


def _listed(names: Iterable[str]) -> str:
    shown = [_printable(name) for name in sorted(names)]
    return ", ".join(shown[:8]) + (", …" if len(shown) > 8 else "")


def _printable(key: str) -> str:
    # A key with a newline or a control character must not forge a line of the report.
    return key if key.isidentifier() else json.dumps(key[:60])
