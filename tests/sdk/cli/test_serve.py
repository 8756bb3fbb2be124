"""The commands that start the service, without it: what they say, and what they say when it is not installed."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assent.cli import serve
from assent.cli.app import app
from assent.cli.failures import Exit


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


def test_the_admin_key_is_said_only_when_it_has_just_been_made() -> None:
    first, later = Started(), Started(admin_key=None, new_home=False)
    assert "Admin key, shown this once: oc_live_admin" in serve.describe_lines(first)
    assert "oc_live_admin" not in "".join(serve.describe_lines(later)) + json.dumps(serve.describe(later))
    assert "Admin key file: data/admin.key" in serve.describe_lines(later)


def test_a_folder_that_is_none_cannot_be_rebuilt(tmp_path: Path) -> None:
    pytest.importorskip("assent_service.rebuild")
    result = CliRunner().invoke(app, ["rebuild", "--home", str(tmp_path / "none")])
    assert result.exit_code == Exit.USAGE
    assert "there is no data folder" in result.stderr
