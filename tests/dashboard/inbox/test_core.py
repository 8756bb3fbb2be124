"""The inbox's core by itself, which knows no page: `node --test`, with a storm of events.

Where node is not installed the same flows are looked at in a browser (`tests/dashboard/browser/test_inbox_flow.py`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assent.cli.inbox.triage import REPEATED
from assent.deciding import HIGH_RISK
from assent_dashboard.inbox.routes import FRONTEND
from tests.tiers import deep

ALERTS = Path(__file__).with_name("alerts.test.mjs")
SCRIPT = Path(__file__).with_name("core.test.mjs")
COMPOSE = Path(__file__).with_name("compose.test.mjs")
VIEWS = Path(__file__).with_name("views.test.mjs")
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="no node on this machine: the browser flows look at the same")
@pytest.mark.parametrize(
    ("events", "seed"), [(2000, 1), pytest.param(20000, 2, marks=deep("the same, ten times as long"))]
)
def test_the_core_keeps_its_rules(events: int, seed: int) -> None:
    environment = {**os.environ, "ASSENT_EVENTS": str(events), "ASSENT_SEED": str(seed)}
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test", str(SCRIPT)], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.skipif(NODE is None, reason="no node on this machine: the browser flow looks at the same")
def test_what_tells_somebody_who_looks_elsewhere() -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(ALERTS)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.skipif(NODE is None, reason="no node on this machine: the browser flow looks at the same")
def test_views_that_somebody_has_named() -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(VIEWS)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.skipif(NODE is None, reason="no node on this machine: the browser flow looks at the same")
def test_the_form_of_a_standing_grant() -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(COMPOSE)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.parametrize(("name", "value"), [("TWICE_MS", round(1000 * REPEATED)), ("HIGH_RISK", round(HIGH_RISK))])
def test_page_and_terminal_go_by_the_same_numbers(name: str, value: int) -> None:
    """They stand twice, since one is read by a browser and the other by Python."""
    found = re.findall(rf"^(?:export )?const {name} = (\d+);", (FRONTEND / "core.js").read_text("utf-8"), re.M)
    assert found == [str(value)]
