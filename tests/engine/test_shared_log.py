"""The log in PostgreSQL: what an append writes, what overtakes it, and what the database refuses."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from assent_service.store.batch import Salts
from assent_service.store.event import Draft, decode, encode
from assent_service.store.failures import HistoryLost, OutcomeUnknown
from assent_service.store.postgresql.connecting import (
    ClockOff,
    Connection,
    DatabaseUnsuitable,
    RowDamaged,
)
from assent_service.store.postgresql.schema import VERSION, migrate
from assent_service.store.postgresql.shared_log import Answer, Call, Overtaken, SharedLog
from assent_service.store.segments import LogPlace
from tests.engine.drafts import draft, numbers, submission
from tests.engine.proxy import Proxy
from tests.engine.server import Server

Opened = Callable[..., SharedLog]


class FixedSalts(Salts):
    def take(self) -> bytes:
        return b"\x07" * 16


def test_lines_are_those_that_a_file_would_have(log: SharedLog) -> None:
    log._salts = FixedSalts()
    first, other, last = (
        draft("one"),
        draft("two", "org_b"),
        Draft("o", "t", time.time_ns() // 1000, "s", "k", b"{}", "a"),
    )
    log.append([submission("zero")])
    result = log.append([type(submission("x"))((first, other)), type(submission("x"))((last,))])
    # Event 1 is there, so org_a goes on with n 1; the three are one write.
    expected = [
        encode(each, seq, 2, n, b"\x07" * 16, 0, 0, 3) for each, seq, n in ((first, 2, 1), (other, 3, 0), (last, 4, 0))
    ]
    assert list(log.lines(1)) == [line for _, line in expected]
    assert result.before == 1
    assert result.outcomes == [[expected[0][0], expected[1][0]], [expected[2][0]]]
    assert log.head() == 4


def test_a_leaf_is_the_hash_of_the_stored_header(log: SharedLog) -> None:
    log.append([submission(*"abcdefghijkl")])
    for place, line in enumerate(log.lines(0), 1):
        seq, batch, leaf, header, body = line[:-1].split(b" ", 4)
        assert (int(seq), batch) == (place, b"1+12")
        assert hashlib.sha256(b"\0" + header).hexdigest().encode() == leaf
        said = json.loads(header)
        assert said["n"] == place - 1
        assert (
            said["body_digest"]
            == "sha256:" + hashlib.sha256(bytes.fromhex(body[9:41].decode()) + body[50:-1]).hexdigest()
        )
        # Canonical: sorted, and nothing that could be left out.
        assert json.dumps(said, sort_keys=True, separators=(",", ":")).encode() == header


def test_numbers_go_on_for_each_organization_and_over_processes(opened: Opened) -> None:
    one, two = opened(), opened()
    assert numbers(one.append([submission("a", "b"), submission("c", org="org_b")]).outcomes[0]) == [
        (1, "org_a", 0),
        (2, "org_a", 1),
    ]
    assert numbers(two.append([submission("d", org="org_b")]).outcomes[0]) == [(4, "org_b", 1)]
    assert numbers(one.append([submission("e")]).outcomes[0]) == [(5, "org_a", 2)]
    assert [event.seq for event in two.events(2, limit=2)] == [3, 4]
    assert [event.seq for event in two.events(1, up_to=3)] == [2, 3]


def test_a_fence_that_moved_since_it_was_read_overtakes(opened: Opened) -> None:
    one, two = opened(), opened()
    one.append([submission("asked", moves="approval")])
    assert numbers(one.append([submission("yes", reads="approval", after=1, moves="approval")]).outcomes[0]) == [
        (2, "org_a", 1)
    ]
    assert two.append([submission("no", reads=("other", "approval"), after=1, moves="approval")]).outcomes == [
        Overtaken(2)
    ]
    assert two.head() == 2
    assert numbers(two.append([submission("no", reads="approval", after=2)]).outcomes[0]) == [(3, "org_a", 2)]


def test_each_submission_is_judged_by_what_it_has_read_itself(log: SharedLog) -> None:
    log.append([submission("policy", moves="rules")])
    new, old = submission("a", reads="rules", after=1), submission("b", reads="rules", after=0)
    assert [numbers(each) for each in log.append([new, old]).outcomes] == [[(2, "org_a", 1)], 1]
    assert [numbers(each) for each in log.append([old, new]).outcomes] == [1, [(3, "org_a", 2)]]


def test_submissions_of_a_call_count_one_after_the_other(log: SharedLog) -> None:
    log.append([submission("policy", moves="rules")])
    outcomes = log.append(
        [
            submission("a", org="org_a", reads="rules", after=0),  # has not seen the policy
            submission("b", "c", org="org_b", reads="rules", after=1),
            submission("halt", org="org_c", reads="rules", after=1, moves="rules"),
            submission("d", org="org_a", reads="rules", after=1),  # read before the halt above
            submission("e", org="org_b"),
            submission("f", org="org_a", reads="halted", after=1),
        ]
    ).outcomes
    assert [numbers(each) for each in outcomes] == [
        1,
        [(2, "org_b", 0), (3, "org_b", 1)],
        [(4, "org_c", 0)],
        4,
        [(5, "org_b", 2)],
        [(6, "org_a", 1)],
    ]
    events = list(log.events(1))
    assert [(each.batch, each.batch_size) for each in events] == [(2, 5)] * 5
    assert events == [event for each in outcomes if not isinstance(each, Overtaken) for event in each]


def test_ones_own_moves_overtake_nothing_that_rests_on_being_the_only_one(opened: Opened) -> None:
    one, two = opened(), opened()
    mine = submission("x", reads="rate", after=0, moves="rate", own=True)
    for form in ([mine], [mine, mine], [mine, submission("y", reads="else", moves="f"), submission("z", reads="f")]):
        outcomes = one.append(form).outcomes
        assert not isinstance(outcomes[0], Overtaken), outcomes
    assert not isinstance(outcomes[1], Overtaken)
    assert outcomes[2] == Overtaken(5), "this form goes one by one"
    # Another writer's, and a move of one's own after it hides nothing.
    head = two.head()
    assert not isinstance(
        two.append([submission("a", reads="rate", after=head, moves="rate", own=True)]).outcomes[0], Overtaken
    )
    assert one.append([mine]).outcomes == [Overtaken(head + 1)]
    assert not isinstance(two.append([submission("b", moves="rate")]).outcomes[0], Overtaken)
    assert one.append([submission("c", reads="rate", after=head + 1, own=True)]).outcomes == [Overtaken(head + 2)]
    assert not isinstance(one.append([submission("d", moves="rate")]).outcomes[0], Overtaken)
    assert one.append([submission("e", reads="rate", after=head + 1, own=True)]).outcomes == [Overtaken(head + 2)]
    assert not isinstance(one.append([submission("f", reads="rate", after=head + 2, own=True)]).outcomes[0], Overtaken)
    assert one.append([submission("g", reads="rate", after=head + 2)]).outcomes == [Overtaken(head + 3)]
    both = [submission("h", moves="other"), submission("i", reads=("rate", "other"), after=head + 4, own=True)]
    assert not isinstance(one.append(both).outcomes[1], Overtaken)


def test_one_that_was_overtaken_overtakes_nobody(log: SharedLog) -> None:
    log.append([submission("x", moves="a")])
    outcomes = log.append(
        [
            submission("1", reads="a", after=0, moves="b"),
            submission("2", reads="b", after=1),
            submission("3", moves="b"),
        ]
    ).outcomes
    assert [numbers(each) for each in outcomes] == [1, [(2, "org_a", 1)], [(3, "org_a", 2)]]
    assert log.append([submission("4", reads="b", after=2)]).outcomes == [Overtaken(3)]


def test_a_call_of_which_all_is_overtaken_writes_nothing(log: SharedLog) -> None:
    log.append([submission("x", moves="a")])
    assert (
        log.append([submission("1", reads="a"), submission("2", org="new", reads="a")]).outcomes == [Overtaken(1)] * 2
    )
    assert log.head() == 1
    assert numbers(log.append([submission("3", org="new")]).outcomes[0]) == [(2, "new", 0)]


def test_forgotten_fences_overtake_whoever_is_so_far_behind(log: SharedLog) -> None:
    for name in ("a", "b", "c"):
        log.append([submission(name, moves=name)])
    log.prune(0.0)
    # Only event 3 is known to be the newest that a forgotten fence stood for.
    assert log.append([submission("x", reads="a", after=2)]).outcomes == [Overtaken(3)]
    assert numbers(log.append([submission("x", reads="a", after=3)]).outcomes[0]) == [(4, "org_a", 3)]
    log.append([submission("y", moves="a")])
    log.prune(3600.0)
    assert log.append([submission("z", reads="a", after=4)]).outcomes == [Overtaken(5)]


def test_who_has_read_what_the_database_lost_is_told(log: SharedLog) -> None:
    log.append([submission("x")])
    with pytest.raises(HistoryLost, match="event 9, and the database's log ends at 1"):
        log.append([submission("y", reads="a", after=9)])
    assert log.status.state == "refusing"
    assert numbers(log.append([submission("y", reads="a", after=1)]).outcomes[0]) == [(2, "org_a", 1)]
    event = next(log.events(1))
    assert log.holds(2, event.leaf_hash)
    assert not log.holds(2, b"\0" * 32)
    assert not log.holds(3, event.leaf_hash)


@pytest.mark.parametrize(("late", "taken"), [(-30.0, False), (-0.3, True), (50.0, True), (90.0, False)])
def test_a_time_too_far_from_the_databases_clock_is_refused(log: SharedLog, late: float, taken: bool) -> None:
    if taken:
        log.append([submission("x", late=late)])
    else:
        with pytest.raises(ClockOff) as refused:
            log.append([submission("ok"), submission("x", late=late)])
        assert abs(refused.value.offset) < 5_000_000
    assert log.head() == (1 if taken else 0)
    assert log.append([submission("y")]).outcomes


def test_a_cut_answer_is_asked_for_again_and_nothing_is_written_twice(server: Server, database: str) -> None:
    with Proxy(server.port) as proxy, closing(SharedLog.open(server.dsn(database, port=proxy.port))) as log:
        log.append([submission("first")])
        proxy.cut_answers(3, to=b"goal")
        result = log.append([submission("second", moves="f"), submission("third")])
        assert (proxy.cut, result.sent) == (3, 4)
        assert [numbers(each) for each in result.outcomes] == [[(2, "org_a", 1)], [(3, "org_a", 2)]]
        assert [event for each in result.outcomes for event in each] == list(log.events(1))
        # The one that goes one by one, too.
        proxy.cut_answers(2, to=b"goal")
        result = log.append([submission("4", reads="f", after=1), submission("5")])
        assert [numbers(each) for each in result.outcomes] == [2, [(4, "org_a", 3)]]
        assert proxy.cut == 5
        assert log.head() == 4


def test_under_a_new_number_it_would_be_written_twice(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the numbers of calls are for."""
    as_it_is = SharedLog._ask

    def careless(log: SharedLog, connection: Connection, call: Call, *, each: bool) -> Answer:
        log._counter += 1
        return as_it_is(log, connection, call, each=each)

    monkeypatch.setattr(SharedLog, "_ask", careless)
    with Proxy(server.port) as proxy, closing(SharedLog.open(server.dsn(database, port=proxy.port))) as log:
        log.append([submission("first")])
        proxy.cut_answers(1, to=b"goal")
        log.append([submission("second")])
        assert log.head() == 3


