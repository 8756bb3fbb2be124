"""Two services on one log: what one records, the other knows; what both want, one gets; and nothing is signed twice.

The core of it is quick: two processes, a real PostgreSQL, HTTP. Where that takes seconds it is `deep`.
"""

from __future__ import annotations

import base64
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import count, cycle
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assent.proof.note import read_checkpoint
from assent_service.store.adoption import AdoptionRefused, adopt
from assent_service.store.audit import audit
from assent_service.store.postgresql.schema import migrate
from assent_service.store.replica_folder import MARK, discard
from tests.engine.server import Server
from tests.live import WAIT, LiveService, StartRefused, start_service
from tests.tiers import deep

WALLET_KEY = base64.b64encode(bytes(range(32))).decode()
Start = Callable[..., LiveService]
_numbers = count(1)


@pytest.fixture
def dsn(server: Server, database: str) -> str:
    return server.dsn(database)


@pytest.fixture
def start(tmp_path: Path, dsn: str) -> Iterator[Start]:
    """Starts a replica on this test's log; each name is a folder."""
    started: list[LiveService] = []

    def begin(name: str = "", **given: Any) -> LiveService:
        home = tmp_path / (name or f"replica{next(_numbers)}")
        given = {"ASSENT_LOG": dsn, "ASSENT_WALLET_KEY": WALLET_KEY, **given}
        started.append(start_service(home, **given))
        return started[-1]

    yield begin
    for service in started:
        service.stop()


@pytest.fixture
def pair(start: Start) -> tuple[LiveService, LiveService]:
    return start("one"), start("two")


def asked(service: LiveService, method: str, path: str, body: Any = None, **given: Any) -> dict[str, Any]:
    status, answer = service.call(method, path, body, **given)
    assert status < 300, (status, answer)
    return answer


def action(goal: str = "see", **given: Any) -> dict[str, Any]:
    return {"agent_id": "scout", "action_type": "read", "declared_goal": goal, **given}


def created(service: LiveService, **given: Any) -> str:
    return str(asked(service, "POST", "/api/actions", action(**given))["action_id"])


def copy_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log")))


APPROVAL = {"name": "ask", "policy_type": "require_approval", "rules": {"action_types": ["deploy"]}}


def test_what_one_records_is_in_the_next_answer_of_the_other(pair: tuple[LiveService, LiveService]) -> None:
    turns = cycle((pair, pair[::-1]))
    for number in range(40):
        writer, reader = next(turns)
        action_id = created(writer, goal=f"goal {number}")
        assert asked(reader, "GET", f"/api/actions/{action_id}")["action"]["declared_goal"] == f"goal {number}"
        asked(reader, "PATCH", f"/api/actions/{action_id}", {"status": "completed"})
        assert asked(writer, "GET", f"/api/actions/{action_id}")["action"]["status"] == "completed"
        assert asked(reader, "GET", "/api/actions?limit=1")["total"] == number + 1


@deep("the control of the test above")
def test_without_asking_the_database_an_answer_is_older_than_what_was_acknowledged(start: Start) -> None:
    writer, reader = start("one"), start("two", module="tests.engine.altered_service", WITHOUT="read index")
    found = [reader.call("GET", f"/api/actions/{created(writer)}")[0] for _ in range(40)]
    assert 404 in found


def test_halt_policies_and_keys_count_at_once_at_both(pair: tuple[LiveService, LiveService]) -> None:
    for one, two in (pair, pair[::-1]):
        assert asked(two, "POST", "/api/guard", action())["decision"] == "allow"
        asked(one, "POST", "/api/halt", {"reason": "stop"})
        assert asked(two, "POST", "/api/guard", action())["decision"] == "block"
        asked(two, "DELETE", "/api/halt")
        assert asked(one, "POST", "/api/guard", action())["decision"] == "allow"
        made = asked(one, "POST", "/api/keys", {"name": "k", "role": "operator"})
        asked(two, "GET", "/api/actions", key=made["api_key"])
        asked(two, "DELETE", f"/api/keys/{made['key']['key_id']}")
        assert one.call("POST", "/api/guard", action(), key=made["api_key"])[0] == 401
        assert one.call("GET", "/api/actions", key=made["api_key"])[0] == 401


