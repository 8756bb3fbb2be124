"""Every notebook runs from top to bottom, is the same as its source, and shows what it promises."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assent import Client
from tests.live import ROOT, start_service
from tests.notebooks.run import paired, sources, written
from tests.tiers import deep

NAMES = [source.stem for source in sources([])]
TRANSCRIPTS = ROOT.parent / "shared" / "data" / "transcripts" / "airline.jsonl"
REAL = "Real transcripts"
"""The heading under which a notebook leaves the simulated workspace."""
WITH_REAL = [name for name in NAMES if f". {REAL}" in (ROOT / "notebooks" / f"{name}.py").read_text(encoding="utf-8")]
MEASURED = {"07_injection"}
"""Notebooks that are drawn from a measurement, and of the workspace show what they did in it themselves."""
WORTH = "09_is_my_policy_worth_it"
needs_transcripts = pytest.mark.skipif(
    not TRANSCRIPTS.is_file(), reason="the airline transcripts are not beside the repository"
)
Cell = dict[str, Any]
Folders = Callable[[str], Path]
"""The folder where a notebook is, executed."""
not_first = deep("one notebook is in the quick tier")


def ran(out: Path, *names: str, actions: int, transcripts: Path | None) -> Path:
    """The folder of notebooks as executed by the command that people run."""
    command = [sys.executable, "-m", "tests.notebooks.run", "--out", str(out), "--actions", str(actions), *names]
    environment = {**os.environ, "ASSENT_TRANSCRIPTS": str(transcripts or "")}
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=560)
    assert process.returncode == 0, process.stdout + process.stderr[-4000:]
    return out


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """With the transcripts where these are there; the first one by itself, the others in one workspace."""
    there = TRANSCRIPTS if TRANSCRIPTS.is_file() else None

    @cache
    def together(*names: str) -> Path:
        return ran(tmp_path_factory.mktemp("executed"), *names, actions=3000, transcripts=there)

    return lambda name: together(name) if name == NAMES[0] else together(*NAMES[1:])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Those that also look at transcripts, without any, and with little else."""
    folder = ran(tmp_path_factory.mktemp("alone"), *WITH_REAL, actions=400, transcripts=None)
    return lambda name: folder


def cells(folder: Folders, name: str) -> list[Cell]:
    found: list[Cell] = json.loads((folder(name) / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return found


def halves(folder: Folders, name: str) -> tuple[list[Cell], list[Cell]]:
    """The cells before the heading of real transcripts, and those after it."""
    every = cells(folder, name)
    heads = [at for at, cell in enumerate(every) if f". {REAL}" in "".join(cell["source"])]
    at = heads[-1] if heads else len(every)
    return every[:at], every[at:]


def outputs(some: list[Cell]) -> list[dict[str, Any]]:
    return [output for cell in some for output in cell.get("outputs", [])]


def text(output: dict[str, Any]) -> str:
    return "".join(output.get("text", []))


def said(some: list[Cell]) -> str:
    return "".join(text(output) for output in outputs(some))


def pictures(some: list[Cell]) -> list[str]:
    shown = [output.get("data", {}) for output in outputs(some)]
    return ["".join(data["image/svg+xml"]) for data in shown if "image/svg+xml" in data]


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_beside_a_source_is_made_from_it_and_holds_no_outputs(name: str) -> None:
    source = ROOT / "notebooks" / f"{name}.py"
    beside = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert beside == written(paired(source)), "run `make notebooks`: the .ipynb is older than its .py"
    assert all(not cell.get("outputs") for cell in json.loads(beside)["cells"])


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(each, marks=not_first) for each in NAMES[1:])])
def test_it_says_nothing_on_standard_error_and_draws(name: str, executed: Folders) -> None:
    made_up, real = halves(executed, name)
    assert not [text(output) for output in outputs([*made_up, *real]) if output.get("name") == "stderr"]
    drawn, drawn_of_real = pictures(made_up), pictures(real)
    assert len(drawn) >= 2
    if name not in MEASURED:
        assert all("simulated" in picture for picture in drawn), "a picture of simulated data must say so"
    assert not [picture for picture in drawn_of_real if "simulated" in picture], "a picture of real data says it is not"
    assert all("http" not in picture.replace("http://www.w3.org/", "") for picture in drawn + drawn_of_real)
    assert not [picture for picture in drawn + drawn_of_real if "nothing in this window" in picture]


@not_first
@pytest.mark.parametrize("name", WITH_REAL)
def test_it_needs_no_transcripts(name: str, alone: Folders) -> None:
    made_up, real = halves(alone, name)
    assert real
    assert not said(real)
    assert not pictures(real)
    assert len(pictures(made_up)) >= 2
    assert not [text(output) for output in outputs(made_up) if output.get("name") == "stderr"]


def test_the_loop_notebook_counts_as_the_service_does_and_finds_what_was_planted(executed: Folders) -> None:
    words = said(cells(executed, "01_governance_loop"))
    assert "3001 actions (3000 of them simulated)" in words
    rows = [line for line in words.splitlines() if "computed here" in line]
    assert len(rows) == 3
    for row in rows:
        served, here = row.split("(n = 3001)")
        assert float(served.split()[-1]) == float(here.split()[-1])
    assert "risk tells failures apart here" in words