def test_a_call_that_was_given_up_never_comes_into_the_log_later(server: Server, database: str, opened: Opened) -> None:
    """Its copy waits behind somebody who holds the head, and the writer's next call is there first."""
    log = opened(patience=0.0)
    late = opened()
    late._writer = log._writer
    with psycopg.connect(server.dsn(database)) as holder:
        holder.execute("SELECT FROM assent.log_head FOR UPDATE")
        given_up = ThreadPoolExecutor(1)
        outcome = given_up.submit(log.append, [submission("given up")])
        _wait_for_a_lock(server, database)
        server.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}' "
            "AND wait_event_type = 'Lock'"
        )
        with pytest.raises(OutcomeUnknown, match="whether 1 submissions were recorded is not known"):
            outcome.result(10)
        given_up.shutdown()
    assert numbers(log.append([submission("next")]).outcomes[0]) == [(1, "org_a", 0)]
    late._counter = 0
    with pytest.raises(OutcomeUnknown):
        late.append([submission("given up")])
    assert log.head() == 1


def _wait_for_a_lock(server: Server, database: str) -> None:
    ends = time.monotonic() + 20
    while not server.run(f"SELECT 1 FROM pg_stat_activity WHERE datname = '{database}' AND wait_event_type = 'Lock'"):
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_blank_bodies_are_spaces_and_the_rest_stays(log: SharedLog) -> None:
    log.append([submission("a", "b"), submission("secret", org="org_b")])
    before = list(log.lines(0))
    assert log.blank("org_b", [0]) == 1
    assert log.blank("org_b", [0, 1]) == 0
    after = list(log.lines(0))
    assert after[:2] == before[:2]
    start, body = re.fullmatch(rb"(.* )(\{\"salt\".*)\n", before[2]).groups()  # type: ignore[union-attr]
    assert after[2] == start + b" " * len(body) + b"\n"
    assert decode(after[2], 0, 0).erased
    assert [event.data for event in log.events(2)] == [None]


