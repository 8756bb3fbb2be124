"""The commands that start the service, without it: what they say, and what they say when it is not installed."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assent.cli import serve
from assent.cli.app import app
from assent.cli.failures import Exit
from tests.sdk.cli.command import ASSENT


@dataclass(frozen=True)
class Started:
    base_url: str = "http://127.0.0.1:8484"
    home: Path = Path("data")
    admin_key: str | None = "oc_live_admin"
    admin_key_file: Path = Path("data/admin.key")
    new_home: bool = True


@pytest.mark.parametrize(
    ("command", "extra"),
    [("serve", "service"), ("start", "server"), ("rebuild", "service"), ("simulate", "service")],
)
def test_without_the_service_its_extra_is_named(
    command: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "assent_service", None)
    monkeypatch.setitem(sys.modules, "assent_service.serve", None)
    monkeypatch.setitem(sys.modules, "assent_service.rebuild", None)
    monkeypatch.setitem(sys.modules, "assent_service.simulate", None)
    monkeypatch.setenv("ASSENT_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, [command])
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert re.search(rf"pip install 'assent\[{extra}[\],]", result.stderr)


def test_the_admin_key_is_said_only_when_it_has_just_been_made(tmp_path: Path) -> None:
    kept = tmp_path / "admin.key"
    kept.write_text("oc_live_admin")
    first, later = Started(admin_key_file=kept), Started(admin_key=None, admin_key_file=kept, new_home=False)
    assert "Admin key, shown this once: oc_live_admin" in serve.describe_lines(first)
    assert "oc_live_admin" not in "".join(serve.describe_lines(later)) + json.dumps(serve.describe(later))
    assert f"Admin key file: {kept}" in serve.describe_lines(later)


def test_a_folder_without_an_admin_key_says_where_it_is_not() -> None:
    """As a replica's, whose workspace another one made."""
    lines = serve.describe_lines(Started(admin_key=None, new_home=False))
    assert not any("admin.key" in line for line in lines)
    assert "it is not in this folder" in lines[-1]


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    """A data folder that a newer program wrote."""
    pytest.importorskip("assent_service.serve")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/version").write_text("99\n")
    return tmp_path / "home"


def test_a_refused_folder_has_an_exit_code_of_its_own(refused: Path) -> None:
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--home", str(refused)])
    assert (result.exit_code, result.stdout) == (8, "")
    assert "is of version 99" in result.stderr


def test_a_folder_in_use_may_be_free_at_the_next_start(tmp_path: Path) -> None:
    lock = pytest.importorskip("assent_service.store.lock").FolderLock.take(tmp_path)
    try:
        result = CliRunner().invoke(app, ["serve", "--port", "0", "--hold", "--home", str(tmp_path)])
    finally:
        lock.release()
    assert result.exit_code == Exit.REFUSED


@pytest.mark.parametrize(("wrong", "code"), [("folder", 8), ("setting", 2)])
def test_a_start_that_is_refused_for_good_is_held_where_it_would_be_tried_for_ever(
    refused: Path, wrong: str, code: int
) -> None:
    words = ["serve", "--port", "0", "--hold", "--home", str(refused if wrong == "folder" else refused.parent / "new")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment = kept | ({"ASSENT_LOG_LEVEL": "loud"} if wrong == "setting" else {})
    with subprocess.Popen([ASSENT, *words], env=environment, stderr=subprocess.PIPE, text=True) as held:
        assert held.stderr is not None
        assert held.stderr.readline().startswith("Error: ")
        assert held.stderr.readline() == "Nothing is served; this process waits to be stopped.\n"
        assert held.poll() is None
        held.terminate()
        assert held.stderr.read() == ""
        assert held.wait() == code


def test_a_folder_that_is_none_cannot_be_rebuilt(tmp_path: Path) -> None:
    pytest.importorskip("assent_service.rebuild")
    result = CliRunner().invoke(app, ["rebuild", "--home", str(tmp_path / "none")])
    assert result.exit_code == Exit.USAGE
    assert "there is no data folder" in result.stderr