@deep("two services, which wait in the middle of what they record")
def test_what_two_replicas_escalate_at_once_is_told_once(start: Start, dsn: str) -> None:
    """Both take the lease for theirs, and neither sees what the other sends: the fence of each action decides."""
    pair = [start(name, module="tests.engine.hasty_escalation") for name in ("one", "two")]
    rules = {"action_types": ["refund"], "escalate_after_minutes": 10, "escalate_to": "Leads"}
    asked(pair[0], "POST", "/api/policies", {"name": "ask", "policy_type": "require_approval", "rules": rules})
    waiting = [created(pair[number % 2], action_type="refund") for number in range(30)]
    for each in pair:
        assert asked(each, "GET", "/api/approvals?state=awaiting&limit=1")["total"] == len(waiting)
    with psycopg.connect(dsn) as connection:
        connection.execute("SELECT 1 FROM assent.log_head WHERE one FOR UPDATE")
        for each in pair:
            (each.home / "due").touch()
        time.sleep(1)
    ends = time.monotonic() + WAIT
    while asked(pair[1], "GET", "/api/escalations?limit=1")["total"] < len(waiting):
        assert time.monotonic() < ends
    told = [each["action_id"] for each in asked(pair[0], "GET", "/api/escalations?limit=200")["escalations"]]
    assert sorted(told) == sorted(waiting)
    for each in pair:
        while (recorded := copy_of(each.home).count(b"approval.escalated")) < len(waiting):
            assert time.monotonic() < ends
        assert recorded == len(waiting), "the table has a row for each; the log would have each of two"


def test_of_two_operators_at_two_replicas_one_decides(pair: tuple[LiveService, LiveService]) -> None:
    asked(pair[0], "POST", "/api/policies", APPROVAL)
    for number in range(12):
        action_id = created(pair[number % 2], action_type="deploy")
        begin = threading.Barrier(2)

        def decide(at: int, begin: threading.Barrier = begin, action_id: str = action_id) -> tuple[int, dict[str, Any]]:
            begin.wait()
            said = {"decision": ("allow", "deny")[at], "reasoning": "as I see it"}
            return pair[at].call("POST", f"/api/actions/{action_id}/approve", said)

        with ThreadPoolExecutor(2) as both:
            answers = list(both.map(decide, (0, 1)))
        assert sorted(status for status, _ in answers) == [200, 409], answers
        winner = next(at for at in (0, 1) if answers[at][0] == 200)
        assert answers[1 - winner][1]["code"] == "already_decided", answers
        decided = answers[winner][1]["action"]["status"]
        assert {asked(each, "GET", f"/api/actions/{action_id}")["action"]["status"] for each in pair} == {decided}


@deep("forty creations by two processes")
def test_the_last_places_of_a_rate_limit_are_given_once(pair: tuple[LiveService, LiveService]) -> None:
    limit = {"max_actions": 5, "window_minutes": 60, "action": "block"}
    asked(pair[0], "POST", "/api/policies", {"name": "few", "policy_type": "rate_limit", "rules": limit})

    def create(number: int) -> str:
        answer = pair[number % 2].call("POST", "/api/actions", action(f"goal {number}"))[1]
        return str(answer["action"]["status"]) if "action" in answer else str(answer["code"])

    with ThreadPoolExecutor(8) as agents:
        became = list(agents.map(create, range(40)))
    assert became.count("running") == 5, became


@deep("ten races between two processes")
def test_a_request_that_is_repeated_elsewhere_is_the_same_one(pair: tuple[LiveService, LiveService]) -> None:
    for number in range(10):
        headers = {"idempotency-key": f"once {number}"}

        def create(at: int, headers: dict[str, str] = headers) -> str:
            return str(asked(pair[at], "POST", "/api/actions", action(), headers=headers)["action_id"])

        with ThreadPoolExecutor(4) as tries:
            assert len(set(tries.map(create, (0, 1, 0, 1)))) == 1
    assert {asked(each, "GET", "/api/actions")["total"] for each in pair} == {10}


