"""Every notebook runs from top to bottom, is the same as its source, and shows what it promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.live import ROOT
from tests.notebooks.run import paired, sources, written

NAMES = [source.stem for source in sources([])]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all notebooks as executed by the command that people run."""
    out = tmp_path_factory.mktemp("executed")
    command = [sys.executable, "-m", "tests.notebooks.run", "--out", str(out), "--actions", "3000"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-4000:]
    return out


def outputs(folder: Path, name: str) -> list[dict[str, Any]]:
    notebook = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def text(output: dict[str, Any]) -> str:
    return "".join(output.get("text", []))


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_beside_a_source_is_made_from_it_and_holds_no_outputs(name: str) -> None:
    source = ROOT / "notebooks" / f"{name}.py"
    beside = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert beside == written(paired(source)), "run `make notebooks`: the .ipynb is older than its .py"
    assert all(not cell.get("outputs") for cell in json.loads(beside)["cells"])


@pytest.mark.parametrize("name", NAMES)
def test_it_says_nothing_on_standard_error_and_draws(name: str, executed: Path) -> None:
    found = outputs(executed, name)
    assert not [text(output) for output in found if output.get("name") == "stderr"]
    pictures = [
        "".join(output["data"]["image/svg+xml"]) for output in found if "image/svg+xml" in output.get("data", {})
    ]
    assert len(pictures) >= 2
    assert all("simulated" in picture for picture in pictures), "a picture of simulated data must say so"
    assert all("http" not in picture.replace("http://www.w3.org/", "") for picture in pictures)


def test_the_loop_notebook_counts_as_the_service_does_and_finds_what_was_planted(executed: Path) -> None:
    said = "".join(text(output) for output in outputs(executed, "01_governance_loop"))
    assert "3001 actions (3000 of them simulated)" in said
    rows = [line for line in said.splitlines() if "computed here" in line]
    assert len(rows) == 3
    for row in rows:
        served, here = row.split("(n = 3001)")
        assert float(served.split()[-1]) == float(here.split()[-1])
    assert "risk tells failures apart here" in said


def test_the_offline_notebook_verifies_by_hand_what_the_checks_say_and_finds_what_was_changed(executed: Path) -> None:
    found = outputs(executed, "04_verify_offline")
    said = "".join(text(output) for output in found)
    frames = "".join("".join(output.get("data", {}).get("text/plain", [])) for output in found)
    assert "holds: True · signer: trusted" in said
    for claim in ("says the header", "says the checkpoint"):
        lines = said.splitlines()
        at = next(at for at, line in enumerate(lines) if claim in line)
        assert lines[at].split(" <- ")[0] == lines[at - 1].strip()
    assert "with one word changed: invalid signature" in said
    assert "│ inclusion ┆ fail" in frames
    assert "│ consistency ┆ pass" in frames
    assert "│ consistency ┆ fail" in frames
    assert "100 of 100 proofs hold" in said
    assert "Yes: 100 of 100 hold, one of them by hand as well (True), and the log only grew." in said
