"""The commands that start the service, without it: what they say, and what they say when it is not installed."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assent.cli import sample, serving
from assent.cli.app import app
from assent.cli.exits import Exit
from assent.cli.output import Output
from tests.sdk.cli.desk import Desk


@dataclass(frozen=True)
class Started:
    base_url: str = "http://127.0.0.1:8484"
    home: Path = Path("data")
    admin_key: str | None = "oc_live_admin"
    admin_key_file: Path = Path("data/admin.key")
    new_home: bool = True


@pytest.mark.parametrize("command", ["serve", "start", "rebuild"])
def test_without_the_service_its_extra_is_named(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "assent_service", None)
    monkeypatch.setitem(sys.modules, "assent_service.serve", None)
    monkeypatch.setitem(sys.modules, "assent_service.rebuild", None)
    result = CliRunner().invoke(app, [command])
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "pip install 'assent[service]'" in result.stderr


def test_the_admin_key_is_said_only_when_it_has_just_been_made() -> None:
    first, later = Started(), Started(admin_key=None, new_home=False)
    assert "Admin key, shown this once: oc_live_admin" in serving.describe_lines(first)
    assert "oc_live_admin" not in "".join(serving.describe_lines(later)) + json.dumps(serving.describe(later))
    assert "Admin key file: data/admin.key" in serving.describe_lines(later)


def test_a_new_workspace_is_furnished_and_gives_a_first_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk()
    desk.decide = lambda kind: {"deploy": "require_approval", "delete_customers": "block"}.get(kind, "allow")
    monkeypatch.setattr(serving, "make_client", desk.client)
    serving.welcome(Started(), Output(json=True))
    said = json.loads(capsys.readouterr().out)
    assert said["agent_key"] == "oc_live_secretbeef"
    assert said["first_call"] == (
        "curl -sS http://127.0.0.1:8484/api/actions -H 'x-api-key: oc_live_secretbeef' "
        """-H 'content-type: application/json' -d '{"action_type":"deploy","""
        """"declared_goal":"Release 1.4.0 of the shop to staging"}'"""
    )
    statuses = [action["status"] for action in desk.actions.values()]
    assert statuses == ["completed", "failed", "pending_approval", "blocked"]
    assert len(desk.policies) == 2
    assert desk.keys["key_0"]["agent_id"] == sample.AGENT


def test_a_workspace_that_is_there_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    serving.welcome(Started(admin_key=None, new_home=False), Output(json=False))
    assert "Agent key" not in capsys.readouterr().out


def test_a_folder_that_is_none_cannot_be_rebuilt(tmp_path: Path) -> None:
    pytest.importorskip("assent_service.rebuild")
    result = CliRunner().invoke(app, ["rebuild", "--home", str(tmp_path / "none")])
    assert result.exit_code == Exit.USAGE
    assert "there is no data folder" in result.stderr