@deep("ten races between two processes")
def test_there_is_one_head_of_each_size(pair: tuple[LiveService, LiveService]) -> None:
    notes: dict[int, set[str]] = {}
    for number in range(10):
        created(pair[number % 2])

        def head(at: int) -> str:
            return str(asked(pair[at], "GET", "/api/log/head")["checkpoint"])

        with ThreadPoolExecutor(2) as both:
            for note in both.map(head, (0, 1)):
                notes.setdefault(read_checkpoint(note)[0].size, set()).add(note)
    assert notes
    assert all(len(each) == 1 for each in notes.values()), notes


@deep("two processes of its own")
def test_an_erasure_at_one_blanks_the_database_and_both_copies(pair: tuple[LiveService, LiveService], dsn: str) -> None:
    secret = "what nobody shall read again"
    gone, kept = created(pair[0], goal=secret), created(pair[1], goal="this stays")
    asked(pair[1], "PATCH", f"/api/actions/{gone}", {"status": "completed"})
    erased = asked(pair[1], "POST", f"/api/actions/{gone}/erase", {"reason": "asked for"})
    for each in pair:
        status, answer = each.call("GET", f"/api/actions/{gone}")
        assert (status, answer["code"]) == (410, "action_erased"), answer
        assert asked(each, "GET", f"/api/actions/{kept}")["action"]["declared_goal"] == "this stays"
        assert secret.encode() not in b"".join(path.read_bytes() for path in (each.home / "log").iterdir())
    with psycopg.connect(dsn) as connection:
        bodies = [bytes(body) for (body,) in connection.execute("SELECT body FROM assent.log").fetchall()]
    assert not any(secret.encode() in body for body in bodies)
    assert sum(not body.strip() for body in bodies) == erased["events"]


@deep("two processes of its own")
def test_a_stream_goes_on_at_the_other(pair: tuple[LiveService, LiveService]) -> None:
    """The ids are the organization's own numbers, the same at both: no gap, nothing twice."""
    seen: list[int] = []
    last = "0"
    for number in range(6):
        created(pair[number % 2])
        reader = pair[(number + 1) % 2]
        connection = HTTPConnection("127.0.0.1", reader.port, timeout=20)
        headers = {"x-api-key": reader.admin_key, "last-event-id": last}
        connection.request("GET", "/api/stream", headers=headers)
        response = connection.getresponse()
        assert response.status == 200
        due = asked(reader, "GET", "/api/log/head")["size"]
        while not seen or seen[-1] < due - 1:
            line = response.readline().decode().strip()
            if line.startswith("id:"):
                seen.append(int(line.removeprefix("id:")))
                last = str(seen[-1])
        connection.close()
    assert seen == sorted(set(seen))
    assert len(seen) >= 6


