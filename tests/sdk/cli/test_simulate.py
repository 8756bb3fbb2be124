"""`assent simulate` as somebody types it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assent.cli.app import app
from assent.cli.failures import Exit


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["simulate", *arguments])


def test_a_new_folder_is_filled_and_said_to_be_simulated(tmp_path: Path) -> None:
    home = tmp_path / "home"
    result = run("--home", str(home), "--actions", "50", "--agents", "2", "--days", "3")
    assert result.exit_code == Exit.OK, result.stderr
    assert f"Simulated 50 actions of 2 agents over 3 days into {home}" in result.stdout
    assert "every action says that it is simulated" in result.stdout
    assert f"Admin key file: {home / 'admin.key'}" in result.stdout
    assert (home / "admin.key").is_file()


def test_json_is_one_document_without_the_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    result = run("--home", str(home), "--actions", "50", "--json", "--seed", "3")
    found = json.loads(result.stdout)
    assert (found["actions"], found["agents"], found["days"], found["seed"]) == (50, 6, 30, 3)
    assert (found["home"], found["source"]) == (str(home), "simulated")
    assert found["waiting"] >= 6
    assert (home / "admin.key").read_text(encoding="ascii").strip() not in result.stdout


def test_a_second_time_is_refused(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert run("--home", home, "--actions", "20").exit_code == Exit.OK
    result = run("--home", home, "--actions", "20")
    assert (result.exit_code, result.stdout) == (Exit.REFUSED, "")
    assert "never mixed" in result.stderr


@pytest.mark.parametrize(
    "option",
    [
        ("--actions", "0"),
        ("--actions", "-5"),
        ("--actions", "10000001"),
        ("--actions", "many"),
        ("--agents", "0"),
        ("--agents", "1001"),
        ("--days", "0"),
        ("--days", "3651"),
        ("--seed", "-1"),
    ],
)
def test_numbers_that_cannot_be_are_refused(option: tuple[str, str], tmp_path: Path) -> None:
    result = run("--home", str(tmp_path / "home"), *option)
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert option[0] in result.stderr
    assert not (tmp_path / "home").exists()


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder", encoding="utf-8")
    result = run("--home", str(tmp_path / "home"), "--actions", "20")
    assert result.exit_code == Exit.USAGE
    assert "home" in result.stderr


def test_without_the_service_its_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "assent_service", None)
    monkeypatch.setitem(sys.modules, "assent_service.simulate", None)
    result = run("--home", str(tmp_path / "home"))
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "pip install 'assent[service,analytics]'" in result.stderr
