"""What has to be in the archives, and what must not."""

from __future__ import annotations

import email.parser
import json
import re
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

SDIST_FILES = (
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "Cargo.lock",
    "Cargo.toml",
    "Makefile",
    "PKG-INFO",
    "pyproject.toml",
    "requirements/test.txt",
    "rust/core/src/lib.rs",
    "rust/py/src/lib.rs",
    "python/interleaf/py.typed",
    "tests/conftest.py",
    "tests/data/conformance_cases.json",
    "release/build_dist.py",
)
SDIST_FOLDERS = ("benches", "docs", "fuzz", "tests/hostile")
# What a clone may hold beside the sources.
NEVER_IN_SDIST = (".venv", "target", "dist", ".git", "__pycache__", ".hypothesis")
WHEEL_FILES = (
    "interleaf/__init__.py",
    "interleaf/py.typed",
    "interleaf/_interleaf.pyi",
    "interleaf/reference/__init__.py",
)
METADATA = (
    "Name",
    "Version",
    "Summary",
    "Requires-Python",
    "License-Expression",
    "License-File",
    "Classifier",
    "Keywords",
)


class IncompleteArchiveError(Exception):
    """An archive lacks something, or holds what it should not."""


def _refuse_if(faults: list[str], archive: Path) -> None:
    if faults:
        raise IncompleteArchiveError(f"{archive.name}: {'; '.join(faults)}")


def workspace_version(root: Path) -> str:
    """The version in the workspace's Cargo.toml, the only place where it is written.

    A regular expression, because tomllib came with Python 3.11.
    """
    written = re.search(
        r'^\[workspace\.package\]\n(?:[^\[].*\n)*?version = "([^"]+)"', (root / "Cargo.toml").read_text(), re.MULTILINE
    )
    if written is None:
        raise IncompleteArchiveError("Cargo.toml: no version under [workspace.package]")
    return written[1]


def check_sdist(archive: Path, root: Path) -> None:
    """Tests, benches, licences and all that a build needs, and nothing that was built."""
    with tarfile.open(archive) as packed:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in packed.getnames()}
    faults = [f"no {name}" for name in SDIST_FILES if name not in names]
    in_tree = [folder for folder in SDIST_FOLDERS if (root / folder).is_dir()]
    faults += [
        f"nothing of {folder}/" for folder in in_tree if not any(name.startswith(f"{folder}/") for name in names)
    ]
    faults += [f"holds {name}" for name in sorted(names) if set(PurePosixPath(name).parts) & set(NEVER_IN_SDIST)]
    _refuse_if(faults, archive)


def check_wheel(archive: Path, version: str) -> None:
    """Types, metadata, licence, bill of materials, and a module without symbols or debugging sections."""
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        faults = [f"no {name}" for name in WHEEL_FILES if name not in names]
        faults += [
            f"holds {name}" for name in names if not name.startswith(("interleaf/", f"interleaf-{version}.dist-info/"))
        ]
        information = f"interleaf-{version}.dist-info"
        metadata = email.parser.Parser().parsestr(packed.read(f"{information}/METADATA").decode())
        faults += [f"no {field} in the metadata" for field in METADATA if field not in metadata]
        if metadata["Version"] != version:
            faults.append(f"version {metadata['Version']}, the sources say {version}")
        if needed := [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]:
            faults.append(f"needs {needed} at run time")
        if not any(name.startswith(f"{information}/licenses/") and name.endswith("LICENSE") for name in names):
            faults.append("no licence")
        bills = [name for name in names if name.startswith(f"{information}/sboms/")]
        if not bills:
            faults.append("no bill of materials")
        for bill in bills:
            parts = {component["name"] for component in json.loads(packed.read(bill)).get("components", [])}
            if bill.endswith("interleaf.cyclonedx.json") and not {"pyo3", "memchr", "smallvec"} <= parts:
                faults.append(f"{bill} names {sorted(parts)} only")
        modules = [name for name in names if name.endswith((".so", ".pyd"))]
        if len(modules) != 1:
            faults.append(f"{len(modules)} native modules")
        for module in modules:
            # Section names as ELF spells them; in the other formats symbols are never inside the module.
            faults += [
                f"{module} has {section.decode()}"
                for section in (b".symtab\0", b".debug_info\0")
                if section in packed.read(module)
            ]
    _refuse_if(faults, archive)
