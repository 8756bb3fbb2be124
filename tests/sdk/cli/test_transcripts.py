"""`assent import transcripts`: summaries, repeats, bad lines, live replays."""

import json
from pathlib import Path
from typing import Any

import pytest

from assent.cli.failures import Exit
from tests.sdk.cli.desk import Desk
from tests.sdk.data.test_history import CALLS, EPISODES, verdict

IMPORT = ("import", "transcripts")


@pytest.fixture
def desk() -> Desk:
    return Desk(verdict)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my chats.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in EPISODES), encoding="utf-8")
    return path


def summary(result: Any) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_a_first_and_a_second_import(desk: Desk, file: Path) -> None:
    first = summary(desk.run(*IMPORT, str(file), "--json"))
    assert first | {"dataset": "my-chats", "calls": CALLS, "new": CALLS, "already_there": 0} == first
    assert first["verdicts"] == {"allow": 1, "warn": 1, "require_approval": 2, "block": 1}
    before = json.dumps(desk.records(), default=str)
    second = summary(desk.run(*IMPORT, str(file), "--json", "--window", "7d"))
    assert second | {"calls": CALLS, "new": 0, "completed": 0, "already_there": CALLS} == second
    assert json.dumps(desk.records(), default=str) == before


def test_people_read_the_same_in_lines(desk: Desk, file: Path) -> None:
    lines = desk.run(*IMPORT, str(file), "--agent-id", "seller").stdout.splitlines()
    assert "5 calls in 3 episodes, as my-chats" in lines
    assert "verdicts: allow 1, warn 1, require_approval 2, block 1" in lines
    assert "5 new, 0 completed from an earlier run, 0 already there" in lines
    assert "1 reported an error, 1 without an answer" in lines
    assert {action["agent_id"] for action in desk.actions.values()} == {"seller"}


def test_two_data_sets_stay_apart(desk: Desk, file: Path) -> None:
    desk.run(*IMPORT, str(file))
    summary(desk.run(*IMPORT, str(file), "--dataset", "other", "--json"))
    assert len(desk.actions) == 2 * CALLS
    assert len({action["session_id"] for action in desk.actions.values()}) == 6


def test_a_bad_line_stops_before_anything_is_sent(desk: Desk, file: Path) -> None:
    with file.open("a") as lines:
        lines.write("{oops\n")
    refused = desk.run(*IMPORT, str(file))
    assert (refused.exit_code, refused.stdout, desk.actions) == (Exit.USAGE, "", {})
    assert "line 5" in refused.stderr
    assert "--skip-bad" in refused.stderr
    taken = summary(desk.run(*IMPORT, str(file), "--skip-bad", "--json"))
    assert taken["calls"] == CALLS
    assert [bad["line"] for bad in taken["bad_lines"]] == [5]
    assert "left out: line 5:" in desk.run(*IMPORT, str(file), "--skip-bad").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "soon"], "the window 'soon' is none"),
        (["--dataset", "a/b"], "the data set's name is 'a/b'"),
        (["--map", "/no/such.yaml"], "/no/such.yaml cannot be read"),
        (["--live", "0"], "greater than or equal to 1"),
        (["--jobs", "0"], "greater than or equal to 1"),
    ],
)
def test_options_that_cannot_be_used(desk: Desk, file: Path, options: list[str], message: str) -> None:
    result = desk.run(*IMPORT, str(file), *options)
    assert (result.exit_code, desk.requests) == (Exit.USAGE, [])
    assert message in result.stderr


def test_a_file_that_is_none(desk: Desk, tmp_path: Path) -> None:
    result = desk.run(*IMPORT, str(tmp_path))
    assert result.exit_code == Exit.USAGE
    assert "is no file" in result.stderr


def test_a_mapping_gives_types_and_unused_entries_are_named(desk: Desk, file: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "tools.yaml"
    mapping.write_text("look: {action_type: read, risk: 5}\nnever: {risk: 1}\n")
    result = desk.run(*IMPORT, str(file), "--map", str(mapping), "--json")
    assert summary(result)["verdicts"]["allow"] == 2  # `look` is `read` now, which no policy minds
    assert "never" in result.stderr
    assert "read" in {action["action_type"] for action in desk.actions.values()}


def test_an_import_that_is_cut_short_says_how_to_go_on(desk: Desk, file: Path) -> None:
    desk.crash_at, desk.crash = 6, KeyboardInterrupt
    result = desk.run(*IMPORT, str(file))
    assert (result.exit_code, result.stdout) == (Exit.INTERRUPTED, "")
    assert "the same command again goes on" in result.stderr
    desk.crash_at = None
    assert summary(desk.run(*IMPORT, str(file), "--json"))["calls"] == CALLS


def test_live_replays_the_first_calls_and_says_what_it_waits_for(desk: Desk, file: Path) -> None:
    desk.on_wait = lambda action_id: desk.settle(action_id, "allow", "ann")
    result = desk.run(*IMPORT, str(file), "--live", "4", "--json")
    assert summary(result) == {
        "calls": 4,
        "verdicts": {"allow": 1, "warn": 1, "require_approval": 1, "block": 1},
        "endings": {"completed": 2, "failed": 0, "unanswered": 1, "blocked": 1, "denied": 0, "undecided": 0},
    }
    assert "1/0#1.1  cancel: blocked (policy says block)" in result.stderr
    assert "2/0#0.0  book: waits for approval of act_" in result.stderr
    assert {action["source"] for action in desk.actions.values()} == {"live"}
