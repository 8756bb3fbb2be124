"""`assent doctor` against a fake service: what it shows, and the code it ends with."""

from __future__ import annotations

import json
from typing import Any

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from assent import Client
from assent.cli.app import app
from assent.cli.connection import Connection
from assent.cli.exits import Exit
from assent.cli.output import Output
from tests.sdk.client import samples


class Clinic:
    """Answers both operations; `asked` are the requests so far."""

    def __init__(self, *, state: str = "ready_unverified", passed: bool = True, **changed: Any) -> None:
        self.readiness = {**samples.READINESS, "state": state, **changed}
        steps = [{"name": "outcome", "status": "pass" if passed else "fail", "detail": "as told", "milliseconds": 3.0}]
        self.connection = {**samples.CONNECTION, "passed": passed, "steps": steps}
        self.asked: list[str] = []

    def client(self, connection: Connection) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self._answer))
        return Client(connection.base_url, connection.api_key, http=http, retries=0)

    def run(self, *arguments: str) -> Any:
        environment = {"ASSENT_API_KEY": "oc_test", "ASSENT_BASE_URL": None, "ASSENT_HOME": None, "COLUMNS": "80"}
        return CliRunner().invoke(app, ["doctor", *arguments], obj=self.client, env=environment)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(f"{request.method} {request.url.path}")
        body = self.connection if request.method == "POST" else self.readiness
        return httpx.Response(200, content=msgspec.json.encode(body), headers={"content-type": "application/json"})


def test_a_pipe_gets_one_line_for_each_finding() -> None:
    clinic = Clinic(simulated=4)
    result = clinic.run()
    assert result.exit_code == Exit.OK, result.output
    assert clinic.asked == ["GET /api/readiness"]
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == ["what", "name", "status", "detail"]
    assert [row[:3] for row in rows] == [
        ["workspace", "state", "ready_unverified"],
        ["check", "log", "pass"],
        ["share", "governed", "87.5 % of 8"],
        ["share", "proof", "not available"],
        ["test", "newest", "fail"],
        ["workspace", "checked_at", "2026-11-20T10:00:00Z"],
        ["workspace", "simulated", "4"],
    ]
    assert rows[0][3] == "Ready but not fully verified. Run the connection test."


def test_with_test_the_test_comes_first_and_its_steps_are_shown() -> None:
    clinic = Clinic(last_test=None)
    result = clinic.run("--test")
    assert result.exit_code == Exit.OK, result.output
    assert clinic.asked == ["POST /api/readiness/test", "GET /api/readiness"]
    assert "step\toutcome\tpass\tas told" in result.stdout
    assert "test\tnewest\tnone\t" in result.stdout


def test_blocked_is_an_error_and_its_own_code() -> None:
    result = Clinic(state="blocked", next_step="Mend log.").run()
    assert result.exit_code == Exit.REFUSED
    assert result.stderr == "Error: the workspace is blocked. Mend log.\n"
    assert "workspace\tstate\tblocked" in result.stdout


@pytest.mark.parametrize("state", ["needs_attention", "ready_unverified", "verified"])
def test_every_other_state_is_no_error(state: str) -> None:
    assert Clinic(state=state).run().exit_code == Exit.OK


def test_a_failed_test_is_an_error() -> None:
    result = Clinic(passed=False).run("--test")
    assert result.exit_code == Exit.REFUSED
    assert samples.ID in result.stderr


def test_json_is_one_document_even_when_it_is_blocked() -> None:
    result = Clinic(state="blocked").run("--test", "--json")
    assert result.exit_code == Exit.REFUSED
    document = json.loads(result.stdout)
    assert document["readiness"]["state"] == "blocked"
    assert document["test"]["passed"] is True
    assert json.loads(Clinic().run("--json").stdout)["test"] is None


def test_a_terminal_gets_in_full_what_the_table_has_to_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "terminal", property(lambda _: True))
    long = "The log is read-only because the disk has gone; check the disk, then restart the service, and look again."
    checks = [{"name": "log", "core": True, "status": "fail", "detail": long}]
    result = Clinic(state="blocked", checks=checks).run()
    table, _, after = result.stdout.partition("log: ")
    assert long not in table
    assert after.splitlines()[0] == long
    assert result.stdout.splitlines()[-1] == "Next: Run the connection test."
