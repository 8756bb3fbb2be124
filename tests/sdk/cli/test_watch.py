"""`assent watch` and `assent approvals --watch` in a pipe, with a real service: what comes, from where on, and how it
ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from assent import Client
from assent.cli.failures import Exit
from tests.live import WAIT, LiveService, start_service
from tests.tiers import deep

ASSENT = str(Path(sys.executable).with_name("assent"))


def environment(service: LiveService, key: str | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    return kept | {"ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": key or service.admin_key}


def run(service: LiveService, *arguments: str, key: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [ASSENT, *arguments]
    given = environment(service, key)
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=WAIT, check=False)


def begun(service: LiveService, *arguments: str) -> subprocess.Popen[str]:
    command = [ASSENT, *arguments]
    return subprocess.Popen(
        command, env=environment(service), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def test_watch_from_where_on_and_which(live_service: LiveService) -> None:
    with Client(live_service.base_url, live_service.admin_key) as client:
        for number in range(3):
            client.create_action("look", f"goal {number}\tx", agent_id=f"bot-{number}")
    two = run(live_service, "watch", "--after", "0", "--types", "action.created", "--count", "2")
    assert two.returncode == 0, two.stderr
    header, *lines = [each.split("\t") for each in two.stdout.splitlines()]
    assert header == ["id", "time", "event", "agent", "subject", "words"]
    assert [(each[2], each[3], each[5]) for each in lines] == [
        ("action.created", "bot-0", "running, look, goal 0 x"),
        ("action.created", "bot-1", "running, look, goal 1 x"),
    ]
    after = run(live_service, "watch", "--after", lines[1][0], "--types", "action.created", "--count", "1", "--json")
    event = json.loads(after.stdout)
    assert (event["event"], event["data"]["agent_id"]) == ("action.created", "bot-2")
    mine = run(live_service, "watch", "--after", "0", "--agent", "bot-1", "--types", "action.created", "--count", "1")
    assert "bot-1" in mine.stdout
    assert "bot-0" not in mine.stdout
    last = run(live_service, "watch", "--last", "2", "--count", "2")
    assert [each.split("\t")[0] for each in last.stdout.splitlines()[1:]] == [
        str(event["id"] - 1 + number) for number in range(2)
    ], last.stdout


@deep("each starts processes; the first test of the file follows one")
def test_the_former_name_of_after_does_the_same_and_says_that_it_goes(live_service: LiveService) -> None:
    now = run(live_service, "watch", "--after", "0", "--count", "1")
    before = run(live_service, "watch", "--since", "0", "--count", "1")
    assert (before.returncode, before.stdout) == (0, now.stdout)
    assert "--since is --after now" in before.stderr
    assert "--since" not in now.stderr
    assert run(live_service, "watch", "--since", "1", "--after", "1").returncode == Exit.USAGE


@deep("each starts processes; the first test of the file follows one")
def test_watch_refuses_what_it_cannot_do(live_service: LiveService) -> None:
    assert run(live_service, "watch", "--after", "1", "--last", "1").returncode == Exit.USAGE
    unknown = run(live_service, "watch", "--types", "nonsense")
    assert unknown.returncode == Exit.REFUSED
    assert "nonsense" in unknown.stderr
    wrong = run(live_service, "watch", key="oc_live_wrong")
    assert wrong.returncode == Exit.UNAUTHORIZED
    nobody = subprocess.run(
        [ASSENT, "watch", "--base-url", "http://127.0.0.1:9", "--api-key", "k"],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert nobody.returncode == Exit.UNREACHABLE
    assert "Traceback" not in nobody.stderr


@deep("each starts processes; the first test of the file follows one")
def test_watch_outlasts_its_service_and_ends_with_an_interrupt(live_service: LiveService) -> None:
    process = begun(live_service, "watch", "--types", "action.created", "--json", "--after", "0")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with Client(live_service.base_url, live_service.admin_key) as client:
            client.create_action("look", "before")
        assert json.loads(process.stdout.readline())["data"]["declared_goal"] == "before"
        live_service.kill()
        assert process.stderr.readline().startswith("The service does not answer since ")
        with start_service(live_service.home, port=live_service.port) as again:
            assert process.stderr.readline().startswith("The service answers again")
            with Client(again.base_url, again.admin_key) as client:
                client.create_action("look", "after")
            assert json.loads(process.stdout.readline())["data"]["declared_goal"] == "after"
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT) == Exit.INTERRUPTED
    finally:
        process.kill()
        process.communicate()


@deep("each starts processes; the first test of the file follows one")
def test_approvals_in_a_pipe_go_on_with_watch(live_service: LiveService) -> None:
    def ask(client: Client, goal: str) -> str:
        return client.create_action("look", goal, status="pending_approval").action_id

    with Client(live_service.base_url, live_service.admin_key) as client:
        first = ask(client, "before")
        process = begun(live_service, "approvals", "--watch")
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("action_id\t")
            assert process.stdout.readline().split("\t")[0] == first
            second = ask(client, "after")
            assert process.stdout.readline().split("\t")[0] == second
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT) == Exit.INTERRUPTED
        finally:
            process.kill()
            process.communicate()
