"""The wheel alone: what is in it, and that service, dashboard and simulation run from it where no checkout is.

The environment here has the wheel's own packages; what they need is looked up in this one. Which packages the extra
brings into an empty environment is tried by tests/deploy/test_container.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Client
from tests.live import ROOT, WAIT
from tests.sdk.test_package import OURS
from tests.tiers import deep

pytestmark = deep("builds the wheel, and starts what is in it")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=300)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment's programs; the editable installation of this one is not seen from there."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True, timeout=300)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *OURS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert files == {file.partition("/")[2] for file in listed if (ROOT / file).exists()}


@pytest.fixture
def started(installed: Path, tmp_path: Path) -> Iterator[dict[str, Any]]:
    command = [str(installed / "assent"), "start", "--port", "0", "--dashboard-port", "0", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "PYTHON"))}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        said: dict[str, Any] = json.loads(process.stdout.readline())
        yield said
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(WAIT) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_what_runs_is_the_wheels(installed: Path) -> None:
    asked = "import assent, assent_service, assent_analytics, assent_dashboard as d; print(assent.__file__, d.__file__)"
    for file in subprocess.check_output([installed / "python", "-c", asked], text=True, cwd="/").split():
        assert Path(file).is_relative_to(installed.parent)


def test_service_and_dashboard_start_in_an_empty_folder(started: dict[str, Any], tmp_path: Path) -> None:
    assert (tmp_path / started["home"] / "log").is_dir()
    assert started["simulated"]["actions"] == 2000
    with Client(base_url=started["base_url"], api_key=started["agent_key"], agent_id="sample-agent") as agent:
        made = agent.create_action("deploy", "Release 1.4.0 of the shop to staging").action_id
    with Client(base_url=started["base_url"], api_key=started["admin_key"]) as admin:
        assert admin.get_action(made).action.declared_goal == "Release 1.4.0 of the shop to staging"
    for path in ("/schema", "/ready"):
        assert httpx.get(started["base_url"] + path, trust_env=False).status_code == 200
    with httpx.Client(base_url=started["dashboard"], headers={"accept": "text/html"}, trust_env=False) as browser:
        entered = browser.post("/sign-in", data={"key": started["admin_key"]})
        assert entered.status_code == 303
        page = browser.get("/ledger")
        assert page.status_code == 200
        assert "/static/js/" in page.text, "what the browser loads comes with the page"
