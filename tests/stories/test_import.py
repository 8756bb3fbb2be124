"""Real transcripts imported through the command line; what is expected is counted from the file alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live import ROOT, WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

FILE = ROOT.parent / "shared" / "data" / "transcripts" / "airline.jsonl"
BLOCKED = {"cancel_reservation"}
ASKED = {"book_reservation", "send_certificate"}
LIVE = 60
# The first calls of the file cancel nothing, so for the replay a tool that they do call is blocked as well.
BLOCKED_LIVE = {*BLOCKED, "list_all_airports"}

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="the airline transcripts are not beside the repository"),
    deep("whole transcripts"),
]


@dataclass(frozen=True)
class Call:
    """A tool call as the file has it; `failed` is None where no answer follows."""

    episode: str
    name: str
    failed: bool | None


def calls() -> Iterator[Call]:
    """Every call of the file, read without any of the product's code. In it one answer follows each message of one
    call, which is asserted, so that matching by ids is not needed."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        messages = episode["messages"]
        for at, message in enumerate(messages):
            for call in message.get("tool_calls") or []:
                assert len(message["tool_calls"]) == 1
                following = messages[at + 1] if at + 1 < len(messages) else {"role": "none"}
                answered = following["role"] == "tool"
                failed = following["content"].startswith("Error") if answered else None
                yield Call(f"{episode['task_id']}/{episode['trial']}", call["function"]["name"], failed)


def verdict(call: Call, blocked: set[str] = BLOCKED) -> str:
    return "block" if call.name in blocked else "require_approval" if call.name in ASKED else "allow"


def counted(found: Counter[str]) -> dict[str, int]:
    return {name: found[name] for name in ("allow", "warn", "require_approval", "block")}


@pytest.fixture
def airline(tenant: Tenant) -> Tenant:
    tenant.policy("No cancellations", "block_action_type", {"action_types": sorted(BLOCKED)})
    tenant.policy("Ask before booking", "require_approval", {"action_types": sorted(ASKED)})
    return tenant


def command(tenant: Tenant, *arguments: str, key: str = "admin") -> subprocess.Popen[str]:
    """`assent ARGUMENTS`, as somebody with this key would call it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys[key]}
    assent = str(Path(sys.executable).with_name("assent"))
    return subprocess.Popen(
        [assent, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def output(process: subprocess.Popen[str]) -> dict[str, Any]:
    printed, complaints = process.communicate(timeout=2 * WAIT)
    assert process.returncode == 0, complaints
    found: dict[str, Any] = json.loads(printed)
    return found


def imported(tenant: Tenant) -> dict[str, Any]:
    return output(command(tenant, "import", "transcripts", str(FILE), "--json"))


def total(tenant: Tenant, **filters: str) -> int:
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    return int(tenant.call("GET", f"/api/actions?limit=1&{query}")["total"])


def test_history_is_recorded_as_it_happened_and_once(airline: Tenant) -> None:
    every = list(calls())
    assert len(every) == 572
    expected = counted(Counter(map(verdict, every)))
    summary = imported(airline)
    assert summary["verdicts"] == expected
    assert summary["calls"] == summary["new"] == len(every)
    decisions = airline.call("GET", "/api/guard?source=import&limit=1")
    assert Counter(decisions["by_decision"]) == Counter({name: n for name, n in expected.items() if n})
    for decision, number in expected.items():
        assert total(airline, decision=decision, source="import") == number
    # It happened, whatever guard says of it now: nothing waits and nothing counts as blocked.
    assert total(airline, status="pending_approval") == total(airline, status="blocked") == 0
    failed = Counter(call.failed for call in every)
    assert total(airline, status="failed") == failed[True] == summary["failed_calls"]
    assert total(airline, status="completed") == failed[False]
    assert total(airline, status="running") == failed[None] == summary["unanswered"]
    for name, number in Counter(call.name for call in every).items():
        assert total(airline, action_type=name) == number
    assert airline.call("GET", "/api/assumptions?limit=1")["total"] == len(every)
    one = airline.call("GET", "/api/actions?action_type=cancel_reservation&limit=1")["actions"][0]
    assert (one["decision"], one["source"], one["runtime"]) == ("block", "import", "evidence_import")
    assert one["metadata"]["reward"] in (0.0, 1.0)

    before = airline.recorded()
    again = imported(airline)
    assert (again["new"], again["completed"], again["already_there"]) == (0, 0, len(every))
    assert again["verdicts"] == expected
    assert airline.recorded() == before


def test_the_first_calls_replayed_live_wait_for_an_operator(airline: Tenant) -> None:
    first = list(calls())[:LIVE]
    expected = counted(Counter(verdict(call, BLOCKED_LIVE) for call in first))
    airline.policy("No lists", "block_action_type", {"action_types": ["list_all_airports"]})
    assert expected["require_approval"] > 1
    assert expected["block"] > 0
    replay = command(airline, "import", "transcripts", str(FILE), "--live", str(LIVE), "--json", key="agent")
    decided = [decide(airline, turn) for turn in range(expected["require_approval"])]
    summary = output(replay)
    assert summary["calls"] == LIVE
    assert summary["verdicts"] == expected
    denied = Counter(decided)["deny"]
    ended = Counter({"blocked": expected["block"], "denied": denied})
    asked = iter(decided)
    for call in first:
        said = verdict(call, BLOCKED_LIVE)
        if said == "allow" or (said == "require_approval" and next(asked) == "approve"):
            ended["failed" if call.failed else "completed" if call.failed is False else "unanswered"] += 1
    assert Counter({name: n for name, n in summary["endings"].items() if n}) == ended
    assert total(airline, status="blocked") == expected["block"]
    assert total(airline, status="cancelled") == denied
    assert total(airline, status="pending_approval") == 0


def decide(airline: Tenant, turn: int) -> str:
    """Wait for the next action that asks, and approve or deny it from another terminal."""
    deadline = time.monotonic() + WAIT
    while not (waiting := airline.call("GET", "/api/actions?status=pending_approval", key="operator")["actions"]):
        assert time.monotonic() < deadline, "nothing asks for approval"
        time.sleep(0.02)
    (action,) = waiting
    said = "deny" if turn % 2 else "approve"
    answer = output(command(airline, said, action["action_id"], "--reason", f"turn {turn}", "--json", key="operator"))
    assert answer["approval"]["reasoning"] == f"turn {turn}"
    return said
