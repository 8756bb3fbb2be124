"""What becomes of a thread, by hand and by property."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assent.contract.exchange.threads import CreateThread, Thread, ThreadStatus
from assent.contract.roles import Role
from assent_service.base.clock import moment
from assent_service.core.principal import Principal
from assent_service.exchange.threads import begun, changed

KEY = Principal("org", "key", "key", Role.AGENT, None)


def new() -> Thread:
    return begun(KEY, CreateThread(name="the move", summary="begun"), "bot", "ct_1", 10)


def test_a_close_and_what_follows() -> None:
    closed = changed(new(), ThreadStatus.CLOSED, None, 20)
    assert (closed.status, closed.summary, closed.closed_at, closed.updated_at) == (
        "closed",
        "begun",
        moment(20),
        moment(20),
    )
    assert changed(closed, ThreadStatus.CLOSED, "begun", 30) is closed
    summed = changed(closed, ThreadStatus.CLOSED, "all moved", 30)
    assert (summed.summary, summed.closed_at, summed.updated_at) == ("all moved", moment(20), moment(30))
    opened = changed(summed, ThreadStatus.ACTIVE, None, 40)
    assert (opened.status, opened.summary, opened.closed_at) == ("active", "all moved", None)
    assert changed(opened, ThreadStatus.ACTIVE, None, 50) is opened


status = st.sampled_from([None, *ThreadStatus])


@given(st.lists(st.tuples(status, st.sampled_from([None, "", "a", "b"])), max_size=10))
def test_only_what_was_said_changes(changes: list[tuple[ThreadStatus | None, str | None]]) -> None:
    thread, now = new(), 10
    for wanted, summary in changes:
        before, now = thread, now + 1
        thread = changed(before, wanted, summary, now)
        assert thread.status == (wanted or before.status)
        assert thread.summary == (before.summary if summary is None else summary)
        assert (thread.closed_at is None) == (thread.status is ThreadStatus.ACTIVE)
        assert (thread.thread_id, thread.id, thread.name, thread.created_at) == ("ct_1", "ct_1", "the move", moment(10))
        if (thread.status, thread.summary) == (before.status, before.summary):
            assert thread is before
        else:
            assert thread.updated_at == moment(now)