def test_damaged_and_missing_rows_are_told(server: Server, database: str, log: SharedLog) -> None:
    log.append([submission(*"abcd")])
    server.run(
        "UPDATE assent.log SET body = replace(convert_from(body, 'UTF8'), 'c', 'd')::bytea WHERE seq = 3", database
    )
    with pytest.raises(RowDamaged, match="event 3: "):
        list(log.events(0))
    server.run("DELETE FROM assent.log WHERE seq = 2", database)
    with pytest.raises(RowDamaged, match="event 2: it is missing"):
        list(log.lines(0))
    server.run("DELETE FROM assent.log WHERE seq = 4", database)
    with pytest.raises(RowDamaged, match="event 4: it is missing"):
        list(log.lines(3))


def test_the_first_object_of_a_name_stays(opened: Opened) -> None:
    one, two = opened(), opened()
    assert one.put("head", "org_a/1", b"first") == b"first"
    assert two.put("head", "org_a/1", b"second") == b"first"
    one.put("head", "org_b/1", b"")
    one.put("file", "org_a/x", b"\0\xff")
    assert two.get("head", "org_a/1") == b"first"
    assert two.names("head") == ["org_a/1", "org_b/1"]
    assert two.names("head", "org_b/") == ["org_b/1"]
    two.remove("file", "org_a/x")
    assert one.get("file", "org_a/x") is None
    with pytest.raises(psycopg.Error, match="kept for ever"):
        two.remove("head", "org_a/1")


