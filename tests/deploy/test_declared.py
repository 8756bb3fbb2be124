"""Dockerfile, compose.yaml and the systemd units name commands, options, ports and settings that exist."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from assent.cli.app import app
from assent.cli.failures import Exit
from assent.cli.start import DEFAULT_DASHBOARD_PORT
from assent.contract.health import READY
from assent_dashboard.sign_in import HEALTH
from assent_service.core.settings import ENVIRONMENT, Settings
from tests.deploy.image import Image, ignored, instructions, read
from tests.live import ROOT

UNITS = ("assent.service", "assent-dashboard.service")
PORTS = {"serve": Settings().port, "dashboard": DEFAULT_DASHBOARD_PORT}
PROBES = {"serve": READY.path, "dashboard": HEALTH}


def image() -> Image:
    return list(read((ROOT / "Dockerfile").read_text(encoding="utf-8")).values())[-1]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return found


class UnitFile(configparser.RawConfigParser):
    """As systemd reads one: names keep their case, and some come more than once."""

    def __init__(self) -> None:
        super().__init__(strict=False)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit(name: str) -> configparser.SectionProxy:
    parser = UnitFile()
    parser.read(ROOT / "deploy" / name, encoding="utf-8")
    return parser["Service"]


def understood(words: list[str]) -> dict[str, Any]:
    """The options of `assent WORDS`, as the command line reads them; it ends here for what it does not know."""
    group: Any = typer.main.get_command(app)
    with group.make_context("assent", list(words)) as context:
        command = group.get_command(context, words[0])
        with command.make_context(words[0], words[1:], parent=context) as called:
            return dict(called.params)


def test_what_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="ADD is not understood"):
        instructions("FROM a\nADD x y\n")


def test_the_image_runs_a_command_that_exists_as_nobody_special() -> None:
    stages = read((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    final = image()
    assert {stage.base for stage in stages.values()} == {"python:3.11-slim"}
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert final.entrypoint == ["assent"]
    assert set(final.entrypoint) <= set(scripts)
    assert understood(final.command)["host"] == "0.0.0.0"
    uid, _, gid = final.user.partition(":")
    assert int(uid) > 0 < int(gid)
    assert final.ports == [*PORTS.values()]
    assert final.volumes == [final.environment["ASSENT_HOME"]]
    assert {name for name in final.environment if name.startswith("ASSENT_")} <= ENVIRONMENT.keys()
    assert f":{PORTS['serve']}{READY.path}'" in final.health[-1]


def test_the_image_is_made_of_what_the_wheel_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built = next(iter(read((ROOT / "Dockerfile").read_text(encoding="utf-8")).values()))
    copied = {source for word, rest in built.steps if word == "COPY" for source in rest.split()[:-1]}
    packages = {
        package.partition("/")[0] for package in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    }
    named = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml", "constraints.txt"}
    assert copied == packages | named
    (installs,) = (rest for word, rest in built.steps if word == "RUN" and "--constraint constraints.txt" in rest)
    extras = installs.partition("'.[")[2].partition("]'")[0].split(",")
    assert extras == ["server", "postgresql", "notices"]
    assert set(extras) <= project["project"]["optional-dependencies"].keys()

    patterns = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    for path in copied:
        assert not ignored(path, patterns)
    assert not ignored("sdk/assent/cli/app.py", patterns)
    for path in (
        ".git/config",
        ".assent/admin.key",
        "tests/live.py",
        "sdk/assent/__pycache__/a.pyc",
        ".venv/bin/python",
    ):
        assert ignored(path, patterns), path


@pytest.mark.parametrize("name", ["service", "dashboard"])
def test_compose_runs_what_the_image_has(name: str) -> None:
    declared = compose()
    run = declared["services"][name]
    options = understood(run["command"])
    port = PORTS[run["command"][0]]
    assert options["host"] == "0.0.0.0"
    assert run["ports"] == [f"127.0.0.1:{port}:{port}"], "this machine alone reaches it"
    assert port in image().ports
    assert set(run.get("environment", {})) <= ENVIRONMENT.keys()
    assert (run["read_only"], run["cap_drop"], run["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
    writable = {*run["tmpfs"], *(volume.partition(":")[2] for volume in run.get("volumes", []))}
    assert writable == {"/tmp", "/data"}
    assert {volume.partition(":")[0] for volume in run.get("volumes", [])} <= declared["volumes"].keys()
    probe = " ".join(run.get("healthcheck", {}).get("test", image().health))
    assert f"http://127.0.0.1:{port}{PROBES[run['command'][0]]}'" in probe


def test_what_is_refused_for_good_is_not_started_again_and_again() -> None:
    run = compose()["services"]["service"]
    assert (run["restart"], understood(run["command"])["hold"]) == ("unless-stopped", True)
    service = unit("assent.service")
    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("on-failure", f"{Exit.FOLDER:d}")


def test_compose_starts_the_dashboard_for_its_own_service() -> None:
    services = compose()["services"]
    options = understood(services["dashboard"]["command"])
    assert options["base_url"] == f"http://service:{PORTS['serve']}"
    assert services["dashboard"]["depends_on"] == {"service": {"condition": "service_healthy"}}
    assert services["service"]["environment"]["ASSENT_DASHBOARD_URL"] == Settings().dashboard_url
    assert "volumes" not in services["dashboard"], "one process owns a data folder"


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_runs_what_exists(name: str) -> None:
    service = unit(name)
    program, *words = shlex.split(service["ExecStart"])
    assert (
        Path(program).name in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    )
    understood(words)
    if "Environment" in service:
        setting, _, value = service["Environment"].partition("=")
        assert setting in ENVIRONMENT
        assert value == f"/var/lib/{service['StateDirectory']}"
    assert service["User"] == service["Group"] == "assent"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_every_line_of_a_unit(name: str, tmp_path: Path) -> None:
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    there = text.replace("/opt/assent/bin/assent", "/bin/true").replace("=assent\n", "=daemon\n")
    (tmp_path / name).write_text(there)
    said = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True, timeout=60, check=False
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "", ""), said
    (tmp_path / name).write_text(there.replace("ProtectSystem=", "ProtectSistem="))
    wrong = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True, timeout=60, check=False
    )
    assert "ProtectSistem" in wrong.stderr
