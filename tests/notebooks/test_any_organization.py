"""Notebooks run on any organization: an empty one, one of ten rows, one of a shape of its own, imported transcripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.live import ROOT, LiveService, start_service
from tests.notebooks.test_notebooks import TRANSCRIPTS, needs_transcripts, outputs, pictures, said, text
from tests.tiers import deep

pytestmark = deep("the same notebook on simulated data is tested with the others")
NAME = "08_what_changed_last_week"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    home = tmp_path_factory.mktemp("any") / "home"
    with start_service(home) as started:
        yield started


def organization(service: LiveService, slug: str) -> str:
    """The admin key of a new one."""
    status, made = service.call("POST", "/api/orgs", {"name": slug, "slug": slug})
    assert status == 201, made
    return str(made["api_key"])


def executed(service: LiveService, key: str, out: Path, name: str = NAME, transcripts: str = "") -> tuple[str, int]:
    """What it prints, and how many pictures of something it draws."""
    # In a process of its own: what Jupyter leaves open is closed with it.
    program = "import sys; from pathlib import Path; from tests.notebooks.run import run, sources; "
    program += "run(sources(sys.argv[1:2])[0], Path(sys.argv[2]))"
    reach = {
        **os.environ,
        "ASSENT_BASE_URL": service.base_url,
        "ASSENT_API_KEY": key,
        "ASSENT_TRANSCRIPTS": transcripts,
    }
    command = [sys.executable, "-c", program, name, str(out)]
    process = subprocess.run(command, cwd=ROOT, env=reach, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr[-4000:]
    cells = json.loads((out / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not [text(output) for output in outputs(cells) if output.get("name") == "stderr"]
    return said(cells), len([each for each in pictures(cells) if "nothing in this window" not in each])


SHAPES = ("empty", "ten", "desk")


@pytest.fixture(scope="module")
def shapes(service: LiveService) -> dict[str, str]:
    """The admin keys of an empty organization, of one with ten live rows, and of a help desk: four agents without
    sessions, 240 tickets in one day, every fifth without a risk, and of the others those above risk 60 fail."""
    keys = {name: organization(service, f"any-{name}") for name in SHAPES}
    for number in range(10):
        paying = {"action_type": "pay", "agent_id": "bot", "declared_goal": "Pay", "risk_score": 10 * number}
        status, made = service.call("POST", "/api/actions", paying, key=keys["ten"])
        if status == 201:
            ended = {"status": "failed" if number == 3 else "completed"}
            assert service.call("PATCH", f"/api/actions/{made['action_id']}", ended, key=keys["ten"])[0] == 200
    for number in range(240):
        risk = None if number % 5 == 0 else number * 7 % 101
        ask: dict[str, object] = {
            "action_type": ("answer", "refund", "close")[number % 3],
            "agent_id": f"desk-{number % 4}",
            "declared_goal": f"Ticket {number}",
            "status": "running",
        }
        if risk is not None:
            ask["risk_score"] = risk
        status, made = service.call("POST", "/api/actions", ask, key=keys["desk"])
        if status == 201:
            outcome = {"status": "failed" if (risk or 0) > 60 else "completed", "duration_ms": 100 + number}
            assert service.call("PATCH", f"/api/actions/{made['action_id']}", outcome, key=keys["desk"])[0] == 200
    return keys


SAYS = {
    "01_governance_loop": {},
    "02_approvals_and_interruptions": {
        "empty": "what asking costs and buys cannot be known from this",
        "ten": "whether the answer depends on who is asked cannot be known",
        "desk": "whether the answer depends on who is asked cannot be known",
    },
    "03_drift_found_and_dated": {"empty": "No agent has finished anything, so no stream can have changed."},
    "04_verify_offline": dict.fromkeys(SHAPES, "Yes: "),
    "05_tuning_a_risk_template": {
        "empty": "Nothing can be said of a template from this.",
        "ten": "Nothing can be said of a template from this.",
    },
    "06_learning_curves": {
        "empty": "whether anybody learns cannot be known from this",
        "ten": "there is nothing to compare",
    },
    "09_is_my_policy_worth_it": dict.fromkeys(("empty", "desk"), "nothing can be said of what asking is worth"),
    "10_can_i_trust_this_threshold": {
        "empty": "It cannot be known: too few actions with a risk have failed",
        "ten": "It cannot be known: too few actions with a risk have failed",
        "desk": "what ended went together in 4 clusters (agent and hour)",
    },
}
"""What each says of each shape."""


# Notebook 3 draws twenty workspaces of its own each time; nothing in it reads what ten rows have and none have not.
@pytest.mark.parametrize(
    ("name", "shape"), [(name, shape) for name in SAYS for shape in SHAPES if (name[:2], shape) != ("03", "ten")]
)
def test_it_runs_and_says_what_cannot_be_known(
    name: str, shape: str, service: LiveService, shapes: dict[str, str], tmp_path: Path
) -> None:
    words, _ = executed(service, shapes[shape], tmp_path, name)
    assert SAYS[name].get(shape, "") in words, words


def test_nothing_is_said_of_nothing(service: LiveService, tmp_path: Path) -> None:
    words, drawn = executed(service, organization(service, "empty"), tmp_path)
    assert "0 rows of source none" in words
    assert words.count("cannot be compared: the two windows have no ") == 8
    assert "- Anything: there are no rows in these two weeks." in words
    assert drawn == 0


def test_ten_rows_are_too_few_and_it_says_so(service: LiveService, tmp_path: Path) -> None:
    key = organization(service, "ten")
    for number in range(10):
        at = datetime.now(UTC) - timedelta(days=1 + number)
        action = {"action_type": "pay", "agent_id": "bot", "source": "import", "occurred_at": at.isoformat()}
        status, made = service.call("POST", "/api/actions", {**action, "session_id": f"s{number}"}, key=key)
        assert status == 201, made
        ended = {"status": "failed" if number == 3 else "completed"}
        assert service.call("PATCH", f"/api/actions/{made['action_id']}", ended, key=key)[0] == 200
    words, _ = executed(service, key, tmp_path)
    assert "10 rows of source import" in words
    assert "there is too little to say which group it was" in words
    assert "actions that ended in the smaller week (few_clusters)." in words
    assert "Drivers this week: 0. Before: no earlier week is whole." in words


@needs_transcripts
def test_imported_transcripts_are_compared_with_each_other(service: LiveService, tmp_path: Path) -> None:
    key = organization(service, "airline")
    reach = {**os.environ, "ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": key}
    command = [str(Path(sys.executable).with_name("assent")), "import", "transcripts", str(TRANSCRIPTS)]
    subprocess.run(command, check=True, env=reach, capture_output=True)
    words, drawn = executed(service, key, tmp_path)
    assert "rows of source import" in words
    assert "The share of what ran that failed " in words
    assert "simulated" not in words
    assert drawn == 2
