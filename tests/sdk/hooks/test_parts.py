"""The small parts: what a host says and hears, what is remembered, and what tools mean besides the recorded calls."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.problems import PROBLEM_TYPE
from assent.hooks import service
from assent.hooks.call import ASK, DENY, BadCall, HookAnswer, HookCall, after, before, read
from assent.hooks.journal import FORGET_AFTER, Journal
from assent.hooks.post_tool import outcome_of
from assent.hooks.settings import MEMBERS, BadSettings
from assent.hooks.settings import read as read_settings
from assent.hooks.tools import meaning
from assent.proof.act import parameters_digest

NAMES = st.text(st.characters(max_codepoint=0xD7FF), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def call(**more: Any) -> HookCall:
    return HookCall({"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s", **more})


def test_a_problem_is_known_by_the_contracts_type() -> None:
    assert service.PROBLEM_TYPE == PROBLEM_TYPE


@given(st.dictionaries(st.text("abcdefgh", max_size=8), JSON, max_size=5))
def test_the_digest_is_the_services_own(given_input: dict[str, Any]) -> None:
    assert call(tool_input=given_input).digest == parameters_digest(given_input)


def test_ids_follow_from_the_call_and_repetitions_share_theirs() -> None:
    assert call(tool_use_id="a").action_id == call(tool_use_id="a").action_id
    assert call(tool_use_id="a").action_id != call(tool_use_id="b").action_id
    assert call(tool_use_id="a", session_id="t").action_id != call(tool_use_id="a").action_id
    assert call(tool_use_id="a").same == call(tool_use_id="b").same
    for more in ({"cwd": "/x"}, {"session_id": "t"}, {"tool_name": "Read"}, {"tool_input": {"command": "pwd"}}):
        assert call().same != call(**more).same
    assert len(call(session_id="x" * 500).session) == 64


@given(JSON)
def test_whatever_a_host_says_is_a_call_or_bad(said: Any) -> None:
    text = json.dumps(said).encode()
    if isinstance(said, dict) and isinstance(said.get("tool_name"), str) and said["tool_name"]:
        return
    with pytest.raises(BadCall, match=r"."):
        read(text)


@given(st.sampled_from(["Bash", "Write", "apply_patch", "WebFetch", "Task", "mcp__a__run", "New"]), JSON)
def test_any_input_has_a_meaning(tool: str, value: Any) -> None:
    names = ("command", "cmd", "chars", "file_path", "path", "url", "input", "patch", "description", "pattern")
    for given_input in (dict.fromkeys(names, value), value if isinstance(value, dict) else {}):
        found = meaning(tool, given_input, "/p", "/h")
        assert 0 <= found.risk <= 100
        json.dumps(found.metadata)


def test_a_long_input_has_a_short_meaning() -> None:
    line = "; ".join(f"cat /a{number}/{'x' * 40} > /b{number}" for number in range(900))
    found = meaning("Bash", {"command": line}, "/p", "/h")
    assert len(found.goal) == 300
    assert len(json.dumps(found.metadata)) < 30_000
    long = "x" * 100_000
    for tool, given_input in ((f"mcp__{long}__{long}", {}), (long, {}), ("WebFetch", {"url": f"https://{long}"})):
        assert len(json.dumps(meaning(tool, given_input, "/p", "/h").metadata)) < 5_000


def test_addresses_lose_what_may_be_secret() -> None:
    found = meaning("WebFetch", {"url": "https://me:pw@example.com:8443?x=1#access_token=abc"}, "/p", "/h")
    assert found.systems == ["network", "example.com:8443"]
    assert "pw" not in found.goal + str(found.metadata)
    assert "abc" not in found.goal


def test_what_codex_is_told() -> None:
    assert before(HookAnswer("allow", "fine"), "codex") == ""
    assert json.loads(before(HookAnswer(ASK, "look"), "codex"))["hookSpecificOutput"]["permissionDecision"] == DENY
    assert json.loads(before(HookAnswer(ASK, "look"), "claude"))["hookSpecificOutput"]["permissionDecision"] == ASK
    assert before(HookAnswer(None), "claude") == ""
    assert json.loads(before(HookAnswer(None, note="é\ud800"), "claude")) == {"systemMessage": "é\ud800"}
    assert after("") == ""


def test_an_answer_fits_into_a_pipe() -> None:
    line = before(HookAnswer(DENY, "x" * 10**6, "y" * 10**6), "claude")
    assert len(line) < 65_536


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ("text", "completed"),
        (None, "completed"),
        ([1], "completed"),
        ({"stdout": "x", "interrupted": False}, "completed"),
        ({"interrupted": True}, "cancelled"),
        ({"is_error": True}, "failed"),
        ({"success": False}, "failed"),
        ({"error": "no"}, "failed"),
        ({"error": ""}, "completed"),
        ({"exit_code": 1}, "failed"),
        ({"exitCode": 0}, "completed"),
    ],
)
def test_outcomes(response: Any, status: str) -> None:
    assert outcome_of(response)["status"] == status


def test_nothing_that_a_tool_said_is_in_its_outcome() -> None:
    assert "hidden" not in str(outcome_of({"stdout": "hidden", "error": "hidden", "exit_code": 2, "duration_ms": 5}))


def test_the_journal_keeps_one_id_under_a_name(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "deep" / "state"))
    assert journal.find("waiting", "a") == ""
    assert journal.keep("waiting", "a", "act_1")
    assert journal.keep("waiting", "a", "act_2")
    assert (journal.find("waiting", "a"), journal.find("claimed", "a")) == ("act_2", "")
    assert [file.stat().st_mode & 0o777 for file in (tmp_path / "deep" / "state").iterdir()] == [0o600]
    assert (tmp_path / "deep" / "state").stat().st_mode & 0o777 == 0o700
    journal.forget("waiting", "a")
    journal.forget("waiting", "a")
    assert journal.find("waiting", "a") == ""


def test_a_journal_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    journal = Journal(str(tmp_path / "file"))
    assert not journal.keep("waiting", "a", "act_1")
    assert not Journal(str(tmp_path)).keep("waiting", "a", "é")
    journal.tidy()


def test_the_journal_forgets_what_is_old_and_nothing_else(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    for name in ("old", "new"):
        journal.keep("waiting", name, "act_1")
    (tmp_path / "notes.txt").touch()
    long_ago = time.time() - FORGET_AFTER - 10
    for name in ("waiting-old", "notes.txt"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    journal.tidy()
    assert {file.name for file in tmp_path.iterdir()} == {"waiting-new", "notes.txt"}


def test_two_who_keep_the_same_name_at_once_leave_one_whole_id(tmp_path: Path) -> None:
    def keep(number: int) -> None:
        for _ in range(50):
            Journal(str(tmp_path)).keep("waiting", f"a{number % 2}", f"act_{number}")

    keeping = [threading.Thread(target=keep, args=(number,)) for number in (0, 1)]
    for each in keeping:
        each.start()
    for each in keeping:
        each.join()
    assert (Journal(str(tmp_path)).find("waiting", "a0"), Journal(str(tmp_path)).find("waiting", "a1")) == (
        "act_0", "act_1"
    )  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 2


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "hook.json"
    file.write_text(json.dumps({"api_key": "a", "mode": "observe", "wait": 5, "unknown": 1}))
    found = read_settings(str(file), {"ASSENT_API_KEY": "b", "ASSENT_HOOK_WAIT": "7", "HOME": str(tmp_path)})
    assert (found.api_key, found.mode, found.wait) == ("b", "observe", 7.0)
    assert set(MEMBERS) == set(type(found).__slots__)


def test_bad_settings_say_in_which_mode_they_fail(tmp_path: Path) -> None:
    file = tmp_path / "hook.json"
    for mode in ("enforce", "observe"):
        file.write_text(json.dumps({"mode": mode, "wait": "soon"}))
        with pytest.raises(BadSettings) as raised:
            read_settings(str(file), {})
        assert raised.value.mode == mode
