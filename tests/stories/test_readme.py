"""The README's code runs as it stands, and its pack of policies is one that the service takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from assent import Client
from tests.live import LiveService

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def ran(code: str, service: LiveService, folder: Path) -> list[str]:
    """The lines that a block prints when it runs in this folder."""
    environment = {
        "ASSENT_BASE_URL": service.base_url,
        "ASSENT_API_KEY": service.admin_key,
        "ASSENT_CACHE": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_blocks_run_one_after_the_other(live_service: LiveService, tmp_path: Path) -> None:
    loop, frames, history, proof, scan, *_ = (block for block in blocks("python") if "@governed" not in block)
    verdict, trace = ran(loop, live_service, tmp_path)[:2]
    assert verdict.startswith("allow ")
    assert trace == "1 outcome"
    rows, health = ran(frames, live_service, tmp_path)
    assert rows == "1 ['action_id', 'agent_id', 'agent_name']"
    # One action: decided on, opened, closed; its risk is too low for an assumption to be owed.
    assert health == "100.0 1"
    # One decision, on a deployment: risk 80 and more.
    assert ran(history, live_service, tmp_path) == ["1 1 0 1", "1", "0 drifted"]
    assert ran(proof, live_service, tmp_path) == ["True"]
    assert ran(scan, live_service, tmp_path) == ["block tells the reader to drop what it was told before", "allow"]
    (command,) = [line.partition("#")[0] for line in TEXT.splitlines() if line.startswith("assent verify ")]
    assent = str(Path(sys.executable).with_name("assent"))
    done = subprocess.run(
        [assent, *command.split()[1:]], cwd=tmp_path, env={}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("pack", blocks("yaml"))
def test_yaml_blocks_are_packs(pack: str, live_service: LiveService) -> None:
    with Client(base_url=live_service.base_url, api_key=live_service.admin_key) as client:
        assert client.import_policies(pack).imported == 2
        assert client.import_policies(pack).unchanged == 2


def test_there_is_something_to_run() -> None:
    assert blocks("python")
    assert blocks("yaml")
