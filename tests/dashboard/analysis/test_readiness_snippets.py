"""What the readiness page gives to copy: it runs as it stands, with the key from the environment and nowhere else."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assent import Runtime
from assent_dashboard.views.readiness.setup import AGENT, Snippet, key_and_environment, of_profile, ways_in
from tests.live import PUBLISHED, WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

PLACE = "http://127.0.0.1:8484"
KEY = re.compile(r"assent_[\w-]{20,}")
PROGRAM = Path(sys.executable).with_name("assent")


def snippets(base_url: str) -> list[Snippet]:
    profiles = [of_profile(runtime, base_url) for runtime in Runtime]
    return [*key_and_environment(base_url), *ways_in(base_url), *(each for each in profiles if each is not None)]


def code(name: str, base_url: str) -> str:
    return next(each.code for each in snippets(base_url) if each.name == name)


@pytest.fixture
def environment(house: Tenant) -> dict[str, str]:
    key = house.add_key(AGENT, "agent", AGENT)
    return {"PATH": "/usr/bin:/bin", "ASSENT_BASE_URL": house.service.base_url, "ASSENT_API_KEY": key,
            "ASSENT_AGENT_ID": AGENT}  # fmt: skip


def ran(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WAIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def statuses(house: Tenant) -> list[tuple[str, str, str, str | None]]:
    rows = house.call("GET", "/api/actions")["actions"]
    return [(row["action_type"], row["status"], row["agent_id"], row["runtime"]) for row in rows]


def test_the_loop_has_six_lines_and_runs(house: Tenant, environment: dict[str, str]) -> None:
    loop = code("sdk", house.service.base_url)
    assert len(loop.splitlines()) == 6
    ran([sys.executable, "-c", loop], environment)
    assert statuses(house) == [("refund", "completed", AGENT, "sdk_service")]
    (action,) = house.call("GET", "/api/actions")["actions"]
    assert house.call("GET", f"/api/assumptions?action_id={action['action_id']}")["total"] == 1


@pytest.mark.parametrize(
    "runtime",
    [
        Runtime.SDK_SERVICE,
        *(pytest.param(each, marks=deep("one is in the quick tier")) for each in [Runtime.CODING_AGENT]),
    ],
)
def test_what_a_profile_is_set_up_with_runs(house: Tenant, environment: dict[str, str], runtime: Runtime) -> None:
    ran([sys.executable, "-c", code(runtime.value, house.service.base_url)], environment)
    ((_, status, agent, found),) = statuses(house)
    assert (status, agent, found) == ("completed", AGENT, runtime.value)


def test_curl_asks_guard_and_opens_an_action(house: Tenant, environment: dict[str, str]) -> None:
    said = ran(["bash", "-euc", code("curl", house.service.base_url)], environment)
    assert '"decision_id"' in said
    assert '"action_id"' in said
    assert statuses(house) == [("refund", "running", AGENT, "sdk_service")]


@pytest.mark.parametrize(
    "version", ["2.1.0", *(pytest.param(each, marks=deep("one is in the quick tier")) for each in ["2.9.0"])]
)
def test_a_dashclaw_client_works_by_address_and_key(house: Tenant, environment: dict[str, str], version: str) -> None:
    if not (PUBLISHED / version).is_dir():
        pytest.skip("the published clients are installed by `make published`")
    environment["PYTHONPATH"] = str(PUBLISHED / version)
    ran([sys.executable, "-c", code("dashclaw", house.service.base_url)], environment)
    assert [(kind, agent) for kind, _, agent, _ in statuses(house)] == [("refund", AGENT)]


def test_the_environment_reads_the_key_and_shows_it_nowhere(house: Tenant) -> None:
    lines = code("environment", house.service.base_url) + "\nenv"
    done = subprocess.run(
        ["bash", "-euc", lines], input="a-test-key\n", capture_output=True, text=True, timeout=WAIT, check=True
    )
    assert "ASSENT_API_KEY=a-test-key" in done.stdout.splitlines()
    assert f"ASSENT_BASE_URL={house.service.base_url}" in done.stdout.splitlines()
    assert f"ASSENT_AGENT_ID={AGENT}" in done.stdout.splitlines()


def test_the_key_is_made_by_the_command_that_is_shown(house: Tenant) -> None:
    words = shlex.split(code("key", house.service.base_url))
    said = ran([str(PROGRAM), *words[1:]], {"PATH": "/usr/bin:/bin", "ASSENT_API_KEY": house.keys["admin"]})
    made = [key for key in house.call("GET", "/api/keys")["keys"] if key["agent_id"] == AGENT]
    assert [key["role"] for key in made] == ["agent"]
    assert KEY.search(said)


@pytest.mark.parametrize("line", [
    line for each in snippets(PLACE) for line in each.code.splitlines() if line.startswith("assent ")
])  # fmt: skip
def test_every_command_and_option_exists(line: str) -> None:
    words = shlex.split(line)[1:]
    command = words[: 2 if words[0] in {"keys", "hooks"} else 1]
    help_text = ran([str(PROGRAM), *command, "--help"], {"PATH": "/usr/bin:/bin"})
    assert f"Usage: assent {' '.join(command)}" in help_text
    for option in (word for word in words if word.startswith("--")):
        assert option in help_text, option


def test_addresses_are_quoted_for_shell_and_python() -> None:
    strange = 'http://host/it\'s a "place"'
    assert shlex.quote(strange) in code("key", strange)
    assert repr(strange) in code("sdk", strange)
    compile(code("sdk", strange), "sdk", "exec")


def test_no_snippet_holds_a_key(house: Tenant) -> None:
    for each in snippets(house.service.base_url):
        assert not any(key in each.code for key in house.keys.values())
        assert not KEY.search(each.code)
