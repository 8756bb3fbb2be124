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


def ran(code: str, service: LiveService) -> list[str]:
    """The lines that a block prints."""
    environment = {"ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": service.admin_key}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_loop_and_the_frames_run_one_after_the_other(live_service: LiveService) -> None:
    loop, frames = blocks("python")
    verdict, trace = ran(loop, live_service)[:2]
    assert verdict.startswith("allow ")
    assert trace == "1 outcome"
    rows, health = ran(frames, live_service)
    assert rows == "1 ['action_id', 'agent_id', 'agent_name']"
    # One action: decided on, opened, closed; its risk is too low for an assumption to be owed.
    assert health == "100.0 1"


@pytest.mark.parametrize("pack", blocks("yaml"))
def test_yaml_blocks_are_packs(pack: str, live_service: LiveService) -> None:
    with Client(base_url=live_service.base_url, api_key=live_service.admin_key) as client:
        assert client.import_policies(pack).imported == 2
        assert client.import_policies(pack).unchanged == 2


def test_there_is_something_to_run() -> None:
    assert blocks("python")
    assert blocks("yaml")
