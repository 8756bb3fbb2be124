"""`assent log verify`: a table or one JSON document, and an exit code that says whether all is right."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent.cli.failures import Exit
from tests.live import LiveService
from tests.service.control.actions.world import opened
from tests.service.store.logbook import Book, submission
from tests.tiers import deep

pytest.importorskip("assent_service.store.audit")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Book(tmp_path / "home", segment_bytes=1) as book:
        for i in range(4):
            book.write(submission(f"a{i}", f"b{i}"))
    return tmp_path / "home"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["log", "verify", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    "more",
    [
        [],
        *(
            pytest.param(each, marks=deep("one is in the quick tier"))
            for each in [["--processes", "1"], ["--processes", "2"]]
        ),
    ],
)
def test_a_sound_folder(home: Path, more: list[str]) -> None:
    code, out, _ = run("--home", str(home), *more)
    assert code == Exit.OK
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["check", "status", "detail"]
    assert [line[:2] for line in lines[1:]] == [[name, "pass"] for name in ("log", "last_write", "trees", "heads")]


def test_as_json(home: Path) -> None:
    code, out, _ = run("--home", str(home), "--json")
    found = json.loads(out)
    assert code == Exit.OK
    assert (found["ok"], found["events"], found["organizations"], found["home"]) == (True, 8, 1, str(home))
    assert [check["name"] for check in found["checks"]] == ["log", "last_write", "trees", "heads"]


def test_the_folder_may_come_from_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_HOME", str(home))
    assert run()[0] == Exit.OK


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_damage_is_exit_code_1_and_named(home: Path, json_too: list[str]) -> None:
    path = sorted((home / "log").glob("*.log"))[1]
    path.write_bytes(path.read_bytes().replace(b'"b1"', b'"bX"'))
    code, out, _ = run("--home", str(home), *json_too)
    assert code == Exit.REFUSED
    assert f"{path}, line 2, byte" in out


def test_a_kept_head_that_is_none(home: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("hello\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    code, out, _ = run("--home", str(home), "--head", str(tmp_path / "kept"), "--json")
    assert code == Exit.REFUSED
    assert [(check["name"], check["status"]) for check in json.loads(out)["checks"]][-1] == (
        f"head {tmp_path / 'kept'}", "fail",
    )  # fmt: skip
    for missing in ("none", "binary"):
        code, out, err = run("--home", str(home), "--head", str(tmp_path / missing))
        assert (code, out) == (Exit.USAGE, "")
        assert f"{tmp_path / missing} cannot be read" in err


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    code, out, err = run("--home", str(tmp_path / "none"))
    assert (code, out) == (Exit.USAGE, "")
    assert "there is no data folder" in err


def test_without_the_service_its_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "assent_service.store.audit", None)
    code, _, err = run("--home", str(tmp_path))
    assert code == Exit.USAGE
    assert "pip install 'assent[service" in err


def test_a_folder_that_a_running_service_owns(live_service: LiveService) -> None:
    for _ in range(3):
        live_service.call("POST", "/api/guard", {"action_type": "deploy", "agent_id": "a"})
    code, out, _ = run("--home", str(live_service.home), "--json")
    assert code == Exit.OK, out
    assert json.loads(out)["events"] > 3
    live_service.stop()
    code, out, _ = run("--home", str(live_service.home), "--json")
    assert code == Exit.OK, out


@pytest.fixture
async def lived_in(tmp_path: Path) -> Path:
    """A data folder as a service leaves it."""
    async with opened(tmp_path / "lived") as world:
        await world.act(declared_goal="one")
        await world.act(declared_goal="two")
        await world.service.ledger.caught_up()
    return tmp_path / "lived"


def test_the_tables_are_compared_when_asked_for(lived_in: Path) -> None:
    code, out, _ = run("--home", str(lived_in), "--tables")
    assert code == Exit.OK, out
    assert out.splitlines()[-1].startswith("tables\tpass\tEvery row of every table")
    assert not list(lived_in.glob("*compare*")), "what it was compared with is gone"


FURTHER_CHANGES = (
    ("UPDATE policies SET active = NOT active WHERE rowid = 0", "policies: 1 rows"),
    ("UPDATE api_keys SET role = 'agent'", "api_keys: 1 rows"),
    ("UPDATE events SET actor = 'key_x' WHERE n = 1", "events: 1 rows"),
    ("UPDATE applied SET seq = seq - 1", "events: 1 rows that the log does not give"),
    ("UPDATE applied SET seq = seq + 1", "part of the log is gone, or it is another's"),
    ("DROP TABLE actions", "they cannot be read"),
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE actions SET risk_score = 1 WHERE declared_goal = 'two'", "actions: 1 rows that the log does not give"),
        ("DELETE FROM guard_decisions", "guard_decisions: 0 rows that the log does not give, 2 that it gives"),
        *(pytest.param(*each, marks=deep("two changes are in the quick tier")) for each in FURTHER_CHANGES),
    ],
)
def test_a_table_that_was_changed_is_named(lived_in: Path, change: str, said: str) -> None:
    with duckdb.connect(str(lived_in / "tables.duckdb")) as connection:
        connection.execute(change)
    code, out, _ = run("--home", str(lived_in), "--tables", "--json")
    assert code == Exit.REFUSED
    (found,) = [check for check in json.loads(out)["checks"] if check["name"] == "tables"]
    assert found["status"] == "fail"
    assert said in found["detail"]


@pytest.fixture
async def behind(lived_in: Path) -> Path:
    """A data folder whose tables are those of two actions, and its log has two more: where a crash may leave it."""
    before = (lived_in / "tables.duckdb").read_bytes()
    async with opened(lived_in) as world:
        await world.act(declared_goal="three")
        await world.act(declared_goal="four")
    (lived_in / "tables.duckdb").write_bytes(before)
    return lived_in


def test_tables_that_are_behind_are_right_as_far_as_they_go(behind: Path) -> None:
    code, out, _ = run("--home", str(behind), "--tables", "--json")
    assert code == Exit.OK, out
    audit = json.loads(out)
    (found,) = [check for check in audit["checks"] if check["name"] == "tables"]
    assert (found["status"], audit["ok"]) == ("warn", True)
    missing = int(found["detail"].partition("behind the log by ")[2].partition(" events")[0])
    compared = int(found["detail"].partition("folding the ")[2].partition(" events")[0])
    assert missing >= 4, "two decisions and two actions at least"
    assert compared + missing == audit["events"]
    assert "start the service once, and it applies them" in found["detail"]


@deep("each is told in process by the functions that look")
def test_tables_that_are_behind_and_changed_are_named(behind: Path) -> None:
    with duckdb.connect(str(behind / "tables.duckdb")) as connection:
        connection.execute("UPDATE actions SET risk_score = 1 WHERE declared_goal = 'two'")
    code, out, _ = run("--home", str(behind), "--tables")
    assert code == Exit.REFUSED
    assert "actions: 1 rows that the log does not give" in out


@deep("processes as people start them; what they print is tried in process")
def test_right_after_a_kill_the_tables_are_not_said_to_be_wrong(live_service: LiveService) -> None:
    for _ in range(40):
        live_service.call("POST", "/api/guard", {"action_type": "deploy", "agent_id": "a"})
    live_service.kill()
    code, out, _ = run("--home", str(live_service.home), "--tables")
    assert code == Exit.OK, out
    assert "Every row of every table is what folding" in out


@deep("each is told in process by the functions that look")
def test_tables_of_a_running_service_cannot_be_compared(live_service: LiveService) -> None:
    code, _, err = run("--home", str(live_service.home), "--tables")
    assert code == Exit.REFUSED
    assert str(live_service.home) in err
