"""What a source file can be changed into, one place at a time.

A mutant is told by its file, its function and the text of the change, and not by its line, so that it is the same one after edits
elsewhere.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import CodeType

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
# A list of words or of code points in one string; anything else with a space in it is told to a reader and not compared.
LIST_OF_WORDS = re.compile(r"[A-Z0-9_-]+( [A-Z0-9_-]+)+")
# Beyond this the change alone is shown, and not what stands around it.
LONGEST_SURROUNDINGS = 100


@dataclass(frozen=True)
class Place:
    """Where a node stands in its tree."""

    owner: ast.AST
    field: str
    index: int | None

    def put(self, node: ast.AST) -> None:
        """Put a node there."""
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


@dataclass(frozen=True)
class Scope:
    """The function around a node, and the statement that it belongs to."""

    function: str = ""
    runs_on_import: bool = True
    statement: ast.stmt | None = None

    @property
    def lines(self) -> range:
        """The lines of the statement; of one with others inside, its head alone."""
        if self.statement is None:
            return range(0)
        first, body = self.statement.lineno, getattr(self.statement, "body", [])
        last = max(first, body[0].lineno - 1) if body else self.statement.end_lineno or first
        return range(first, last + 1)


@dataclass(frozen=True)
class Mutant:
    """A file with one node changed."""

    path: Path
    line: int
    scope: Scope
    change: str
    tree: ast.Module
    place: Place
    old: ast.AST
    new: ast.AST

    @property
    def name(self) -> tuple[str, str, str]:
        """What tells it from all others."""
        return self.path.name, self.scope.function, self.change

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line} in {self.scope.function or 'the module'}: {self.change}"

    def code(self) -> CodeType:
        """The changed file, compiled."""
        self.place.put(self.new)
        try:
            return compile(self.tree, str(self.path), "exec")
        finally:
            self.place.put(self.old)


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[Mutant] = []
    seen: Counter[tuple[str, str]] = Counter()
    for place, old, scope in _places(tree, Scope()):
        for new in _changes(old):
            ast.fix_missing_locations(ast.copy_location(new, old))
            change = _described(place, old, new, scope.statement)
            seen[scope.function, change] += 1
            if (times := seen[scope.function, change]) > 1:
                change += f" ({times})"
            line = getattr(old, "lineno", getattr(place.owner, "lineno", 0))
            found.append(Mutant(path, line, scope, change, tree, place, old, new))
    return sorted(found, key=lambda mutant: mutant.line)


def _places(owner: ast.AST, scope: Scope) -> Iterator[tuple[Place, ast.AST, Scope]]:
    """Go through all nodes that are worth a change: no types, no docstrings, no text for a reader."""
    for field, value in ast.iter_fields(owner):
        # Decorators say that records are frozen, a promise that no code of the package tries to break.
        if field in ("annotation", "returns", "decorator_list"):
            continue
        inner = scope
        if isinstance(owner, (ast.FunctionDef, ast.ClassDef)) and field == "body":
            function = f"{scope.function}.{owner.name}".lstrip(".")
            inner = Scope(function, runs_on_import=scope.runs_on_import and isinstance(owner, ast.ClassDef))
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(node, ast.AST) and not _is_for_readers(node) and not _is_type(owner, index):
                here = replace(inner, statement=node) if isinstance(node, ast.stmt) else inner
                place = Place(owner, field, index if isinstance(value, list) else None)
                yield place, node, here
                yield from _places(node, here)


def _is_for_readers(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        # `zip(..., strict=True)` checks what its author knows.
        return node.arg == "strict"
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.JoinedStr)


def _is_type(owner: ast.AST, index: int) -> bool:
    """Tell whether a node is the type in a `cast`, or the name of a type variable."""
    return (
        isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id in ("cast", "TypeVar")
    ) and index == 0


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Each way to change this node alone."""
    if isinstance(node, ast.stmt):
        yield from _statement_changes(node)
    elif isinstance(node, ast.Constant):
        yield from _constant_changes(node.value)
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            operators = [*node.ops[:index], COMPARISONS[type(operator)](), *node.ops[index + 1 :]]
            yield ast.Compare(node.left, operators, node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for index in range(len(node.values)):
            rest = [*node.values[:index], *node.values[index + 1 :]]
            yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.comprehension):
        for index in range(len(node.ifs)):
            yield ast.comprehension(node.target, node.iter, [*node.ifs[:index], *node.ifs[index + 1 :]], node.is_async)
    elif isinstance(node, ast.Slice):
        if node.lower is not None:
            yield ast.Slice(None, node.upper, node.step)
        if node.upper is not None:
            yield ast.Slice(node.lower, None, node.step)
    elif isinstance(node, ast.keyword) and not isinstance(node.value, ast.Constant):
        # Constants are changed in their own way.
        yield ast.keyword(node.arg, ast.Constant(None))
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], node.ctx)


def _statement_changes(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.If):
        yield ast.If(ast.Constant(True), node.body, node.orelse)
        yield ast.If(ast.Constant(False), node.body, node.orelse)
    elif isinstance(node, ast.Return):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Continue):
        yield ast.Pass()
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Pass()
        yield ast.Continue()
    elif isinstance(node, (ast.Raise, ast.Expr, ast.AugAssign, ast.Delete)) or (
        # A variable that is never set is noticed at once; a field or an entry may not be.
        isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name)
    ):
        yield ast.Pass()


def _constant_changes(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value > 0:
            yield ast.Constant(value - 1)
    elif isinstance(value, str):
        if LIST_OF_WORDS.fullmatch(value):
            words = value.split()
            for index in range(len(words)):
                yield ast.Constant(" ".join([*words[:index], *words[index + 1 :]]))
        elif " " not in value:
            yield ast.Constant(value + "_")


def _described(place: Place, old: ast.AST, new: ast.AST, statement: ast.stmt | None) -> str:
    """The text before and after: of the whole statement if it is short, or of the expression around, or of the node."""
    if isinstance(old, ast.Constant) and isinstance(old.value, str) and LIST_OF_WORDS.fullmatch(old.value):
        return _described_words(old.value.split(), str(getattr(new, "value", "")).split())
    for around in (statement, place.owner):
        if around is not None and around is not old and len(before := _head(around)) <= LONGEST_SURROUNDINGS:
            place.put(new)
            after = _head(around)
            place.put(old)
            if after != before:
                return f"{before}  →  {after}"
    return f"{_head(old)}  →  {_head(new)}"


def _described_words(before: list[str], after: list[str]) -> str:
    """The word that is gone, with the first of its list."""
    gone = next(one for one, other in itertools.zip_longest(before, after) if one != other)
    return f"{before[0]} … without {gone}"


def _head(node: ast.AST) -> str:
    return (ast.unparse(node).splitlines() or [""])[0]
