"""`assent doctor` against a fake service: each check, what it shows, and the code it ends with."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from assent import Client
from assent.cli.app import app
from assent.cli.doctor import command, machine, service
from assent.cli.doctor.finding import CheckResult, ResultStatus, lines, passed
from assent.cli.failures import Exit
from assent.cli.output import Output
from assent.cli.session import Connection
from assent.cli.text import width_of
from assent.spool import Spool
from tests.sdk.client import samples
from tests.sdk.client.doubles import bound

KEY = {
    **dict.fromkeys(("agent_id", "revoked_at", "revoked_by")),
    "org_id": "org_1",
    "key_id": "key_1",
    "name": "Night desk",
    "role": "operator",
    "hint": "beef",
    "created_at": samples.NOW,
    "created_by": "root",
}


@pytest.fixture(autouse=True)
def dashboard(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Pages that answer, by address; the service names the first one."""
    pages = {"http://127.0.0.1:8485": 200}

    def fetch(url: str) -> tuple[int, str | None]:
        if url.endswith("/replay/doctor"):
            return 302, f"{next(iter(pages))}/ledger?action_id=doctor"
        status = pages[url.rstrip("/")]
        if not status:
            raise OSError("nobody listens")
        return status, None

    monkeypatch.setattr(service, "fetch_page", fetch)
    return pages


class Clinic:
    """Answers what the doctor asks; `asked` are the requests so far. `gone`: nobody listens. `skew`: its clock."""

    def __init__(self, *, state: str = "ready_unverified", passed: bool = True, **changed: Any) -> None:
        self.readiness = {**samples.READINESS, "state": state, **changed}
        steps = [{"name": "outcome", "status": "pass" if passed else "fail", "detail": "as told", "milliseconds": 3.0}]
        self.connection = {**samples.CONNECTION, "passed": passed, "steps": steps}
        self.asked: list[str] = []
        self.gone, self.skew, self.known, self.role = False, timedelta(0), True, "operator"
        self.version = version("assent")

    def client(self, connection: Connection) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(bound(self._answer)))
        return Client(connection.base_url, connection.api_key, http=http, retries=0)

    def run(self, *arguments: str, key: str | None = "oc_test", home: Path | None = None) -> Any:
        environment = {"ASSENT_API_KEY": key, "ASSENT_BASE_URL": None, "ASSENT_HOME": None, "COLUMNS": "80"}
        given = [*arguments, *(["--home", str(home)] if home else [])]
        return CliRunner().invoke(app, ["doctor", *given], obj=self.client, env=environment)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.gone:
            raise httpx.ConnectError("nobody listens", request=request)
        path = request.url.path
        self.asked.append(f"{request.method} {path}")
        if path == "/health":
            return _said(200, {"status": "ok", "version": self.version, "time": datetime.now(UTC) - self.skew})
        if not self.known:
            return _said(401, {"code": "unauthorized", "detail": "no such key", "status": 401, "title": "x"})
        answers: dict[str, object] = {
            "/api/keys/own": {**KEY, "role": self.role},
            "/api/readiness": self.readiness,
            "/api/readiness/test": self.connection,
            "/api/log/head": {
                **dict.fromkeys(("origin", "root", "checkpoint"), "x"),
                "size": 3,
                "signed_at": samples.NOW,
                "kid": "k",
            },
            "/.well-known/jwks.json": {"keys": []},
        }
        return _said(200, answers[path])


def _said(status: int, body: object) -> httpx.Response:
    return httpx.Response(status, content=msgspec.json.encode(body), headers={"content-type": "application/json"})


