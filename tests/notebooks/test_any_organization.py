"""Notebooks run on any organization: an empty one, one of ten rows, one of a shape of its own, imported transcripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.forked import Forks
from tests.live import ROOT, LiveService, start_service
from tests.notebooks.run import FOLDER
from tests.notebooks.test_notebooks import TRANSCRIPTS, needs_transcripts, outputs, pictures, said, text
from tests.tiers import deep

pytestmark = deep("the same notebook on simulated data is tested with the others")
NAME = "08_what_changed_last_week"
SHELL = Path(__file__).with_name("shell.py")
IMPORTED = (
    *("tests.notebooks.run", "IPython.core.interactiveshell", "altair", "vl_convert", "numpy", "polars", "assent"),
    *("assent.client", "assent.proof.verify", "assent_analytics.backtest", "assent_analytics.calibration"),
    *("assent_analytics.charts", "assent_analytics.drift", "assent_analytics.simulate"),
)
"""By notebooks and by their shell."""


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


@pytest.fixture(scope="module")
def ready() -> Iterator[Forks]:
    """The process that has loaded what notebooks import."""
    made = Forks(IMPORTED, PYTHONPATH=str(ROOT))
    yield made
    made.end()


Runs = Callable[..., tuple[str, int]]


@pytest.fixture
def executed(service: LiveService, ready: Forks, tmp_path: Path) -> Runs:
    """Runs one as the holder of a key: what it prints, and how many pictures of something it draws."""

    def execute(key: str, name: str = NAME, transcripts: str = "") -> tuple[str, int]:
        reach = {
            **os.environ,
            "ASSENT_BASE_URL": service.base_url,
            "ASSENT_API_KEY": key,
            "ASSENT_TRANSCRIPTS": transcripts,
        }
        # Whatever a cell prints is in the notebook; libraries have words of their own when their process ends.
        past, errors = tmp_path / "past", tmp_path / "errors"
        words = (str(SHELL), name, str(tmp_path))
        process = ready.start(*words, environment=reach, output=past, errors=errors, directory=FOLDER)
        assert process.wait(300) == 0, errors.read_text(encoding="utf-8")[-4000:]
        assert past.read_text(encoding="utf-8") == ""
        cells = json.loads((tmp_path / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        assert not [text(output) for output in outputs(cells) if output.get("name") == "stderr"]
        return said(cells), len([each for each in pictures(cells) if "nothing in this window" not in each])

    return execute


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
def test_it_runs_and_says_what_cannot_be_known(name: str, shape: str, shapes: dict[str, str], executed: Runs) -> None:
    words, _ = executed(shapes[shape], name)
    assert SAYS[name].get(shape, "") in words, words


def test_nothing_is_said_of_nothing(service: LiveService, executed: Runs) -> None:
    words, drawn = executed(organization(service, "empty"))
    assert "0 rows of source none" in words
    assert words.count("cannot be compared: the two windows have no ") == 8
    assert "- Anything: there are no rows in these two weeks." in words
    assert drawn == 0


def test_ten_rows_are_too_few_and_it_says_so(service: LiveService, executed: Runs) -> None:
    key = organization(service, "ten")
    for number in range(10):
        at = datetime.now(UTC) - timedelta(days=1 + number)
        action = {"action_type": "pay", "agent_id": "bot", "source": "import", "occurred_at": at.isoformat()}
        status, made = service.call("POST", "/api/actions", {**action, "session_id": f"s{number}"}, key=key)
        assert status == 201, made
        ended = {"status": "failed" if number == 3 else "completed"}
        assert service.call("PATCH", f"/api/actions/{made['action_id']}", ended, key=key)[0] == 200
    words, _ = executed(key)
    assert "10 rows of source import" in words
    assert "there is too little to say which group it was" in words
    assert "actions that ended in the smaller week (few_clusters)." in words
    assert "Drivers this week: 0. Before: no earlier week is whole." in words


@needs_transcripts
def test_imported_transcripts_are_compared_with_each_other(service: LiveService, executed: Runs) -> None:
    key = organization(service, "airline")
    reach = {**os.environ, "ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": key}
    command = [str(Path(sys.executable).with_name("assent")), "import", "transcripts", str(TRANSCRIPTS)]
    subprocess.run(command, check=True, env=reach, capture_output=True)
    words, drawn = executed(key)
    assert "rows of source import" in words
    assert "The share of what ran that failed " in words
    assert "simulated" not in words
    assert drawn == 2
