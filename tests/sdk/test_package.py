"""What is distributed: what the source archive takes along, what `pip show` says, and that a plain `pip install assent`
is whole: processes here find the packages that it would bring, and no other."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest

import assent
from assent.cli.failures import Exit
from tests.tiers import deep
from tests.vectors.sealing import FOLDER

TOP = Path(__file__).parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
VERSION_OF_PYTHON = re.compile(r"Programming Language :: Python :: (3\.\d+)")
OURS = ("sdk/assent", "service/assent_service", "analytics/assent_analytics", "dashboard/assent_dashboard")


def name_of(requirement: str) -> str:
    (name,) = re.findall(r"^[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", str(name)).lower()


@cache
def plain() -> frozenset[str]:
    """The distributions that come with `pip install assent`."""
    found: set[str] = set()
    waiting = [name_of(each) for each in PYPROJECT["project"]["dependencies"]]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # for another platform
        found.add(name)
        waiting += [name_of(each) for each in needs if "extra ==" not in each]
    return frozenset(found)


@cache
def others() -> str:
    """Modules of this environment that belong to none of them; our own packages are in the wheel."""
    own = {place.rpartition("/")[2] for place in OURS}
    return ",".join(
        module
        for module, owners in packages_distributions().items()
        if module not in own and not {name_of(owner) for owner in owners} & plain()
    )


ALONE = """
import sys

class Without:
    def __init__(self, finder, absent):
        self.finder, self.absent = finder, absent

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in self.absent else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder, frozenset(sys.argv[1].split(","))) for finder in sys.meta_path]
for name in frozenset(sys.argv[1].split(",")) & sys.modules.keys():
    del sys.modules[name]
sys.argv = ["assent", *sys.argv[2:]]
from assent.cli import main
main()
"""


def alone(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`assent`, where nothing but a plain installation is there."""
    return subprocess.run(
        [sys.executable, "-c", ALONE, others(), *words],
        env={"HOME": str(folder), "ASSENT_BASE_URL": "http://127.0.0.1:9", "ASSENT_API_KEY": "oc_x", "COLUMNS": "200"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@deep("builds and installs")
def test_a_plain_installation_brings_no_server() -> None:
    assert {"httpx", "msgspec", "cryptography", "typer"} <= plain()
    assert not {"litestar", "uvicorn", "duckdb", "polars", "streamlit", "textual", "mcp"} & plain()
    assert {"litestar", "uvicorn", "duckdb", "polars", "streamlit", "textual", "mcp"} <= set(others().split(","))


@deep("builds and installs")
def test_a_plain_installation_is_small() -> None:
    """Bytecode is left out: whether it is made is for the installer to say."""
    brought = [distribution(name).locate_file(file) for name in plain() for file in distribution(name).files or ()]
    own = [file for package in OURS for file in (TOP / package).rglob("*")]
    files = {Path(str(file)) for file in [*brought, *own]}
    size = sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    assert 20_000_000 < size < 60_000_000


@deep("builds and installs")
def test_the_extra_of_a_server_is_what_its_commands_need() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert extras["server"] == ["assent[service,analytics,dashboard,cli]"]
    heavy = {"vl-convert-python", "ipykernel", "textual", "mcp", "opentelemetry-sdk"}
    asked = {name_of(each) for extra in ("service", "analytics", "dashboard") for each in extras[extra]}
    assert not heavy & asked
    assert heavy <= {name_of(each) for extra in extras.values() for each in extra}


@deep("builds and installs")
def test_a_plain_installation_has_its_command(tmp_path: Path) -> None:
    for words in (["--help"], ["hooks", "--help"], ["keys", "--help"]):
        ran = alone(tmp_path, *words)
        assert (ran.returncode, ran.stderr) == (Exit.OK, ""), words
    assert alone(tmp_path, "--version").stdout == f"{assent.__version__}\n"
    verified = alone(tmp_path, "verify", str(FOLDER / "action_after_rotation.json"), "--key", str(FOLDER / "jwks.json"))
    assert (verified.returncode, verified.stderr) == (
        Exit.OK, "Verified: action act_1, signed by a key of the given set.\n"
    )  # fmt: skip
    checkup = alone(tmp_path, "doctor")
    assert checkup.returncode == Exit.REFUSED, "no service answers there"
    assert "Traceback" not in checkup.stderr
    for extra in ("analytics", "cli", "dashboard", "mcp", "service"):
        assert f"pip install 'assent[{extra}]'" in checkup.stdout


@deep("builds and installs")
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["serve"], "service"),
        (["start"], "server"),
        (["rebuild"], "service"),
        (["dashboard"], "dashboard"),
        (["scan", "notes.txt"], "analytics"),
        (["simulate", "--home", "new"], "service,analytics"),
        (["mcp"], "mcp"),
    ],
)
def test_a_missing_extra_is_named_with_its_command(tmp_path: Path, words: list[str], extra: str) -> None:
    (tmp_path / "notes.txt").write_text("x")
    ran = alone(tmp_path, *words)
    assert ran.returncode == Exit.USAGE, ran
    # Its own Python: in another one the name is another project's.
    assert re.search(rf"needs the extra {extra!r}; run: \S+python\S* -m pip install 'assent\[{extra}\]'\n$", ran.stderr)


def test_it_runs_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "assent", "--version"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{assent.__version__}\n", "")


def archived() -> list[str]:
    """The files of the repository that the source archive takes along: each pattern begins at its top."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    patterns: list[str] = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [pattern for pattern in patterns if not pattern.startswith("/")] == [], "it would match at any depth"
    fitting = [pattern[1:] for pattern in patterns]
    return [
        file
        for file in listed
        if any(fnmatch.fnmatchcase(file, each) or file.startswith(f"{each}/") for each in fitting)
    ]


@deep("builds and installs")
def test_the_source_archive_holds_what_it_is_built_from_and_no_tests() -> None:
    files = archived()
    assert [file for file in files if file.startswith(("tests/", "notebooks/", "docs/pictures/", "."))] == []
    named = {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "DESIGN.md",
        "docs/reference/api.md",
        "docs/schemas/svc.proof.v1.json",
    }
    assert named <= set(files)
    for package in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        modules = {str(file.relative_to(TOP)) for file in (TOP / package).rglob("*.py")}
        assert modules <= set(files), package


@deep("builds and installs")
def test_the_wheel_is_the_packages_and_nothing_else() -> None:
    assert tuple(PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == OURS


def test_what_pip_shows() -> None:
    project = PYPROJECT["project"]
    assert "Typing :: Typed" in project["classifiers"]
    versions = [found[1] for each in project["classifiers"] if (found := VERSION_OF_PYTHON.fullmatch(each))]
    assert versions == ["3.11", "3.12", "3.13", "3.14"], "those that the tests of sdk have run on"
    assert project["requires-python"] == f">={versions[0]}"
    page = (TOP / "docs" / "how-to" / "install.md").read_text()
    assert f"Python {versions[0]} or newer" in page
    assert any(each.startswith("Development Status") for each in project["classifiers"])
    assert project["urls"]
    # There is no public address of the project, and none is made up.
    assert all(address.startswith("http://127.0.0.1:") for address in project["urls"].values())