@deep("three processes, one killed")
def test_what_was_acknowledged_is_there_after_a_kill(start: Start, dsn: str, tmp_path: Path) -> None:
    one, two = start("one"), start("two")
    done: list[str] = []
    ended = threading.Event()

    def work(at: int) -> None:
        while not ended.is_set():
            try:
                done.append(created((one, two)[at]))
            except (OSError, ValueError):
                assert at == 0, "the other replica answered nothing"
                return

    threads = [threading.Thread(target=work, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    one.kill()
    before = len(done)
    time.sleep(0.7)
    ended.set()
    for thread in threads:
        thread.join()
    assert len(done) > before, "the other one went on"
    again, new = start("one"), start("three")
    for each in (two, again, new):
        total = asked(each, "GET", "/api/actions?limit=1")["total"]
        # One more may have been recorded whose answer never came.
        assert len(done) <= total <= len(done) + 1
        assert asked(each, "GET", f"/api/actions/{done[-1]}")
    for each in (two, again, new):
        each.stop()
    logs = [
        b"".join(path.read_bytes() for path in sorted((tmp_path / name / "log").glob("*.log")))
        for name in ("two", "three")
    ]
    assert logs[0] == logs[1]
    for name in ("one", "two", "three"):
        found = audit(tmp_path / name)
        assert found.ok, found.checks


@deep("a lease has to run out")
def test_a_run_of_a_replica_that_hangs_is_interrupted_by_another_once(start: Start) -> None:
    one, two = start("one"), start("two")
    for number in range(20):
        created(one, goal=f"goal {number}")
    config = {"type": "contains", "name": "tone", "config": {"keywords": ["goal"]}}
    scorer = asked(one, "POST", "/api/evaluations/scorers", config)["id"]
    run = asked(one, "POST", "/api/evaluations/runs", {"name": "all", "scorer_id": scorer})["id"]
    os.kill(one.process.pid, signal.SIGSTOP)
    try:
        assert status_of(two, run) == "running"
        ends = time.monotonic() + WAIT
        while status_of(two, run) == "running" and time.monotonic() < ends:
            time.sleep(0.2)
    finally:
        os.kill(one.process.pid, signal.SIGCONT)
    assert status_of(two, run) == "interrupted"
    # The one that hung judges to the end, and does not take that back.
    ends = time.monotonic() + 3
    while time.monotonic() < ends:
        assert status_of(two, run) == "interrupted"
        time.sleep(0.2)
    created(one)
    assert status_of(one, run) == "interrupted"


def status_of(service: LiveService, run: str) -> str:
    return str(asked(service, "GET", f"/api/evaluations/runs/{run}")["run"]["status"])


@deep("two processes of its own")
def test_a_key_a_file_and_a_bundle_are_had_from_both(pair: tuple[LiveService, LiveService]) -> None:
    action_id = created(pair[0])
    proof = asked(pair[0], "GET", f"/api/governance/proof?action_id={action_id}&format=bundle")
    assert proof == asked(pair[1], "GET", f"/api/governance/proof/export?bundle_id={proof['bundle_id']}")
    keys = [asked(each, "GET", "/api/signing-keys")["keys"] for each in pair]
    assert keys[0] == keys[1] != []
    said = {
        "from_agent_id": "scout",
        "subject": "a file",
        "body": "see there",
        "attachments": [
            {"filename": "a.txt", "mime_type": "text/plain", "data": base64.b64encode(b"content").decode()}
        ],
    }
    sent = asked(pair[0], "POST", "/api/messages", said)
    attachment = sent["message"]["attachments"][0]["id"]
    connection = HTTPConnection("127.0.0.1", pair[1].port, timeout=20)
    connection.request("GET", f"/api/messages/attachments?id={attachment}", headers={"x-api-key": pair[1].admin_key})
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b"content")
    connection.close()


@deep("seven starts of services")
def test_folders_of_others_are_refused(tmp_path: Path, start: Start, dsn: str) -> None:
    with start_service(tmp_path / "alone") as alone:
        created(alone)
    with pytest.raises(StartRefused, match="has a log of its own, and would lose it"):
        start("alone")
    with start("shared") as shared:
        created(shared)
    with pytest.raises(StartRefused, match="is a replica's: its log is in a database"):
        start_service(tmp_path / "shared")
    with pytest.raises(StartRefused, match="ASSENT_WALLET_KEY is missing"):
        start_service(tmp_path / "new", ASSENT_LOG=dsn)
    with start_service(tmp_path / "alone") as alone:
        assert asked(alone, "GET", "/api/actions")["total"] == 1
    with start("later") as later:
        assert "was upgraded" not in later.output
    # A log that is not in its place, as on a disk that is not mounted, is the folder's own all the same.
    alone_home = tmp_path / "alone"
    (alone_home / "log").rename(tmp_path / "aside")
    (alone_home / "log").mkdir()
    before = contents(alone_home)
    with pytest.raises(StartRefused, match="has a log of its own, and would lose it"):
        start("alone")
    assert contents(alone_home) == before


@deep("starts of services")
def test_a_folder_in_use_and_a_copy_of_another_log_are_left_as_they_are(
    tmp_path: Path, start: Start, server: Server, empty: str
) -> None:
    migrate(server.dsn(empty))
    one = start("one")
    action_id = created(one)
    before = contents(one.home)
    with pytest.raises(StartRefused, match="is a copy of another database's log"):
        start("one", ASSENT_LOG=server.dsn(empty))
    with pytest.raises(StartRefused, match="in use by another Assent process"):
        start("one")
    assert contents(one.home).keys() >= before.keys()
    assert asked(one, "GET", f"/api/actions/{action_id}")["action"]["action_id"] == action_id
    one.stop()
    before = contents(one.home)
    with pytest.raises(StartRefused, match="is a copy of another database's log"):
        start("one", ASSENT_LOG=server.dsn(empty))
    assert contents(one.home) == before
    # A link to another disk is emptied, and not taken for what was discarded.
    (one.home / "log").rename(tmp_path / "disk")
    (one.home / "log").symlink_to(tmp_path / "disk")
    discard(one.home)
    assert (one.home / "log").is_symlink()
    assert list((tmp_path / "disk").iterdir()) == []
    with start("one") as again:
        assert asked(again, "GET", f"/api/actions/{action_id}")["action"]["action_id"] == action_id


def contents(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@deep("two starts of a service")
def test_a_copy_of_what_the_database_has_lost_is_made_anew(
    start: Start, server: Server, database: str, tmp_path: Path
) -> None:
    with start("one") as one:
        kept = created(one)
        head = int(server.run("SELECT seq FROM assent.log_head", database)[0][0])  # type: ignore[call-overload]
        lost = created(one)
    restored_to(head, server, database)
    assert (tmp_path / "one" / MARK).exists()
    with start("one") as again:
        assert "is made anew" in again.output
        assert asked(again, "GET", f"/api/actions/{kept}")
        assert again.call("GET", f"/api/actions/{lost}")[0] == 404
        created(again)
        assert asked(again, "POST", "/api/guard", action())["decision"] == "allow"
        assert signs_nothing(again)


@deep("eight starts of services")
def test_what_another_replica_has_signed_is_not_signed_otherwise_after_a_restore(
    start: Start, server: Server, database: str, tmp_path: Path
) -> None:
    """The head was given out by the other one, and no folder but its own has it."""
    with start("one") as one, start("two") as two:
        created(one)
        first = asked(one, "GET", "/api/log/head")
        head = int(server.run("SELECT seq FROM assent.log_head", database)[0][0])  # type: ignore[call-overload]
        there = {name for (name,) in server.run("SELECT name FROM assent.objects WHERE kind = 'head'", database)}
        created(two)
        given, _, _ = read_checkpoint(signed_now(two))
        assert given.size > first["size"]
        # The first one has read all of it.
        assert asked(one, "GET", "/api/actions?limit=1")["total"] == 3
        two.stop()
        asked(one, "GET", "/api/actions?limit=1")
        one.stop()
    read = int(server.run("SELECT seq FROM assent.log_head", database)[0][0])  # type: ignore[call-overload]
    for (name,) in server.run("SELECT name FROM assent.objects WHERE kind = 'head'", database):
        if name not in there:
            server.run(f"DELETE FROM assent.objects WHERE kind = 'head' AND name = '{name}'", database)
    restored_to(head, server, database)
    with start("one") as again:
        assert f"had read event {read}, and the log in the database does not hold it" in signs_nothing(again)
        for _ in range(given.size):
            created(again)
        assert again.call("GET", f"/api/log/head?size={given.size}")[0] == 503
        status, answer = again.call("POST", "/api/signing-keys/rotate")
        assert (status, answer["code"]) == (503, "wallet_unavailable"), answer
        assert "run `assent log adopt`" in answer["detail"]
    # The database is longer than the copy was, and the copy is of the database's own history now.
    with start("one") as again:
        assert signs_nothing(again)
    now = {name for (name,) in server.run("SELECT name FROM assent.objects WHERE kind = 'head'", database)}
    assert now == there
    assert adopt(tmp_path / "one").lost_event == read
    with start("one") as again:
        assert signs_nothing(again) == ""
        second, _, _ = read_checkpoint(asked(again, "GET", f"/api/log/head?size={given.size}")["checkpoint"])
        assert (second.size, second.root != given.root) == (given.size, True)
        keys = asked(again, "GET", "/api/signing-keys")["keys"]
        (ended,) = [each for each in keys if each["kid"] == first["kid"]]
        assert ended["status"] == "retired"
        assert f"Event {read}, as a service had read it, is not of it." in ended["reason"]
        assert asked(again, "GET", "/api/log/head")["kid"] != first["kid"]
    with start("one") as again:
        assert signs_nothing(again) == ""
        assert len(asked(again, "GET", "/api/signing-keys")["keys"]) == len(keys)


@deep("five starts of a service")
def test_a_lost_event_that_the_database_holds_again_keeps_nobody_from_signing(
    start: Start, server: Server, database: str, tmp_path: Path
) -> None:
    """A newer backup was found. Until the copy is made anew there is nothing to adopt."""
    with start("one") as one:
        created(one)
        head = int(server.run("SELECT seq FROM assent.log_head", database)[0][0])  # type: ignore[call-overload]
        created(one)
    server.run(
        "CREATE TABLE kept AS SELECT * FROM assent.log; CREATE TABLE kept_head AS SELECT * FROM assent.log_head",
        database,
    )
    server.run("CREATE TABLE kept_organizations AS SELECT * FROM assent.organizations", database)
    restored_to(head, server, database)
    with pytest.raises(AdoptionRefused, match="there is nothing to adopt"):
        adopt(tmp_path / "one")
    with start("one") as again:
        assert signs_nothing(again)
    server.run(
        f"INSERT INTO assent.log SELECT * FROM kept WHERE seq > {head};"
        "UPDATE assent.log_head h SET seq = k.seq FROM kept_head k;"
        "UPDATE assent.organizations o SET n = k.n FROM kept_organizations k WHERE k.org = o.org",
        database,
    )
    with start("one") as again:
        assert signs_nothing(again) == ""
        assert signed_now(again)
    assert not (tmp_path / "one" / "lost-events").exists()


@deep("three starts of services")
def test_a_key_that_opens_none_of_the_shared_signing_keys_is_refused_at_the_start(
    start: Start, server: Server, database: str
) -> None:
    other = base64.b64encode(bytes(range(1, 33))).decode()
    # With no key in the database there is nothing to compare.
    with start("one") as one:
        signed_now(one)
        keys = asked(one, "GET", "/api/signing-keys")
        with pytest.raises(StartRefused, match="Error: ASSENT_WALLET_KEY is another one than that of the") as refused:
            start("two", ASSENT_WALLET_KEY=other)
        assert refused.value.code == 2
        assert "Traceback" not in refused.value.output
        assert other not in refused.value.output
        assert asked(one, "GET", "/api/signing-keys") == keys
        assert signs_nothing(one) == ""
        # Where the key is lost for good, as the how-to says.
        server.run("DELETE FROM assent.objects WHERE kind = 'key'", database)
    with start("two", ASSENT_WALLET_KEY=other) as two:
        asked(two, "POST", "/api/signing-keys/rotate", {"reason": "the wallet key was lost"})
        assert asked(two, "GET", "/api/log/head")["kid"] != keys["keys"][0]["kid"]


def signs_nothing(service: LiveService) -> str:
    """Why; empty where it signs."""
    status, ready = service.call("GET", "/ready", key=None)
    (wallet,) = [each for each in ready["checks"] if each["name"] == "wallet"]
    if wallet["status"] == "pass":
        return ""
    assert (status, wallet["status"], wallet["code"]) == (503, "fail", "wallet_unavailable")
    status, answer = service.call("GET", "/api/log/head")
    assert (status, answer["code"]) == (503, "wallet_unavailable"), answer
    return str(wallet["detail"])


def signed_now(service: LiveService) -> str:
    """A head of the whole log."""
    size = asked(service, "GET", "/api/log/head")["size"]
    created_id = created(service)
    asked(service, "GET", f"/api/governance/proof?action_id={created_id}&format=bundle")
    newest = asked(service, "GET", "/api/log/head")
    assert newest["size"] > size
    return str(newest["checkpoint"])


def restored_to(head: int, server: Server, database: str) -> None:
    """Leave the log as after a restore to the moment of this event."""
    server.run(
        f"DELETE FROM assent.log WHERE seq > {head}; UPDATE assent.log_head SET seq = {head};"
        "UPDATE assent.organizations o SET n = (SELECT count(*) FROM assent.log l WHERE l.org = o.org)",
        database,
    )
