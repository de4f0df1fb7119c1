"""The examples in docstrings and in the README run, and show what they say."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "interleaf"
README = ROOT / "README.md"


def _module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sorted(_module_name(path) for path in PACKAGE.rglob("*.py") if path.name != "__main__.py")
README_BLOCKS = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_doctests_of(name: str) -> None:
    runner = doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    try:
        for test in doctest.DocTestFinder().find(importlib.import_module(name)):
            runner.run(test)
    except ModuleNotFoundError as error:
        _skip_if_extra(error)
    except doctest.UnexpectedException as unexpected:
        _skip_if_extra(unexpected.exc_info[1])
    except doctest.DocTestFailure as failure:
        pytest.fail(f"{failure.test.name}: {failure.example.source}expected {failure.example.want}got {failure.got}")


def _skip_if_extra(error: BaseException) -> None:
    """What an example needs of other libraries may be absent; anything else may not."""
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("interleaf"):
        pytest.skip(f"needs a library that is not installed: {error.name}")
    raise error


def test_the_functions_of_the_reference_have_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ("placing.place_context_blocks", "assembling.assemble_context_plan"):
        module, function = name.split(".")
        found = finder.find(getattr(importlib.import_module(f"interleaf.reference.{module}"), function))
        assert any(test.examples for test in found)


@pytest.mark.parametrize("number", range(len(README_BLOCKS)))
def test_python_of_the_readme(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    source = README_BLOCKS[number]
    namespace: dict[str, object] = {"__name__": "__readme__"}
    if ">>>" in source:
        test = doctest.DocTestParser().get_doctest(source, namespace, f"README.md, block {number}", str(README), None)
        assert doctest.DocTestRunner().run(test).failed == 0
        return
    exec(compile(source, f"README.md, block {number}", "exec"), namespace)  # noqa: S102  # our own README
    printed = capsys.readouterr().out
    assert ("print(" not in source) or printed


def test_the_readme_has_examples() -> None:
    assert README_BLOCKS
