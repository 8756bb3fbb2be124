"""A caller's program is clean under mypy and pyright at their strictest, from a folder of its own, without settings of
ours; and what it gets wrong is told in words that name it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import ROOT
from tests.tiers import deep

pytestmark = deep("type checkers read the whole package: ten seconds each")

PROGRAM = '''
"""What an agent's developer writes."""

import asyncio

import httpx

from assent import Action, AsyncClient, Client, GuardBlockedError, governed
from assent.contract.control.guard import GuardResult


@governed("send_email", reversible=False)
def send(to: str, *, urgent: bool = False) -> int:
    return len(to) + urgent


def blocking() -> list[Action]:
    with Client(agent_id="bot", http_client=httpx.Client(), trust_env=False) as client:
        hasty = client.with_options(timeout=1.5, retries=0, agent_id="other", session="run")
        with hasty.session() as session:
            try:
                verdict: GuardResult = hasty.guard({"action_type": "x"}, risk_score=5)
            except GuardBlockedError as blocked:
                print(blocked.decision.reasons)
                raise
            later = session.bind(client.guard)
            print(verdict.risk_score + 1, later({"action_type": "y"}).decision, session.parent_session_id)
        last = client.last_response
        print(last.status if last is not None else None, send("a", urgent=True))
        with client.track("deploy", "Release") as tracked:
            tracked.update_outcome("completed", duration_ms=3)
        return [action for action in client.iterate_actions(status="running", days=7)]


async def awaiting() -> int:
    async with AsyncClient() as client, client.session("s"):
        total = 0
        async for decision in client.iterate_guard_decisions("block", limit=100):
            total += len(decision.matched_policies)
        return total + (await client.get_actions(limit=1)).total


if __name__ == "__main__":
    print(blocking(), asyncio.run(awaiting()))
'''
WRONG = """
from assent import Client

client = Client()
client.with_options(tiemout=3)
client.create_action("x", declared_goal=5)
for action in client.iterate_actions(stauts="running"):
    print(action.nothing)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


def checked(folder: Path, *command: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=400
    )
    return done.returncode, done.stdout + done.stderr


def test_mypy_finds_nothing_in_a_callers_program(folder: Path) -> None:
    code, said = checked(folder, "mypy", "--strict", "--config-file=", "program.py")
    assert (code, said.splitlines()[-1]) == (0, "Success: no issues found in 1 source file")
    code, said = checked(folder, "mypy", "--strict", "--config-file=", "wrong.py")
    assert code == 1
    for words in ('"tiemout"', "declared_goal", '"stauts"', '"nothing"'):
        assert words in said


def test_nor_does_pyright(folder: Path) -> None:
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "venvPath": str(ROOT), "venv": ".venv"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    code, said = checked(folder, "basedpyright", "program.py")
    assert (code, said.splitlines()[-1]) == (0, "0 errors, 0 warnings, 0 notes")
    code, said = checked(folder, "basedpyright", "wrong.py")
    assert code == 1
    for words in ('"tiemout"', '"declared_goal"', '"stauts"', '"nothing"'):
        assert words in said
