"""The Node client runs a governed call by the same answers as the Python client (`tests/sdk/governing`)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests import node
from tests.tiers import deep
from tests.vectors.answers import CASES, FILE

pytestmark = deep("packs and installs the Node client")


def test_a_call_runs_by_its_own_answers_alone(folder: Path) -> None:
    shutil.copy(Path(__file__).with_name("answers.mjs"), folder / "answers.mjs")
    ran = json.loads(node.run([*node.runtime(), "answers.mjs", str(FILE)], folder))
    told = [f"{case['of']}: {json.dumps(case['change'])}" for case, each in zip(CASES, ran, strict=True) if each]
    assert told == [f"{case['of']}: {json.dumps(case['change'])}" for case in CASES if case["runs"]]