def test_a_lease_has_one_holder_until_it_ends(opened: Opened) -> None:
    one, two = opened(), opened()
    assert one.lease("signer", "one", 30).granted
    held = two.lease("signer", "two", 30)
    assert (held.granted, held.holder) == (False, "one")
    assert 25 < held.seconds <= 30
    assert one.lease("signer", "one", 0.0).granted
    assert two.lease("signer", "two", 30).granted
    one.release("signer", "one")
    assert not one.lease("signer", "one", 30).granted
    two.release("signer", "two")
    assert one.lease("signer", "one", 30).granted


def test_who_ends_gives_its_leases_back_and_nobody_elses(opened: Opened) -> None:
    one, two = opened(), opened()
    for name in ("signer", "sender"):
        assert one.lease(name, "one", 30).granted
    assert two.lease("keeper", "two", 30).granted
    assert not one.lease("keeper", "one", 30).granted
    one.release_held("one")
    assert one.held() == []
    assert all(two.lease(name, "two", 30).granted for name in ("signer", "sender", "keeper"))
    two.release_held("somebody else")
    assert not one.lease("keeper", "one", 30).granted


def test_who_waits_is_woken_by_another_process_and_not_by_its_own_notices(opened: Opened) -> None:
    one, two = opened(), opened()
    assert not two.told(0.05)
    timer = threading.Timer(0.2, lambda: one.append([submission("x")]))
    timer.start()
    assert two.told(20)
    timer.join()
    assert not one.told(0.05)  # it listens from here on
    timer = threading.Timer(0.1, lambda: one.append([submission("y")]))
    timer.start()
    assert not one.told(1.0)
    assert two.told(20)
    timer.join()


def test_migrating_again_changes_nothing(server: Server, empty: str) -> None:
    dsn = server.dsn(empty)
    with pytest.raises(
        DatabaseUnsuitable,
        match=f"has no schema `assent`, and version {VERSION} is needed: run `assent migrate --log ...`",
    ):
        SharedLog.open(dsn)
    assert (migrate(dsn).before, migrate(dsn).before) == (0, VERSION)
    with closing(SharedLog.open(dsn)) as log:
        log.append([submission("x")])
        assert migrate(dsn).version == VERSION
        assert log.append([submission("y")]).before == 1
    server.run("INSERT INTO assent.schema_version VALUES (7)", empty)
    for refused in (lambda: SharedLog.open(dsn), lambda: migrate(dsn)):
        with pytest.raises(DatabaseUnsuitable, match=f"of version 7, made by a newer Assent; this one knows {VERSION}"):
            refused()


