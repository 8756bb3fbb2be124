"""The pytest plugin, in a run of pytest of its own, as an agent's developer has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.tiers import deep

TESTS = """
import asyncio
import pytest
from assent import AsyncClient, Client, GuardBlockedError, governed

class Bank:
    sent = []
    def pay(self, to):
        self.sent.append(to)

bank = Bank()

@governed("pay")
def pay(to):
    bank.pay(to)

def test_an_approved_payment_runs(assent):
    assent.policies({"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}})
    assent.approve_next()
    assent.never_without_verdict(bank, "pay")
    pay("a")
    assert Bank.sent == ["a"]
    assent.assert_governed("pay")

def test_another_test_has_a_service_of_its_own(assent):
    assert assent.actions == []
    assent.policies({"name": "No", "policy_type": "block_action_type", "rules": {"action_types": ["pay"]}})
    with pytest.raises(GuardBlockedError):
        pay("b")
    assert Bank.sent == ["a"]
    assert Client().agent_id == "agent"

def test_awaiting(assent):
    async def ask():
        async with AsyncClient() as client:
            return (await client.guard({"action_type": "x"})).decision
    assert asyncio.run(ask()) == "allow"

def test_a_swallowed_call_fails_the_test(assent):
    assent.never_without_verdict(bank, "pay")
    try:
        bank.pay("c")
    except AssertionError:
        pass

def test_without_it_nothing_is_set():
    import os, sys
    assert "ASSENT_BASE_URL" not in os.environ
"""


@deep("a run of pytest of its own")
def test_the_fixture_leads_the_code_under_test_to_its_service(tmp_path: Path) -> None:
    (tmp_path / "test_agent.py").write_text(TESTS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "PYTEST_"))}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "test_agent.py",
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1].startswith("5 passed, 1 error"), done.stdout
    assert "called without a verdict: pay" in done.stdout
