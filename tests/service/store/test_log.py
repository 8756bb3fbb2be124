"""The log as its callers see it: what is delivered, what is refused, and what a new start finds."""

import threading
from collections import Counter
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from assent_service.store.failures import LogClosed
from assent_service.store.log import Log, Status, Submission, WriteResult
from assent_service.store.segments import segment_path
from tests.service.store.logbook import WAIT, Book, FaultyFiles, draft, goals, read_back, submission


def test_what_is_submitted_is_delivered_numbered_and_readable(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        mine = Submission((draft("a"), draft("b", org="org_b")), context={"future": 1})
        outcome = book.write(mine, submission("c"))
        assert outcome.error is None
        assert outcome.submissions[0] is mine
        assert outcome.submissions[0].context == {"future": 1}
        (a, b), (c,) = outcome.events
        assert [(e.seq, e.batch, e.batch_size, e.org, e.n) for e in (a, b, c)] == [
            (1, 1, 3, "org_a", 0),
            (2, 1, 3, "org_b", 0),
            (3, 1, 3, "org_a", 1),
        ]
        assert book.all() == [a, b, c]
        assert book.log.read(b.segment, b.offset, b.length) == b
        assert book.log.head == 3
        second = book.write(submission("d")).events[0][0]
        assert (second.seq, second.batch, second.batch_size, second.n) == (4, 4, 1, 2)
    assert read_back(tmp_path) == [a, b, c, second]


def test_the_file_holds_the_lines_and_nothing_else(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        (a,), (b,) = book.write(submission("a"), submission("b")).events
    content = segment_path(tmp_path / "log", 1).read_bytes()
    expected = b"".join(b"%d 1+2 %b %b %b\n" % (e.seq, e.leaf_hash.hex().encode(), e.header, e.body) for e in (a, b))
    assert content == expected


def test_salts_differ(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        events = [e for (e,) in book.write(*(submission("same") for _ in range(1000))).events]
    assert len({event.body[9:41] for event in events}) == 1000


def test_a_log_that_was_never_written_to_is_empty(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        assert (book.log.head, book.all(), list(book.log.tail)) == (0, [], [])
        assert book.log.status == Status("healthy")
    assert read_back(tmp_path) == []


def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    with Book(tmp_path):
        assert segment_path(tmp_path / "log", 1).stat().st_mode & 0o777 == 0o600


def test_a_draft_that_cannot_be_written_is_refused_at_the_door_with_its_list(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        with pytest.raises(ValueError, match="event org must be"):
            book.log.submit([submission("fine"), submission("bad", org="a b")])
        with pytest.raises(ValueError, match="at least one draft"):
            book.log.submit([Submission(())])
        book.log.submit([])
        assert goals(book.write(submission("next")).events[0]) == ["next"]
        assert goals(book.all()) == ["next"]


def test_nothing_is_shown_before_it_is_durable(tmp_path: Path) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        seen: list[tuple[int, int]] = []

        def look(operation: str) -> None:
            if operation == "fdatasync":
                seen.append((book.log.head, len(book.all())))
                assert book.outcomes.empty()

        files.before = look
        first = book.write(submission("a", "b")).events[0][0]
        book.write(submission("c"))
        assert seen == [(0, 0), (2, 2)]
        with pytest.raises(ValueError, match="past the log's end"):
            book.log.read(1, first.length * 3, 10)


def test_what_is_queued_while_a_write_is_slow_goes_into_one_batch(tmp_path: Path) -> None:
    files, slow, go = FaultyFiles(), threading.Event(), threading.Event()
    with Book(tmp_path, files=files) as book:

        def wait(operation: str) -> None:
            if operation == "fdatasync" and not go.is_set():
                slow.set()
                assert go.wait(WAIT)

        files.before = wait
        book.log.submit([submission("a")])
        assert slow.wait(WAIT)
        for what in "bcd":
            book.log.submit([submission(what)])
        go.set()
        first, second = book.outcomes.get(timeout=WAIT), book.outcomes.get(timeout=WAIT)
        assert [goals(events) for events in first.events] == [["a"]]
        assert [goals(events) for events in second.events] == [["b"], ["c"], ["d"]]
        assert {(e.batch, e.batch_size) for (e,) in second.events} == {(2, 3)}
        assert files.calls["fdatasync"] == 2


def test_closing_writes_what_is_queued_and_then_refuses(tmp_path: Path) -> None:
    book = Book(tmp_path)
    for i in range(50):
        book.log.submit([submission(str(i))])
    book.log.close()
    book.log.close()
    with pytest.raises(LogClosed):
        book.log.submit([submission("late")])
    assert goals(read_back(tmp_path)) == [str(i) for i in range(50)]


def test_a_receiver_that_fails_does_not_stop_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    done: SimpleQueue[WriteResult] = SimpleQueue()
    failing = [True]

    def deliver(outcome: WriteResult) -> None:
        if failing.pop() if failing else False:
            raise RuntimeError("the loop is closed")
        done.put(outcome)

    log = Log.open(tmp_path, deliver=deliver)
    log.submit([submission("a")])
    while failing:
        pass
    log.submit([submission("b")])
    assert goals(done.get(timeout=WAIT).events[0]) == ["b"]
    log.close()
    assert "could not be handed over" in caplog.text
    assert goals(read_back(tmp_path)) == ["a", "b"]


def test_many_threads_are_each_answered_once_in_order(tmp_path: Path) -> None:
    threads, each = 8, 500
    with Book(tmp_path, segment_bytes=200_000) as book:

        def work(me: int) -> None:
            for i in range(each):
                drafts = tuple(draft(f"{me}-{i}-{k}", org=f"org_{me % 3}") for k in range(1 + i % 2))
                book.log.submit([Submission(drafts, context=(me, i))])

        workers = [threading.Thread(target=work, args=(me,)) for me in range(threads)]
        for worker in workers:
            worker.start()
        order: dict[int, list[int]] = {me: [] for me in range(threads)}
        events = []
        while sum(map(len, order.values())) < threads * each:
            outcome = book.outcomes.get(timeout=WAIT)
            assert outcome.error is None
            for made, written in zip(outcome.submissions, outcome.events, strict=True):
                assert isinstance(made.context, tuple)
                me, i = made.context
                order[me].append(i)
                assert goals(written) == [f"{me}-{i}-{k}" for k in range(1 + i % 2)]
                assert len({event.batch for event in written}) == 1
                events += written
        for worker in workers:
            worker.join()
        with pytest.raises(Empty):
            book.outcomes.get(timeout=0.05)
    assert all(said == list(range(each)) for said in order.values())
    assert [event.seq for event in events] == list(range(1, threads * each * 3 // 2 + 1))
    for org, count in Counter(event.org for event in events).items():
        assert [event.n for event in events if event.org == org] == list(range(count))
    assert read_back(tmp_path) == events


def test_submitting_and_closing_at_once_loses_nobody(tmp_path: Path) -> None:
    for round_ in range(20):
        book = Book(tmp_path / str(round_))
        accepted = [0] * 4
        begun = threading.Barrier(5)

        def work(me: int, book: Book = book, accepted: list[int] = accepted, begun: threading.Barrier = begun) -> None:
            begun.wait(WAIT)
            try:
                for i in range(1000):
                    book.log.submit([submission(f"{me}-{i}")])
                    accepted[me] += 1
            except LogClosed:
                pass

        workers = [threading.Thread(target=work, args=(me,)) for me in range(4)]
        for worker in workers:
            worker.start()
        begun.wait(WAIT)
        book.log.close()
        for worker in workers:
            worker.join()
        answered = 0
        while not book.outcomes.empty():
            answered += len(book.outcomes.get().submissions)
        assert answered == sum(accepted)