def test_migrating_side_by_side_is_done_once(server: Server, empty: str) -> None:
    found: list[int] = []
    several = [threading.Thread(target=lambda: found.append(migrate(server.dsn(empty)).before)) for _ in range(4)]
    for each in several:
        each.start()
    for each in several:
        each.join(30)
    assert sorted(found) == [0, VERSION, VERSION, VERSION]


def test_the_role_that_serves_appends_and_can_change_nothing(server: Server, database: str) -> None:
    role = f"serving_{database}"
    dsn = server.dsn(database, role)
    with pytest.raises(DatabaseUnsuitable, match=f"there is no role {role}"):
        migrate(server.dsn(database), role)
    server.run(f"CREATE ROLE {role} LOGIN")
    with pytest.raises(DatabaseUnsuitable, match=f"may not read the log: run `assent migrate --log ... --role {role}`"):
        SharedLog.open(dsn)
    migrate(server.dsn(database), role)
    with closing(SharedLog.open(dsn)) as log:
        assert numbers(log.append([submission("x", moves="f")]).outcomes[0]) == [(1, "org_a", 0)]
        assert log.append([submission("y", reads="f")]).outcomes == [Overtaken(1)]
        assert log.put("head", "o/1", b"x") == b"x"
        assert log.lease("l", "me", 1).granted
        assert log.blank("org_a", [0]) == 1
        log.prune(0.0)
        log.release("l", "me")
        assert [event.erased for event in log.events(0)] == [True]
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in (
            "UPDATE assent.log SET body = '{}'",
            "DELETE FROM assent.log",
            "INSERT INTO assent.log SELECT 2, 2, 1, org, 9, leaf, header, body FROM assent.log",
            "UPDATE assent.log_head SET seq = 0",
            "DELETE FROM assent.fences",
            "UPDATE assent.writers SET counter = 0",
            "DELETE FROM assent.objects",
            "TRUNCATE assent.log",
            "SELECT assent.write_batch(null,1,1,1,'{}','{}','{}','{}','{}','{}','{}','{}','{}')",
            "CREATE TABLE assent.mine (x int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
    server.run(f"DROP OWNED BY {role}", database)
    server.run(f"DROP ROLE {role}")


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("synchronous_commit", "off", "synchronous_commit is off"),
        ("synchronous_commit", "local", "synchronous_commit is local"),
        ("default_transaction_isolation", "serializable", "default_transaction_isolation is serializable"),
    ],
)
def test_a_database_that_can_lose_what_it_acknowledges_is_refused(
    server: Server, database: str, setting: str, value: str, said: str
) -> None:
    with pytest.raises(DatabaseUnsuitable, match=said):
        SharedLog.open(f"{server.dsn(database)}&options=-c%20{setting}%3D{value}")


def test_a_database_that_is_being_copied_to_serves_nobody(server: Server, database: str) -> None:
    server.run("UPDATE assent.log_head SET copying = true", database)
    with pytest.raises(DatabaseUnsuitable, match="being copied into this database"):
        SharedLog.open(server.dsn(database))


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(DatabaseUnsuitable) as refused:
        SharedLog.open("postgresql://me:hunter2@127.0.0.1:1/assent?connect_timeout=1")
    assert "127.0.0.1/assent" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_what_is_no_append_is_refused_before_it_is_sent(log: SharedLog) -> None:
    with pytest.raises(ValueError, match="at least one draft"):
        log.append([submission()])
    with pytest.raises(ValueError, match="at least one submission"):
        log.append([])
    with pytest.raises(ValueError, match="event org"):
        log.append([submission("x", org="no spaces")])
    assert log.head() == 0


def test_what_is_recorded_is_never_said_to_be_nothing(log: SharedLog) -> None:
    """The database goes away between the append and the reading of what came before it."""

    def away(before: int) -> LogPlace:
        raise DatabaseUnsuitable("the database does not answer")

    with pytest.raises(OutcomeUnknown, match="what came before 1 submissions cannot be read"):
        log.append([submission("x")], away)
    assert log.head() == 1
    assert numbers(log.append([submission("y")]).outcomes[0]) == [(2, "org_a", 1)]