@not_first
def test_the_approvals_notebook_says_no_more_than_its_interval(executed: Folders) -> None:
    words = said(halves(executed, "02_approvals_and_interruptions")[0])
    assert "3000 decisions" in words
    # The simulator's Jonas Okafor denies most; whether that shows depends on how many he was asked.
    claim = re.search(r"Jonas Okafor denies \d+%, .*: a difference of ([+-]\d+)% to [+-]\d+%", words)
    assert claim
    assert ("The answer depends on who is asked." in words) == (int(claim[1]) > 0)


@not_first
def test_the_drift_notebook_finds_what_was_planted_and_says_what_it_missed(executed: Folders) -> None:
    words = said(halves(executed, "03_drift_found_and_dated")[0])
    found = re.search(r"Of 8 streams with a planted change (\d) were found, (\d) missed", words)
    assert found
    assert int(found[1]) >= 2
    assert int(found[1]) + int(found[2]) == 8
    # Twenty seeded workspaces: the same in every run.
    others = re.search(r"False alarms: (\d+) of 680 unchanged streams", words)
    assert others
    assert int(others[1]) <= 0.02 * 680
    dated = re.search(r"half of them within ([\d.]+) days", words)
    assert dated
    assert float(dated[1]) < 2


@not_first
def test_the_offline_notebook_verifies_by_hand_what_the_checks_say_and_finds_what_was_changed(
    executed: Folders,
) -> None:
    every = cells(executed, "04_verify_offline")
    words = said(every)
    frames = "".join("".join(output.get("data", {}).get("text/plain", [])) for output in outputs(every))
    assert "holds: True · signer: trusted" in words
    for claim in ("says the header", "says the checkpoint"):
        lines = words.splitlines()
        at = next(at for at, line in enumerate(lines) if claim in line)
        assert lines[at].split(" <- ")[0] == lines[at - 1].strip()
    assert "with one word changed: invalid signature" in words
    assert "│ inclusion ┆ fail" in frames
    assert "│ consistency ┆ pass" in frames
    assert "│ consistency ┆ fail" in frames
    assert "100 of 100 proofs hold" in words
    assert "Yes: 100 of 100 hold, one of them by hand as well (True), and the log only grew." in words


@not_first
def test_the_threshold_notebook_says_what_its_numbers_rest_on(executed: Folders) -> None:
    words = said(cells(executed, "10_can_i_trust_this_threshold"))
    area = re.search(r"^(0\.\d{3}) \(95 %: (0\.\d{3}) to (0\.\d{3}); n (\d+), (\d+) failures, (\d+) clusters", words, re.M)
    assert area
    assert 0.5 < float(area[2]) < float(area[1]) < float(area[3]) < 1, "the simulator draws failures by risk"
    assert int(area[5]) < int(area[6]) < int(area[4]) <= 3000
    assert "were stopped: with them between" in words
    assert "Cannot be said from this: how the " in words


@not_first
def test_the_template_notebook_tunes_publishes_watches_and_cleans_up(executed: Folders) -> None:
    words = said(halves(executed, "05_tuning_a_risk_template")[0])
    chosen = re.search(r"Least cost from risk (\d+) on", words)
    assert chosen
    assert f"policy 'Trial: ask from risk {chosen[1]}', mode observe" in words
    assert "3 decisions rated by the template, in version 1" in words
    assert len(re.findall(r"that it has not seen, the template saves [+-]\d\.\d{3} a decision over", words)) == 2


@not_first
@needs_transcripts
def test_the_template_notebook_says_of_the_airline_what_the_file_says(executed: Folders) -> None:
    words = said(halves(executed, "05_tuning_a_risk_template")[1])
    episodes = [json.loads(line) for line in TRANSCRIPTS.read_text(encoding="utf-8").splitlines()]
    with_calls = [each for each in episodes if any(message.get("tool_calls") for message in each["messages"])]
    for trial in (0, 1):
        of = [each["reward"] for each in with_calls if each["trial"] == trial]
        wrong = of.count(0.0)
        assert re.search(rf"trial {trial}: {len(of)} conversations with \d+ calls; {wrong} ended wrong", words)
        right = re.search(rf"trial {trial}: right ones, interrupted +\d+ of +(\d+)", words)
        assert right
        assert int(right[1]) == len(of) - wrong
    # The notebook's risks and threshold, applied to the file by hand.
    points = {name: int(risk) for name, risk in re.findall(r"([a-z_]+) (\d+)[,\n]", words)}
    line = re.search(r"Asking from (\d+) on stops \d+ of 89 conversations: (\d+) by the template", words)
    assert line
    riskiest = [
        max(
            points[call["function"]["name"]] for message in each["messages"] for call in message.get("tool_calls") or []
        )
        for each in with_calls
    ]
    assert sum(risk >= int(line[1]) for risk in riskiest) == int(line[2])
    assert "0 fewer." in words
    assert "On tasks that it has never seen" in words


