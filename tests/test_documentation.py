"""The pages say what the code does: every example runs, every link leads somewhere, every error code has its section."""

import ast
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from email.message import Message
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from interleaf import InterleafError, place_context_blocks
from interleaf.budget import TokenCounter
from interleaf.errors import AdapterError

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md"])
REFERENCE_MODULES = (
    "interleaf",
    "interleaf.adapters",
    "interleaf.budget",
    "interleaf.lorebook",
    "interleaf.report",
    "interleaf.types",
)
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[\w+-]*)(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Fence:
    """One fenced block of a page."""

    language: str
    info: str
    body: str
    line: int

    @property
    def title(self) -> str:
        found = re.search(r'title="([^"]+)"', self.info)
        return found[1] if found else ""

    @property
    def shows_file(self) -> bool:
        return self.body.startswith("--8<-- ")

    @property
    def is_session(self) -> bool:
        return self.language in ("python", "pycon") and self.body.startswith(">>> ")


def fences(page: Path) -> list[Fence]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.MULTILINE)
        found.append(Fence(match["language"], match["info"], body, text.count("\n", 0, match.start()) + 1))
    return found


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# What the examples of a page take for granted: the reader's own names and files.
CHAT = [{"role": "system", "content": "You are {{char}}."}, {"role": "user", "content": "Where is the gate?"}]
LAYOUT = {"character": (0, 1), "conversation": {"message_indices": [1]}}
FOG = {"id": "fog", "position": "at_depth", "depth": 1, "role": "system", "content": "Fog."}


def before_lorebooks(_: pytest.MonkeyPatch) -> dict[str, Any]:
    book = {"entries": {"7": {"uid": 7, "key": ["gate"], "content": "{{char}} guards it.", "depth": "2"}}}
    Path("eldoria.json").write_text(json.dumps(book))
    return {"messages": CHAT, "layout": LAYOUT, "my_retrieval": lambda keys: "gate" in keys}


def before_integrations(_: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"messages": CHAT, "blocks": [FOG], "layout": LAYOUT}


