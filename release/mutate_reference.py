"""Changes the reference implementation, one place at a time, and asks whether the tests notice.

    python release/mutate_reference.py [--sample N] [--seed S] [FILE ...]

Works on a copy of the package in a temporary folder. A mutant survives if all of the tests below pass with it; survivors are printed
with their place. The tests hold the reference against the native implementation and both against the written cases, so a survivor is
either a case that no test draws, or a change that changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "python" / "interleaf" / "reference"
TESTS = (
    "tests/test_conformance.py",
    "tests/test_errors.py",
    "tests/test_inputs.py",
    "tests/test_callbacks.py",
    "tests/test_differential_placement.py",
    "tests/test_differential_assembly.py",
    "tests/test_placement_properties.py",
    "tests/budget",
    "tests/scan",
)
SECONDS = 240
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


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Each way to change this node alone."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in COMPARISONS:
                other = copy.deepcopy(node)
                other.ops[index] = COMPARISONS[type(operator)]()
                yield other
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif (
        isinstance(node, ast.Return)
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        and node.value is not None
    ):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.Continue, ast.Break)):
        yield ast.Pass()


class Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """The new node for the old one."""
        return ast.copy_location(self.new, self.old) if node is self.old else self.generic_visit(node)


@dataclass(frozen=True)
class Mutant:
    """One change: the node at `place` in the order of a walk, changed in its `way`-th way."""

    path: Path
    place: int
    way: int

    def made(self) -> tuple[int, str, str]:
        """Line, description and source."""
        tree = ast.parse(self.path.read_text())
        node = next(itertools.islice(ast.walk(tree), self.place, None))
        new = next(itertools.islice(changed(node), self.way, None))
        before = ast.unparse(node).splitlines()[0]
        after = ast.unparse(ast.fix_missing_locations(ast.copy_location(new, node))).splitlines()[0]
        made = ast.fix_missing_locations(Replace(node, new).visit(tree))
        return getattr(node, "lineno", 0), f"{before}  →  {after}", ast.unparse(made)


def mutants(path: Path) -> Iterator[Mutant]:
    """All of a file; annotations are left alone, for nothing reads them."""
    tree = ast.parse(path.read_text())
    annotations = [
        node.annotation for node in ast.walk(tree) if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation
    ]
    annotations += [node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns]
    skipped = {id(part) for annotation in annotations for part in ast.walk(annotation)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) not in skipped:
            for way, _ in enumerate(changed(node)):
                yield Mutant(path, place, way)


def survives(folder: Path) -> bool:
    """Whether every test passes."""
    environment = os.environ | {"PYTHONPATH": str(folder / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    try:
        return not subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    """0 if no mutant survives."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", nargs="*", type=Path, help="default: all of the reference")
    arguments.add_argument("--sample", type=int, help="only that many mutants, drawn at random")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    files = given.files or sorted(REFERENCE.glob("*.py"))
    found = [mutant for path in files for mutant in mutants(path.resolve())]
    chosen = random.Random(given.seed).sample(found, given.sample) if given.sample else found  # noqa: S311
    print(f"{len(found)} mutants, {len(chosen)} of them run", flush=True)
    alive = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("python", "tests", "docs"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        if not survives(folder):
            sys.exit("the tests fail without any mutant")
        for number, mutant in enumerate(chosen, 1):
            line, what, source = mutant.made()
            target = folder / "python" / "interleaf" / "reference" / mutant.path.name
            kept = target.read_text()
            target.write_text(source)
            if survives(folder):
                alive += 1
                print(f"SURVIVED {mutant.path.name}:{line}: {what}", flush=True)
            target.write_text(kept)
            if number % 20 == 0:
                print(f"{number} run, {alive} survived", flush=True)
    print(f"{len(chosen)} run, {alive} survived")
    return min(alive, 1)


if __name__ == "__main__":
    sys.exit(main())
