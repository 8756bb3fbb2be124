"""Calls of Claude Code and Codex, as they say them, against what was worked out by hand, and a real service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assent.hooks.call import HookCall, before, read
from assent.hooks.journal import Journal
from assent.hooks.pre_tool import decide
from assent.hooks.service import Service
from assent.hooks.settings import Settings
from assent.hooks.tools import meaning
from tests.live import LiveService
from tests.sdk.hooks.conftest import Governed
from tests.tiers import deep
from tests.vectors.hooks.__main__ import FILE, text
from tests.vectors.hooks.kinds import ALLOW, ASK, BLOCK, HOME

CALLS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
A_YEAR = 3e7


def test_the_recorded_calls_are_those_of_the_groups() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run `python -m tests.vectors.hooks`"
    assert len(CALLS) >= 500
    assert {call["expected"]["verdict"] for call in CALLS} == {ALLOW, ASK, BLOCK}
    assert {call["host"] for call in CALLS} == {"claude", "codex"}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["said"]["tool_use_id"])
def test_what_a_call_means(call: dict[str, Any]) -> None:
    said, expected = HookCall(call["said"]), call["expected"]
    found = meaning(said.tool, said.input, said.folder, HOME)
    assert found.action_type == expected["action_type"]
    assert found.reversible is expected["reversible"]
    assert found.metadata.get("sensitive", []) == expected["sensitive"]
    assert expected["risk"][0] <= found.risk <= expected["risk"][1]
    if "intents" in expected:
        assert found.metadata["intents"] == expected["intents"]
    assert found.goal
    assert len(found.goal) <= 300
    assert "\n" not in found.goal


@pytest.mark.parametrize(
    "calls",
    [CALLS[::5], pytest.param(CALLS, marks=deep("every fifth is in the quick tier"))],
    ids=["every fifth", "all"],
)
def test_verdicts_of_all_calls(
    calls: list[dict[str, Any]], service: LiveService, agent_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = Service(service.base_url, agent_key, A_YEAR)
    settings, journal = Settings(), Journal(str(tmp_path))
    settings.agent_id = "claude-code"
    wrong = []
    for call in calls:
        answer = decide(read(json.dumps(call["said"]).encode()), settings, asking, journal, HOME)
        found = ALLOW if answer.verdict is None else ASK if "has to approve" in answer.reason else BLOCK
        if found != call["expected"]["verdict"]:
            wrong.append((call["said"]["tool_input"], answer.verdict, answer.reason))
        line = before(answer, call["host"])
        assert ('"deny"' in line) is (answer.verdict == "deny")
    assert not wrong


@deep("processes; what each call means is tried in process")
def test_a_sample_through_whole_processes(governed: Governed) -> None:
    for host in ("claude", "codex"):
        assistant = governed(host)
        assistant.session = "sample"
        chosen = [call for call in CALLS if call["host"] == host][::31]
        assert len(chosen) > 5
        for call in chosen:
            said = call["said"] | {"session_id": f"sample-{host}"}
            ran = assistant.run("pre-tool", json.dumps(said), HOME=HOME)
            assert ran.code == 0, ran
            assert ran.runs is (call["expected"]["verdict"] == ALLOW), (call, ran)