@not_first
@needs_transcripts
def test_the_approvals_notebook_asks_about_the_changes_in_the_file(executed: Folders) -> None:
    words = said(halves(executed, "02_approvals_and_interruptions")[1])
    names = [
        call["function"]["name"]
        for line in TRANSCRIPTS.read_text(encoding="utf-8").splitlines()
        for message in json.loads(line)["messages"]
        for call in message.get("tool_calls") or []
    ]
    changes = [name for name in names if name.split("_")[0] in {"book", "cancel", "send", "update"}]
    assert f"{len(changes)} of {len(names)} calls would have waited" in words


@not_first
def test_the_injection_notebook_measures_scans_and_marks(executed: Folders) -> None:
    words = said(halves(executed, "07_injection")[0])
    rows = pl.read_parquet(ROOT / "notebooks" / "data" / "injection_scores.parquet")
    blocked = rows.filter(pl.col("attack") & (pl.col("score") >= pl.col("block"))).height
    attacks = rows.filter("attack").height
    assert f"{blocked} of {attacks}, {blocked / attacks:.1%} (" in words
    assert "The service says block" in words
    shown = (executed("07_injection") / "07_injection.ipynb").read_text(encoding="utf-8")
    assert "<mark>Ignore all previous instructions" in shown
    assert "<i>&lt;U+200B&gt;</i>" in shown


def test_the_measurement_holds_no_text() -> None:
    rows = pl.read_parquet(ROOT / "notebooks" / "data" / "injection_scores.parquet")
    numbers = ["length", "score", "block", "warn", "keywords", "peer"]
    assert rows.columns == ["source", "kind", "attack", *numbers]
    assert all(rows.schema[name].is_numeric() for name in numbers)
    assert rows.select("source", "kind").unique().height < 100, "names, and not texts"
    measured = json.loads((ROOT / "notebooks" / "data" / "injection_measured.json").read_text(encoding="utf-8"))
    assert set(measured) == {"measured_at", "version", "block", "warn", "peer", "transforms"}


@not_first
def test_the_learning_notebook_covers_what_was_planted(executed: Folders) -> None:
    words = said(halves(executed, "06_learning_curves")[0])
    inside = re.search(r"in the band at (\d+) of (\d+) steps", words)
    assert inside
    assert int(inside[1]) >= 0.85 * int(inside[2])


@not_first
def test_the_notebook_of_a_policys_worth_bounds_what_nobody_knows(executed: Folders) -> None:
    made_up, real = halves(executed, WORTH)
    words = said(made_up)
    cost = re.search(r"Cost: (\d+) minutes of agents waiting, (\d+) interruptions of people", words)
    bought = re.search(r"Bought: (\d+) stopped actions, of which between 0 and (\d+) would have failed", words)
    assert cost
    assert bought
    assert bought[1] == bought[2]
    denied = re.search(r"(\d+) of (\d+) answers were no", words)
    expired = re.search(r"(\d+) requests expired without an answer", words)
    assert denied
    assert expired
    assert int(denied[1]) + int(expired[1]) == int(bought[1])
    least = re.search(r"At best it costs (\d+) minutes", words)
    assert least
    assert int(least[1]) == pytest.approx(int(cost[1]) / int(bought[1]), abs=1)
    # A simulated history happened before its policies were recorded: there is nothing after any change.
    assert "cannot be known. No rows after the change." in words
    assert "Whether failures became fewer cannot be known from these data" in words
    if TRANSCRIPTS.is_file():
        assert "Minutes of waiting cannot be known here" in said(real)


@not_first
def test_the_notebook_of_a_policys_worth_runs_on_nothing_and_on_ten_rows(tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service:
        key = (service.home / "admin.key").read_text(encoding="ascii").strip()
        environment = {
            **os.environ,
            "ASSENT_BASE_URL": service.base_url,
            "ASSENT_API_KEY": key,
            "ASSENT_TRANSCRIPTS": "",
        }

        def words() -> str:
            command = [sys.executable, "-W", "error", str(ROOT / "notebooks" / f"{WORTH}.py")]
            run = subprocess.run(
                command, cwd=ROOT / "notebooks", env=environment, capture_output=True, text=True, timeout=120
            )
            assert (run.returncode, run.stderr) == (0, "")
            return run.stdout

        empty = words()
        assert "0 actions, 0 approvals asked" in empty
        assert "nothing can be said of what asking is worth" in empty
        assert "It cannot be known: nothing was asked." in empty
        with Client(service.base_url, key, "bot", say=lambda _: None) as client:
            client.create_policy("Ask before pay", "require_approval", {"action_types": ["pay"]})
            for number in range(10):
                client.create_action("pay", f"Pay bill {number}", session_id=f"s{number % 3}")
        few = words()
        assert "10 actions, 10 approvals asked" in few
        assert "10 still wait" in few
        assert "So asking has stopped between 0 and 0 failures." in few
        assert "Nobody said no in this time" in few
        assert few.count("cannot be known. No rows before the change.") == 5