@pytest.fixture(autouse=True)
def signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The head of a fake service is signed by nobody; stories have real ones."""
    monkeypatch.setattr(service, "judge_head", lambda head, _: passed("log", f"{head.size} events"))


def table(result: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """What and name -> status and detail."""
    _, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def test_everything_in_order_is_code_zero_and_one_line_each(tmp_path: Path) -> None:
    clinic = Clinic(simulated=4)
    tmp_path.chmod(0o700)
    result = clinic.run(home=tmp_path)
    assert result.exit_code == Exit.OK, result.output
    assert result.stdout.splitlines()[0].split("\t") == ["what", "name", "status", "detail"]
    found = table(result)
    names = ["service", "key", "clock", "data folder", "log", "dashboard", "extras"]
    assert [(name, found["machine", name][0]) for name in names if name != "data folder"] == [
        (name, "pass") for name in names if name != "data folder"
    ]
    assert "Night desk" in found["machine", "key"][1]
    assert "operator" in found["machine", "key"][1]
    assert found["workspace", "state"] == ("ready_unverified", "Ready but not fully verified. Run the connection test.")
    assert found["check", "log"][0] == "pass"
    assert found["share", "governed"][0] == "87.5 % of 8"
    assert found["share", "proof"][0] == "not available"
    assert found["test", "newest"][0] == "fail"
    assert found["workspace", "simulated"][0] == "4"


def test_a_service_that_is_gone_is_no_crash_and_says_what_to_run(tmp_path: Path) -> None:
    clinic = Clinic()
    clinic.gone = True
    result = clinic.run(home=tmp_path / "none")
    assert result.exit_code == Exit.REFUSED
    assert result.stderr == "Error: not in order: service\n"
    found = table(result)
    assert found["machine", "service"][0] == "fail"
    assert "`assent serve`" in found["machine", "service"][1]
    assert [found["machine", name][0] for name in ("key", "clock", "log", "dashboard")] == ["skip"] * 4
    assert found["machine", "data folder"][0] == "warn"
    assert not any(what == "workspace" for what, _ in found)


def test_a_service_that_is_gone_though_one_runs_on_the_folder_listens_elsewhere(tmp_path: Path) -> None:
    clinic = Clinic()
    clinic.gone = True
    (tmp_path / "lock").write_text(f"{os.getpid()}\n")
    status, detail = table(clinic.run(home=tmp_path))["machine", "service"]
    assert status == "fail"
    assert f"process {os.getpid()} says that it runs on" in detail
    (tmp_path / "lock").write_text("nonsense")
    assert machine.running_on(tmp_path) is None


def test_a_wrong_address_is_said() -> None:
    result = Clinic().run("--base-url", "ht!tp://x")
    assert result.exit_code == Exit.REFUSED
    assert "http://127.0.0.1:8484" in table(result)["machine", "service"][1]


def test_a_key_that_is_not_known_and_one_that_is_not_there(tmp_path: Path) -> None:
    clinic = Clinic()
    clinic.known = False
    result = clinic.run()
    assert result.exit_code == Exit.REFUSED
    status, detail = table(result)["machine", "key"]
    assert status == "fail"
    assert "not known" in detail
    assert "oc_test" not in result.output, "a key is never shown"
    assert table(result)["machine", "log"][0] == "skip"
    none = Clinic().run(key=None, home=tmp_path)
    assert none.exit_code == Exit.REFUSED
    assert "--api-key" in table(none)["machine", "key"][1]


def test_an_agents_key_may_not_see_the_workspace() -> None:
    clinic = Clinic()
    clinic.role = "agent"
    result = clinic.run()
    found = table(result)
    assert result.exit_code == Exit.OK, result.output
    assert found["machine", "key"][0] == "pass"
    assert "log and workspace are not looked at" in found["machine", "key"][1]
    assert found["machine", "log"][0] == "skip"
    assert clinic.asked == ["GET /health", "GET /api/keys/own"]
    tested = clinic.run("--test")
    assert (tested.exit_code, table(tested)["machine", "test"][0]) == (Exit.REFUSED, "fail")


@pytest.mark.parametrize(
    ("seconds", "status", "word"), [(0, "pass", "agree"), (90, "warn", "ahead"), (-90, "warn", "behind")]
)
def test_clocks_that_differ(seconds: int, status: str, word: str) -> None:
    clinic = Clinic()
    clinic.skew = timedelta(seconds=seconds)
    found = table(clinic.run())["machine", "clock"]
    assert found[0] == status
    assert word in found[1]


def test_another_version_and_a_dashboard_that_is_gone_are_warnings(dashboard: dict[str, int]) -> None:
    clinic = Clinic()
    clinic.version = "9.9.9"
    dashboard["http://127.0.0.1:8485"] = 0
    result = clinic.run()
    assert result.exit_code == Exit.OK
    assert table(result)["machine", "service"][0] == "warn"
    status, detail = table(result)["machine", "dashboard"]
    assert status == "warn"
    assert "`assent dashboard`" in detail


def test_a_folder_that_others_may_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    found = machine.check_folder(home, local=True, answers=True)
    assert (found.status, found.todo) == (ResultStatus.WARN, f"run `chmod 700 {home}`")
    home.chmod(0o700)
    (home / "admin.key").write_text("k")
    (home / "admin.key").chmod(0o644)
    assert "admin key" in machine.check_folder(home, local=True, answers=True).detail
    (home / "admin.key").chmod(0o600)
    assert machine.check_folder(home / "admin.key", local=True, answers=True).status is ResultStatus.FAIL
    assert machine.check_folder(tmp_path / "none", local=True, answers=True).status is ResultStatus.SKIP
    assert machine.check_folder(tmp_path / "none", local=False, answers=False).status is ResultStatus.SKIP


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = machine.check_folder(tmp_path, local=True, answers=False)
    assert found.status is ResultStatus.FAIL
    assert "cannot be read" in found.detail


@pytest.mark.parametrize(
    ("free", "status"), [(500, ResultStatus.PASS), (40, ResultStatus.WARN), (5, ResultStatus.FAIL)]
)
def test_a_disk_that_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, status: ResultStatus
) -> None:
    usage = type("Usage", (), {"total": 1000, "free": free})()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    tmp_path.chmod(0o700)
    assert machine.check_folder(tmp_path, local=True, answers=True).status is status


def test_extras_that_are_missing_are_named_with_how_to_get_them() -> None:
    (found,) = machine.check_extras((("cli", "no_such_module", "the inbox"),))
    assert found.status is ResultStatus.WARN
    assert found.todo is not None
    assert "pip install 'assent[cli]'" in found.todo
    assert machine.check_extras()[0].status is ResultStatus.PASS


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(("library", "extra"), [("psycopg", "postgresql"), ("apprise", "notices")])
def test_what_not_everybody_needs_is_named_where_it_is_and_not_missed(
    monkeypatch: pytest.MonkeyPatch, library: str, extra: str, there: bool
) -> None:
    monkeypatch.setattr(machine, "find_spec", lambda module: object() if there or module != library else None)
    (found,) = machine.check_extras()
    assert found.status is ResultStatus.PASS
    assert (extra in found.detail) is there


def test_with_test_the_test_comes_first_and_its_steps_are_shown() -> None:
    clinic = Clinic(last_test=None)
    result = clinic.run("--test")
    assert result.exit_code == Exit.OK, result.output
    assert clinic.asked[-2:] == ["POST /api/readiness/test", "GET /api/readiness"]
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


def test_json_is_one_document_even_when_something_fails() -> None:
    result = Clinic(state="blocked").run("--test", "--json")
    assert result.exit_code == Exit.REFUSED
    document = json.loads(result.stdout)
    assert document["readiness"]["state"] == "blocked"
    assert document["test"]["passed"] is True
    assert json.loads(Clinic().run("--json").stdout)["test"] is None
    clinic = Clinic()
    clinic.gone = True
    document = json.loads(clinic.run("--json").stdout)
    assert (document["ok"], document["readiness"]) == (False, None)
    assert document["findings"][0]["name"] == "service"


def test_a_terminal_gets_everything_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "terminal", property(lambda _: True))
    long = "The log is read-only because the disk has gone; check the disk, then restart the service, and look again."
    checks = [{"name": "log", "core": True, "status": "fail", "detail": long}]
    result = Clinic(state="blocked", checks=checks).run()
    assert long in " ".join(result.stdout.split())
    assert "FAIL  log" in result.stdout
    assert "Run the connection test." in " ".join(result.stdout.split())
    assert all(width_of(line) <= 80 for line in result.stdout.splitlines())


def test_what_is_to_be_done_stands_below_what_is_wrong() -> None:
    shown = lines(
        [CheckResult(name="key", status=ResultStatus.FAIL, detail="It is wrong.", todo="make another\x1b")], 60
    )
    assert shown == ["FAIL  key         It is wrong.", "                  To do: make another�"]


def test_a_defect_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(command, "_show", broken)
    assert isinstance(Clinic().run().exception, ZeroDivisionError)


def test_outcomes_that_wait_were_refused_or_lost_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    assert machine.check_spool(str(folder), {}).status == "pass"
    assert machine.check_spool("off", {}).status == "skip"
    refused = machine.check_spool("relative", {})
    assert (refused.status, "relative" in refused.detail) == ("warn", True)
    spool = Spool(folder, "http://user:pa55@127.0.0.1:1", "sk_secret", 10_000)
    request = {"method": "PATCH", "path": "/api/actions/act_1", "idempotency_key": "k", "body": "{}"}
    for number in range(3):
        spool.keep(f"act_{number}", request)
    spool.set_aside(spool.names()[0], "404 action_not_found: there is no such action")
    spool.count_loss()
    found = machine.check_spool(str(folder), {})
    assert found.status == "warn"
    assert "2 of agents on this machine wait for http://127.0.0.1:1, the oldest since 20" in found.detail
    assert "1 were refused for good; the newest of act_0: 404 action_not_found" in found.detail
    assert "1 were lost for want of room" in found.detail
    assert "pa55" not in found.detail
    assert found.todo is not None
    assert "ASSENT_SPOOL_BYTES" in found.todo
    assert f"discarded by deleting their folder: {spool.lane};" in found.todo