def before_budgets(patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The files of real tokenizers would be fetched; tests of their own read them where they are. Words stand in here."""

    def words(kind: type[TokenCounter], _name: str, /, **options: Any) -> TokenCounter:
        return kind(lambda text: len(text.split()), **options)

    patch.setattr(TokenCounter, "tiktoken", classmethod(words))
    patch.setattr(TokenCounter, "huggingface", classmethod(words))
    last, now = place_context_blocks(CHAT, [], LAYOUT), place_context_blocks(CHAT, [FOG], LAYOUT)
    return {"messages": CHAT, "last_result": last, "result": now}


GIVEN = {
    "docs/lorebooks.md": before_lorebooks,
    "docs/integrations.md": before_integrations,
    "docs/budgets.md": before_budgets,
    "docs/how-to/budget.md": before_budgets,
}

# Pages about another library need it. Where it is not installed they are skipped, unless all are meant to be there.
NEEDED = {"docs/migrate/langchain.md": "langchain_core", "docs/integrations.md": "langchain_core"}


class Runner(doctest.DocTestRunner):
    """Runs the sessions of a page and collects what differs."""

    def run_session(self, fence: Fence, namespace: dict[str, Any], name: str) -> None:
        parser = doctest.DocTestParser()
        session = parser.get_doctest(fence.body, namespace, name, name, fence.line)
        session.globs = namespace  # get_doctest copies; the next block goes on where this one ends
        told: list[str] = []
        self.run(session, out=told.append, clear_globs=False)
        assert not told, "".join(told)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_example_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = name_of(page)
    if name in NEEDED and find_spec(NEEDED[name]) is None:
        assert os.environ.get("INTERLEAF_REQUIRE_INTEGRATIONS") != "1", f"{NEEDED[name]} is not installed"
        pytest.skip(f"{NEEDED[name]} is not installed (requirements/integrations.txt)")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    namespace.update(GIVEN[name](monkeypatch) if name in GIVEN else {})
    printed = ""
    for fence in fences(page):
        if fence.title == "prints":
            assert printed == fence.body, f"{name}:{fence.line}: the example before it prints\n{printed}"
        elif fence.title and fence.language in ("json", "text"):
            Path(fence.title).write_text(fence.body, encoding="utf-8")
        elif fence.is_session:
            Runner(optionflags=doctest.ELLIPSIS).run_session(fence, namespace, name)
        elif fence.language == "python" and not fence.shows_file:
            output = io.StringIO()
            # Padded, so that a traceback shows the line of the page.
            code = compile("\n" * fence.line + fence.body, str(page), "exec")
            with redirect_stdout(output):
                exec(code, namespace)  # noqa: S102 - the examples are ours
            printed = output.getvalue()
        elif fence.language == "console":
            run_commands(fence, f"{name}:{fence.line}")


def run_commands(fence: Fence, where: str) -> None:
    """Runs the lines that call the command, and compares what they print with what stands below them."""
    for command, expected in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", fence.body, re.MULTILINE):
        words = shlex.split(command)
        if words[:3] == ["python", "-m", "interleaf"]:
            words = words[3:]
        elif words[:1] == ["interleaf"]:
            words = words[1:]
        else:
            continue
        target = None
        if ">" in words:
            words, target = words[: words.index(">")], words[words.index(">") + 1]
        run = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "interleaf", *words],
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1"},
            check=False,
        )
        if target is not None:
            assert run.returncode == 0, f"{where}: {run.stderr}"
            Path(target).write_text(run.stdout, encoding="utf-8")
            continue
        shown = re.sub(r" +$", "", run.stdout + run.stderr, flags=re.MULTILINE)
        same = doctest.OutputChecker().check_output(expected, shown, doctest.ELLIPSIS)
        assert same, f"{where}: {command} prints\n{shown}"


def test_files_that_a_page_shows_are_run_by_a_test_of_their_own() -> None:
    tests = "".join(test.read_text(encoding="utf-8") for test in (ROOT / "tests/adapters").glob("*.py"))
    shown = re.findall(r'--8<-- "([^"]+)"', (DOCS / "how-to/hooks.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*.py"))
    for file in shown:
        assert f'example("{Path(file).stem}")' in tests, f"no test calls {file}"


def test_every_example_has_a_language() -> None:
    for page in PAGES:
        for fence in fences(page):
            assert fence.language, f"{name_of(page)}:{fence.line}: name its language, so that it is run if it is Python"


# Links


def slug(heading: str) -> str:
    """The id that the pages give to a heading without one of its own."""
    plain = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]|\]\([^)]*\)", "", heading)).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = set(re.findall(r"\{ ?#([\w.-]+)", text)) | set(re.findall(r"^::: ([\w.]+)", text, re.MULTILINE))
    for heading in re.findall(r"^#+ +(.+?)(?: *\{[^}]*\})?$", text, re.MULTILINE):
        found.add(slug(heading))
    return found


def links(page: Path) -> Iterator[str]:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)}: {link}: there is no such file"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)}: {link}: there is no such section"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w./-]+\.md)$", navigation, re.MULTILINE)
    pages = [page.relative_to(DOCS).as_posix() for page in PAGES if DOCS in page.parents]
    assert sorted(listed) == sorted(pages)


def test_each_migration_page_is_one_click_from_the_front_page() -> None:
    front = set(links(DOCS / "index.md"))
    assert {f"migrate/{page.name}" for page in (DOCS / "migrate").glob("*.md")} <= front


def test_both_tutorials_have_the_same_examples() -> None:
    def examples(page: str) -> list[tuple[str, str]]:
        return [(fence.language, fence.body) for fence in fences(DOCS / page)]

    assert examples("tutorial.md") == examples("tutorial.zh.md")
    assert len(examples("tutorial.md")) > 5


# Errors

ERRORS = DOCS / "errors.md"
SECTION = re.compile(r"^### (\w+) \{#(\w+)\}\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)


def codes_in_sources() -> set[str]:
    """Every code that some line of the library can raise."""
    rust = (ROOT / "rust/core/src/error.rs").read_text(encoding="utf-8")
    codes = set(re.findall(r'^    [A-Z]\w+ = "(\w+)",$', rust, re.MULTILINE))
    errors = {"InterleafError", *(kind.__name__ for kind in subclasses(InterleafError))}
    for source in (ROOT / "python/interleaf").rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors:
                given = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "code")]
                constants = (
                    part for argument in given for part in ast.walk(argument) if isinstance(part, ast.Constant)
                )
                codes |= {constant.value for constant in constants if isinstance(constant.value, str)}
    for kind in subclasses(InterleafError):
        # Some are raised from the native side by name; the class says which.
        told = re.search(r"code: (`\w+`(?:(?:, | or |\s+)`\w+`)*)", kind.__doc__ or "")
        codes |= set(re.findall(r"`(\w+)`", told[1] if told else ""))
    return codes


def subclasses(kind: type[InterleafError]) -> Iterator[type[InterleafError]]:
    for module in REFERENCE_MODULES:
        import_module(module)
    for below in kind.__subclasses__():
        # Those of the command line are told by it alone, and other tests may have loaded it.
        if below.__module__.startswith("interleaf.") and not below.__module__.startswith("interleaf.cli"):
            yield below
            yield from subclasses(below)


def test_every_code_has_a_section_and_every_section_a_code() -> None:
    sections = SECTION.findall(ERRORS.read_text(encoding="utf-8"))
    assert all(title == anchor for title, anchor, _ in sections)
    assert {code for code, _, _ in sections} == codes_in_sources()
    assert len({code for code, _, _ in sections}) == len(sections)


def test_each_section_shows_an_error_of_its_code() -> None:
    text = ERRORS.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {}
    parser = doctest.DocTestParser()
    start = text.index("```pycon")
    shown: set[str] = set()
    code = ""
    for match in re.finditer(r"^### (\w+)|^```pycon\n(.*?)^```$", text[start:], re.DOTALL | re.MULTILINE):
        if match[1]:
            code = match[1]
            continue
        for example in parser.get_examples(match[2]):
            error = raised(example.source, namespace)
            if error is not None:
                assert error.code == code
                assert error.help_url.endswith(f"#{code}")
                shown.add(code)
    assert shown == codes_in_sources()


def raised(source: str, namespace: dict[str, Any]) -> InterleafError | None:
    try:
        exec(compile(source, "errors.md", "single"), namespace)  # noqa: S102 - the examples are ours
    except InterleafError as error:
        return error
    return None


def test_the_table_of_classes_has_every_code() -> None:
    text = ERRORS.read_text(encoding="utf-8")
    table = text[text.index("## By class") : text.index("The examples below")]
    assert set(re.findall(r"\(#(\w+)\)", table)) == codes_in_sources()


def test_an_error_knows_its_section() -> None:
    assert AdapterError("x", "invalid_adapter").help_url.endswith("#invalid_adapter")
    assert "#" not in InterleafError("x").help_url


def test_an_error_knows_its_address_if_the_package_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    named = Message()
    named["Project-URL"] = "Source, https://example.org/source"
    named["Project-URL"] = "Documentation, https://example.org/pages/"
    monkeypatch.setattr("importlib.metadata.metadata", lambda _name: named)
    assert InterleafError("x", "invalid_option").help_url == "https://example.org/pages/errors.html#invalid_option"


# Reference


def test_the_reference_has_every_public_name() -> None:
    named = {
        name
        for page in (DOCS / "reference").glob("*.md")
        for name in re.findall(r"^::: ([\w.]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    public = {
        f"{module}.{name}"
        for module in REFERENCE_MODULES
        for name in import_module(module).__all__
        if not name.startswith("__")
    }
    assert named == public
