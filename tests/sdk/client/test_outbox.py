"""Outcomes that cannot be delivered: kept, delivered later in order, never sent elsewhere, never lost in silence."""

from __future__ import annotations

import asyncio
import json
import pickle
import stat
from pathlib import Path
from traceback import extract_tb
from typing import Any

import httpx
import pytest

from assent import (
    AsyncClient,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidRequest,
    NotFound,
    OutcomeLost,
    OutcomeSpooled,
)
from assent.spool import Survey
from tests.sdk.client import samples
from tests.sdk.client.doubles import Handler, Stage, Way, answering, problematic
from tests.sdk.client.exchanges.outcomes import REPORTED

DOWN = httpx.ConnectError("refused")
ACTION = {"action": samples.action("completed")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSENT_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


class Service:
    """Answers outcomes and everything else as long as it is up; `heard` are the outcomes that it took."""

    def __init__(self) -> None:
        self.up = False
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.keys: list[str] = []
        self.refused: dict[str, dict[str, Any]] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self.up:
            raise DOWN
        if request.method == "GET":
            return httpx.Response(200, json=samples.detail("running"))
        action_id = request.url.path.split("/")[3]
        if action_id in self.refused:
            return problematic(self.refused[action_id])
        self.heard.append((action_id, json.loads(request.content)))
        self.keys.append(request.headers["idempotency-key"])
        return httpx.Response(200, json=ACTION if request.method == "PATCH" else REPORTED)


def made(folder: Path) -> None:
    folder.mkdir(mode=0o755)


def everything(folder: Path) -> list[Path]:
    return [folder, *folder.rglob("*")]


def lanes(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if each.is_dir())


def copied(one: Path, other: Path) -> None:
    """What waits in one lane, in another one too."""
    for file in [each for each in one.glob("*.json") if not each.name.startswith("9")]:
        (other / f"9{file.name}").write_bytes(file.read_bytes())


async def spooled(stage: Stage, action_id: str, **said: Any) -> OutcomeSpooled:
    with pytest.raises(OutcomeSpooled) as caught:
        await stage("update_outcome", action_id, **said)
    return caught.value


async def test_what_cannot_be_delivered_waits_and_the_next_process_delivers_it(way: Way, folder: Path) -> None:
    service = Service()
    dead = Stage(way, service)
    told = await spooled(dead, "act_1", status="completed", output_summary="sk_live_verbatim")
    assert isinstance(told, ConnectionFailed)
    assert isinstance(told.__cause__, ConnectionFailed), "what was in the way is kept beside it"
    assert extract_tb(told.__cause__.__traceback__), "with the place where it came up"
    assert told.action_id == "act_1"
    assert "do not do it again" in str(told)
    assert pickle.loads(pickle.dumps(told)).folder == told.folder
    assert 20 > sum(dead.time.slept) > 15, "tried for the whole budget"
    service.up = True
    next_process = Stage(way, service)
    await next_process("get_action", "act_1")
    assert service.heard == [("act_1", {"status": "completed", "output_summary": "sk_live_verbatim"})]
    assert service.keys == [dead.requests[0].headers["idempotency-key"]]
    assert {request.content for request in dead.requests} == {next_process.requests[-1].content}
    assert Survey(folder).waiting == []
    await next_process("get_action", "act_1")
    assert len(service.heard) == 1


async def test_folder_and_files_are_the_users_alone_and_hold_no_key(way: Way, folder: Path) -> None:
    made(folder)
    await spooled(Stage(way, Service(), api_key="sk_secret_of_the_agent"), "act_1", status="failed")
    for each in everything(folder):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each
        assert each.is_dir() or b"sk_secret" not in each.read_bytes()


async def test_an_outcome_never_overtakes_an_earlier_one_of_its_action(way: Way, folder: Path) -> None:
    service = Service()
    stage = Stage(way, service)
    for number in range(3):
        await spooled(stage, "act_1", tokens_in=number)
    await spooled(stage, "act_2", tokens_in=9)
    service.up = True
    await stage("update_outcome", "act_1", tokens_in=3)
    assert [said["tokens_in"] for action_id, said in service.heard if action_id == "act_1"] == [0, 1, 2, 3]
    assert ("act_2", {"tokens_in": 9}) in service.heard


async def test_what_the_service_fails_on_is_not_overtaken_and_holds_up_no_other(way: Way, folder: Path) -> None:
    service = Service()
    failed: list[str] = []

    def failing_once(request: httpx.Request) -> httpx.Response:
        if service.up and not failed and request.method != "GET":
            failed.append(request.url.path)
            return problematic(samples.problem("internal_error", 500))
        return service(request)

    stage = Stage(way, failing_once)
    for number in range(2):
        await spooled(stage, "act_1", tokens_in=number)
    await spooled(stage, "act_2", tokens_in=9)
    service.up = True
    await stage("get_action", "act_1")
    assert service.heard == [("act_2", {"tokens_in": 9})]
    assert [entry["action_id"] for entry in Survey(folder).waiting] == ["act_1", "act_1"]
    await Stage(way, failing_once)("get_action", "act_1")
    assert [said["tokens_in"] for action_id, said in service.heard if action_id == "act_1"] == [0, 1]


async def test_it_is_sent_to_no_other_service_and_with_no_other_key(way: Way, folder: Path) -> None:
    service = Service()
    await spooled(Stage(way, service), "act_1", status="completed")
    service.up = True
    await Stage(way, service, base_url="http://other.test:8484")("get_action", "act_1")
    await Stage(way, service, api_key="sk_another")("get_action", "act_1")
    assert service.heard == []
    await Stage(way, service)("get_action", "act_1")
    assert len(service.heard) == 1


async def test_a_file_that_was_copied_from_another_service_is_set_aside(way: Way, folder: Path) -> None:
    service = Service()
    await spooled(Stage(way, service), "act_1", status="completed")
    await spooled(Stage(way, service, base_url="http://other.test:8484"), "act_2", status="completed")
    one, other = lanes(folder)
    copied(one, other)
    copied(other, one)
    service.up = True
    await Stage(way, service)("get_action", "act_1")
    assert [action_id for action_id, _ in service.heard] == ["act_1"]
    assert [entry["refused"]["reason"] for entry in Survey(folder).aside] == ["it belongs to another service or key"]


async def test_what_is_refused_for_good_is_set_aside_with_the_reason(way: Way, folder: Path) -> None:
    service = Service()
    stage = Stage(way, service)
    await spooled(stage, "act_gone", status="completed")
    await spooled(stage, "act_1", status="completed")
    service.up = True
    service.refused["act_gone"] = samples.problem("action_not_found", 404, "There is no such action.")
    await stage("get_action", "act_1")
    assert [action_id for action_id, _ in service.heard] == ["act_1"]
    (entry,) = Survey(folder).aside
    assert (entry["action_id"], Survey(folder).waiting) == ("act_gone", [])
    assert "There is no such action" in entry["refused"]["reason"]
    # A refusal that nobody spooled is raised as it always was.
    with pytest.raises(NotFound):
        await stage("update_outcome", "act_gone", status="completed")


@pytest.mark.parametrize(("code", "status"), [("unauthorized", 401), ("busy", 503)])
async def test_a_refused_key_and_a_busy_service_leave_everything_waiting(
    way: Way, folder: Path, code: str, status: int
) -> None:
    service = Service()
    stage = Stage(way, service)
    await spooled(stage, "act_1", status="completed")
    service.up = True
    service.refused["act_1"] = samples.problem(code, status)
    await stage("get_action", "act_1")
    assert [len(found) for found in (service.heard, Survey(folder).waiting, Survey(folder).aside)] == [0, 1, 0]


async def test_a_full_spool_refuses_the_newest_and_counts_it(
    way: Way, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_SPOOL_BYTES", "2000")
    stage = Stage(way, Service())
    await spooled(stage, "act_1", status="completed")
    with pytest.raises(OutcomeLost) as caught:
        await stage("update_outcome", "act_2", status="completed", output_summary="x" * 2000)
    assert "ASSENT_SPOOL_BYTES" in caught.value.why
    assert caught.value.counted
    found = Survey(folder)
    assert ([entry["action_id"] for entry in found.waiting], found.lost.count) == (["act_1"], 1)
    assert sum(each.stat().st_size for each in everything(folder) if each.suffix == ".json") <= 2000


async def test_a_folder_that_cannot_be_written_is_said(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ASSENT_SPOOL", str(tmp_path / "file" / "spool"))
    with pytest.raises(OutcomeLost) as caught:
        await Stage(way, Service())("update_outcome", "act_1", status="completed")
    assert "cannot be written" in str(caught.value)
    assert not caught.value.counted


async def test_without_a_home_it_is_said_what_to_set(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_SPOOL")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(OutcomeLost) as caught:
        await Stage(way, Service())("update_outcome", "act_1", status="completed")
    assert "ASSENT_SPOOL" in caught.value.why


async def test_off_is_as_it_was(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_SPOOL", "off")
    with pytest.raises(ConnectionFailed) as caught:
        await Stage(way, Service())("update_outcome", "act_1", status="completed")
    assert type(caught.value) is ConnectionFailed


async def test_an_answer_after_a_failed_attempt_leaves_nothing_behind(way: Way, folder: Path) -> None:
    kept: list[int] = []

    def once(service: Service) -> Handler:
        def handler(request: httpx.Request) -> httpx.Response:
            kept.append(len(Survey(folder).waiting))
            service.up, up = True, service.up
            if not up:
                raise DOWN
            return service(request)

        return handler

    service = Service()
    await Stage(way, once(service))("update_outcome", "act_1", status="completed")
    assert (kept, len(service.heard), Survey(folder).waiting) == ([0, 1], 1, [])


async def test_whoever_is_cancelled_while_it_is_sent_leaves_it(folder: Path) -> None:
    waiting = asyncio.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        waiting.set()
        await asyncio.sleep(60)
        raise AssertionError

    client = AsyncClient("http://127.0.0.1:1", http=httpx.AsyncClient(transport=httpx.MockTransport(hang)))
    task = asyncio.create_task(client.update_outcome("act_1", "completed"))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [entry["action_id"] for entry in Survey(folder).waiting] == ["act_1"]


async def test_track_goes_on_where_the_outcome_waits(way: Way, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    def dies(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(201, json=samples.created_to(request))
        raise DOWN

    stage = Stage(way, dies)
    if way == "sync":
        with stage.client.track("deploy"):
            pass
    else:
        async with stage.client.track("deploy"):
            pass
    (entry,) = Survey(folder).waiting
    assert json.loads(entry["body"])["status"] == "completed"
    assert "is not recorded yet" in caplog.text


@pytest.mark.parametrize("spoil", [b"", b"{", b"[]", b'{"a": 1}', b"\xff"])
async def test_a_spoilt_entry_stands_in_nobodys_way(way: Way, folder: Path, spoil: bytes) -> None:
    service = Service()
    stage = Stage(way, service)
    await spooled(stage, "act_1", status="completed")
    (lane,) = lanes(folder)
    (lane / "000000000000-spoilt.json").write_bytes(spoil)
    service.up = True
    await stage("get_action", "act_1")
    assert len(service.heard) == 1
    assert len(Survey(folder).aside) == 1


async def test_options_share_the_connections(way: Way) -> None:
    stage = Stage(way, answering(samples.detail("running")))
    hurried = stage.client.with_options(retry_seconds=0, timeout=1.5)
    assert hurried.agent_id == stage.client.agent_id
    answer = hurried.get_action("act_1")
    assert (await answer if way == "async" else answer).action.action_id == samples.ID
    assert stage.requests[0].extensions["timeout"]["read"] == 1.5
    closed = hurried.close()
    if way == "async":
        await closed
    await stage("get_action", "act_1")
    assert stage.requests[1].extensions["timeout"]["read"] == 30.0
    with pytest.raises(TypeError, match="no option 'timeouts'"):
        stage.client.with_options(timeouts=3)
    for wrong in ({"timeout": 0}, {"retries": -1}, {"retry_seconds": -1}, {"retry_seconds": 1000}):
        with pytest.raises(ValueError, match="give"):
            stage.client.with_options(**wrong)


async def test_a_budget_of_nothing_is_one_attempt(way: Way) -> None:
    stage = Stage(way, Service(), retry_seconds=0)
    with pytest.raises(ConnectionFailed):
        await stage("guard", {"action_type": "deploy"})
    assert len(stage.requests) == 1
    with pytest.raises(ValueError, match="retry_seconds"):
        Stage(way, Service(), retry_seconds=-1)


PAGE = b"<html><body>Sign in, or ask the administrator.</body></html>"
FOREIGN: tuple[tuple[int, dict[str, str], bytes], ...] = (
    *((status, {"content-type": "text/html"}, PAGE) for status in (400, 401, 403, 404, 405, 409, 413, 422, 502)),
    (302, {"location": "https://sso.invalid/"}, b""),
    (200, {"content-type": "text/html"}, PAGE),
    (404, {"content-type": "application/json"}, b'{"code": "action_not_found", "message": "no route"}'),
    (403, {"content-type": "application/problem+json"}, b'{"type": "about:blank", "code": "forbidden"}'),
)


class Between:
    """Stands before a service, and answers outcomes itself while it has an `answer` for them; `echoes` is under the id
    of the request."""

    def __init__(self, service: Service, *, echoes: bool = False) -> None:
        self.service, self.echoes = service, echoes
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        self.only: str | None = None
        self.answered: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        own = {"x-request-id": request.headers["x-request-id"]}
        mine = request.method != "GET" and (self.only is None or self.only in request.url.path)
        if self.answer is None or not mine:
            found = self.service(request)
            found.headers.update(own)
            return found
        status, headers, body = self.answer
        self.answered.append(request.url.path.split("/")[3])
        return httpx.Response(status, headers={**headers, **(own if self.echoes else {})}, content=body)


def well() -> Service:
    service = Service()
    service.up = True
    return service


@pytest.mark.parametrize("echoes", [False, True])
@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda foreign: f"{foreign[0]}{foreign[2][:1].decode()}")
async def test_what_something_in_between_answers_lets_go_of_no_outcome(
    way: Way, folder: Path, foreign: tuple[int, dict[str, str], bytes], echoes: bool
) -> None:
    between = Between(well(), echoes=echoes)
    between.answer = foreign
    stage = Stage(way, between, bind=False, retry_seconds=0)
    told = await spooled(stage, "act_1", status="completed")
    assert told.uncertain, "nobody can tell whether it is recorded"
    with pytest.raises(OutcomeSpooled):
        await stage("report_action_success", "act_2")
    # One that waits is not let go of either.
    await stage("get_action", "act_1")
    found = Survey(folder)
    assert ([entry["action_id"] for entry in found.waiting], found.aside) == (["act_1", "act_2"], [])
    between.answer = None
    await Stage(way, between, bind=False)("get_action", "act_1")
    assert [action_id for action_id, _ in between.service.heard] == ["act_1", "act_2"]
    assert between.service.keys[0] == stage.requests[0].headers["idempotency-key"]
    assert Survey(folder).waiting == []


@pytest.mark.parametrize("accept", [False, True])
async def test_a_success_that_cannot_be_read_lets_go_of_no_outcome(way: Way, folder: Path, accept: bool) -> None:
    between = Between(well(), echoes=not accept)
    between.answer = (200, {"content-type": "application/json"}, b'{"action": ')
    stage = Stage(way, between, bind=False, accept_unbound_answers=accept)
    assert (await spooled(stage, "act_1", status="completed")).uncertain
    between.answer = None
    await stage("get_action", "act_1")
    assert [action_id for action_id, _ in between.service.heard] == ["act_1"]


@pytest.mark.parametrize("bind", [False, True])
@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("action_not_found", 404, NotFound),
        ("not_awaiting_approval", 409, Conflict),
        ("invalid_body", 422, InvalidRequest),
        ("of_next_year", 403, Forbidden),
    ],
)
async def test_a_refusal_of_the_service_lets_go_of_it(
    way: Way, folder: Path, code: str, status: int, error: type[Exception], bind: bool
) -> None:
    refused = samples.problem(code, status)

    def after_one_failure(request: httpx.Request) -> httpx.Response:
        if len(stage.requests) == 1:
            raise DOWN
        assert len(Survey(folder).waiting) == 1
        return problematic(refused)

    stage = Stage(way, after_one_failure, bind=bind)
    with pytest.raises(error):
        await stage("update_outcome", "act_1", status="completed")
    assert (len(stage.requests), Survey(folder).waiting, Survey(folder).aside) == (2, [], [])


async def test_without_a_spool_the_answer_of_something_in_between_is_raised(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_SPOOL", "off")
    between = Between(well())
    between.answer = FOREIGN[3]
    with pytest.raises(NotFound, match="answered without a problem document"):
        await Stage(way, between, bind=False)("update_outcome", "act_1", status="completed")


async def test_an_outcome_that_something_in_between_holds_up_holds_up_no_other(way: Way, folder: Path) -> None:
    between = Between(Service())
    stage = Stage(way, between, bind=False, retry_seconds=0)
    for number in range(2):
        await spooled(stage, "act_1", tokens_in=number)
    await spooled(stage, "act_2", tokens_in=9)
    between.service.up, between.only, between.answer = True, "act_1", FOREIGN[2]
    await stage("get_action", "act_3")
    assert (between.answered, between.service.heard) == (["act_1"], [("act_2", {"tokens_in": 9})])
    between.answer = None
    await Stage(way, between, bind=False)("get_action", "act_3")
    assert [said["tokens_in"] for _, said in between.service.heard] == [9, 0, 1]


async def test_a_delivery_ends_after_a_few_strangers_and_the_next_one_goes_on_behind_them(
    way: Way, folder: Path
) -> None:
    between = Between(Service())
    stage = Stage(way, between, bind=False, retry_seconds=0)
    for number in range(7):
        await spooled(stage, f"act_{number}", status="completed")
    between.service.up, between.answer = True, FOREIGN[4]
    rounds = []
    for _ in range(4):
        between.answered.clear()
        await stage("get_action", "act_9")
        rounds.append([int(each[4:]) for each in between.answered])
        stage.time.now += 31
    assert rounds == [[0, 1, 2], [3, 4, 5], [6, 0, 1], [2, 3, 4]]
    between.only = "act_0"
    for _ in range(2):
        await stage("get_action", "act_9")
        stage.time.now += 31
    assert {action_id for action_id, _ in between.service.heard} == {f"act_{number}" for number in range(1, 7)}
    assert [entry["action_id"] for entry in Survey(folder).waiting] == ["act_0"]
