"""Somebody new: from an installed package to the first call that is blocked, in at most six lines of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.docs.page import code
from tests.live import ROOT, WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

MOST = 6


def the_script() -> str:
    """The decorated function of the page about functions."""
    script, _ = code(ROOT / "docs/how-to/govern-a-function.md", "python")
    return script


def test_six_lines_are_enough_to_be_blocked(tenant: Tenant, tmp_path: Path) -> None:
    tenant.policy("Nobody wipes", "block_action_type", {"action_types": ["wipe"]})
    script = tmp_path / "first.py"
    script.write_text(the_script(), encoding="utf-8")
    assert len([line for line in the_script().splitlines() if line.strip()]) <= MOST
    env = {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys["agent"]}
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=WAIT
    )
    assert done.returncode == 1
    assert done.stdout == "", "what was blocked ran"
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("assent.errors.GuardBlockedError: guard blocked wipe: Nobody wipes")
    (action,) = tenant.call("GET", "/api/actions")["actions"]
    assert action["action_id"] in last
    assert (action["status"], action["declared_goal"]) == ("blocked", "wipe(table='customers')")


@deep("one story of each kind is in the quick tier")
def test_without_that_policy_the_same_lines_run(tenant: Tenant, tmp_path: Path) -> None:
    env = {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys["agent"]}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", the_script()],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=WAIT, check=True,
    )  # fmt: skip
    assert done.stdout == "customers is gone\n"
    (action,) = tenant.call("GET", "/api/actions")["actions"]
    assert action["status"] == "completed"
