from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


@pytest.mark.skipif(os.name != "posix", reason="the examples are for a POSIX shell")
def test_every_example_of_the_page_runs(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    text = PAGE.read_text(encoding="utf-8")
    script = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    commands = re.findall(r"^interleaf (\w+)", script, re.MULTILINE)
    assert set(commands) == {"demo", "place", "plan", "capabilities", "lorebook", "explain", "report"}
    quoted = f'"{sys.executable}" -m interleaf '
    done = subprocess.run(  # noqa: S602 - our own page
        "set -e\n" + re.sub(r"^interleaf ", lambda _: quoted, script, flags=re.MULTILINE),
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_the_page_has_every_command_and_exit_code(run: Any) -> None:
    from interleaf.cli import exit_codes

    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^    ([a-z]+)(?: {2,}\w|$)", run("--help").stdout.decode(), re.MULTILINE)
    assert listed == ["demo", "place", "plan", "capabilities", "explain", "report", "lorebook"]
    for name in listed:
        assert re.search(rf"^\| `{name}[ `]", text, re.MULTILINE), name
    for code in (exit_codes.OK, exit_codes.REFUSED, exit_codes.BROKEN_INPUT, exit_codes.INTERRUPTED):
        assert f"\n| {code} | " in text
