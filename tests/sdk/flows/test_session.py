"""What a session's events add up to: stores, labels, bounds, images. Pure."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.flows import (
    Approved,
    Bounds,
    Called,
    Digester,
    Event,
    FlowError,
    Folded,
    LabelPut,
    LabelRemoved,
    Session,
    UserText,
    check_label,
    decide,
    digest_call,
    fold_result,
    provenance,
    shipped_pack,
    user_text,
)

DIGESTER, PACK = Digester(bytes(32)), shipped_pack()
DIGESTS = st.integers(0, 12)
LABELS = st.sampled_from(["untrusted_seen", "customer_data", "secret_read"])
CALLS = st.integers(0, 6)
EVENTS = st.one_of(
    st.builds(UserText, st.tuples(DIGESTS, DIGESTS)),
    st.builds(Approved, st.tuples(DIGESTS)),
    st.builds(Called, CALLS),
    st.builds(
        Folded,
        CALLS,
        st.just("t"),
        st.lists(st.tuples(DIGESTS, st.sampled_from("ab")), max_size=4).map(tuple),
        st.lists(DIGESTS, max_size=4).map(tuple),
        st.booleans(),
        st.booleans(),
        st.just(True),
    ),
    st.builds(LabelPut, CALLS, LABELS, st.just("pack"), st.integers(0, 6)),
    st.builds(LabelRemoved, CALLS, LABELS, st.just("op"), st.sampled_from(["seen", "known"]), st.integers(0, 6)),
)


def after(events: list[Event], bounds: Bounds | None = None) -> Session:
    session = Session() if bounds is None else Session(bounds)
    for event in events:
        session.fold(event)
    return session


def verdicts(session: Session) -> list[object]:
    """What is decided and known of every digest there is."""
    found: list[object] = [sorted(session.held()), session.calls]
    for name, arguments in (
        ("send_x", {"to": "a", "body": "b.com"}),
        ("delete_x", {"id": 1}),
        ("get_page", {"url": "c"}),
    ):
        call = digest_call(name, arguments, digester=DIGESTER, pack=PACK)
        for digest in range(13):
            each = [argument._replace(value=argument.value._replace(whole=digest, links=(digest,)), host=None)
                    for argument in call.arguments]  # fmt: skip
            found.append(
                (
                    decide(session, call._replace(arguments=tuple(each)), PACK),
                    provenance(session, each[0].value, "read", "other"),
                )
            )
    return found


def test_a_page_that_is_told_after_the_same_words_counts_as_one() -> None:
    """Quick: nothing but the session. One call's answer comes in two parts, of which the second is the page."""
    parts: list[Event] = [Folded(1, "t", free=(0,)), Folded(1, "t", free=(0,), page=True)]
    approved = Approved((1,))
    told = verdicts(after([approved, *parts]))
    assert told == verdicts(after([approved, *reversed(parts)])) == verdicts(after([approved, parts[1]]))
    assert told != verdicts(after([approved, parts[0]]))


@given(st.lists(EVENTS, max_size=12), st.integers(0, 2**32))
def test_the_order_of_events_changes_no_verdict(events: list[Event], seed: int) -> None:
    mixed = list(events)
    Random(seed).shuffle(mixed)
    assert verdicts(after(events)) == verdicts(after(mixed)) == verdicts(after(events + events))


@given(st.lists(EVENTS, max_size=12), EVENTS)
def test_what_is_in_a_store_stays_and_a_label_goes_by_its_removal_alone(events: list[Event], more: Event) -> None:
    before, now = after(events), after([*events, more])
    assert before.user <= now.user
    assert before.approved <= now.approved
    assert before.leaves.keys() <= now.leaves.keys()
    assert before.free.keys() <= now.free.keys()
    assert set(before.removals) <= set(now.removals)
    if not isinstance(more, LabelRemoved):
        assert before.held() <= now.held()
    for name, label in before.labels.items():
        assert now.labels[name].put >= label.put
        assert now.labels[name].removed >= label.removed


@given(st.lists(EVENTS, max_size=12))
def test_an_image_is_the_session(events: list[Event]) -> None:
    session = after(events)
    session.removals.sort()
    assert Session.from_image(session.image()) == session
    assert session.size(free=False) <= session.size() == len(session.image())


@pytest.mark.parametrize(
    "image", [b"", b"\x05\0\0\0", b"\x02\0\0\0{}", Session().image()[:-1], Session().image() + b"x"]
)
def test_bytes_that_are_no_image_are_refused(image: bytes) -> None:
    with pytest.raises(FlowError):
        Session.from_image(image)


def test_an_operator_takes_a_label_off_and_what_comes_after_puts_it_on_again() -> None:
    session = after([LabelPut(2, "customer_data", "pack"), Folded(3, "t", text=True)])
    assert session.held() == {"customer_data", "untrusted_seen"}
    session.fold(LabelRemoved(3, "untrusted_seen", "ops@example.com", "the file is ours"))
    assert session.held() == {"customer_data"}
    session.fold(Folded(3, "t", text=True))
    assert session.held() == {"customer_data"}, "the removal covers what it saw"
    session.fold(Folded(4, "t", text=True))
    assert session.held() == {"customer_data", "untrusted_seen"}
    assert session.removals == [LabelRemoved(3, "untrusted_seen", "ops@example.com", "the file is ours")]


def test_entries_of_one_call_are_told_apart_by_their_numbers() -> None:
    session = after([LabelPut(0, "mine", "told", 1), LabelRemoved(0, "mine", "ops", "not so", 2)])
    assert (session.held(), session.removed()) == (frozenset(), ("mine",))
    again = after([*session.removals, LabelPut(0, "mine", "told", 3), LabelPut(0, "mine", "told", 1)])
    assert (set(again.held()), again.removed()) == ({"mine"}, ())
    assert again.labels["mine"].call == 0, "no tool put it on"
    assert after([LabelRemoved(0, "never", "ops", "not so", 2)]).removed() == ()


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        (LabelPut(1, "Customer Data", "x"), "is no label"),
        (LabelPut(1, "", "x"), "is no label"),
        (LabelPut(1, "x" * 65, "x"), "is no label"),
        (LabelPut(-1, "a", "x"), "calls count from 1"),
        (Called(-3), "calls count from 1"),
        (Folded(-1, "t"), "calls count from 1"),
        (LabelRemoved(1, "a", "ops", "  "), "give both"),
        (LabelRemoved(1, "a", "", "why"), "give both"),
    ],
)
def test_an_event_that_means_nothing_is_refused(event: Event, complaint: str) -> None:
    with pytest.raises(FlowError, match=complaint):
        Session().fold(event)


def test_a_label_that_nobody_declared_is_named() -> None:
    check_label("untrusted_seen", PACK.labels)
    with pytest.raises(
        FlowError, match=r"nobody declared the label 'salaries'; the pack declares .*customer_data.*pack\.labels"
    ):
        check_label("salaries", PACK.labels)


@pytest.mark.parametrize(
    ("event", "bounds"),
    [
        (UserText((1, 2, 3)), Bounds(user=2)),
        (Approved((1, 2, 3)), Bounds(user=2)),
        (Folded(1, "t", ((1, "a"), (2, "a"), (3, "a"))), Bounds(leaves=2)),
        (Folded(1, "t", free=(1, 2, 3)), Bounds(free=2)),
        (Folded(1, "t", complete=False), Bounds()),
        (UserText((), complete=False), Bounds()),
    ],
)
def test_a_session_beyond_a_bound_says_so_for_ever(event: Event, bounds: Bounds) -> None:
    session = after([event, event, Folded(2, "t", ((1, "a"),))], bounds)
    assert session.complete is False
    assert max(map(len, (session.user, session.approved, session.leaves, session.free))) <= 2
    assert Session.from_image(session.image()) == session


def test_labels_and_removals_are_bounded() -> None:
    session = after([LabelPut(1, f"l{n:x}".replace("-", "_"), "x") for n in range(64)])
    with pytest.raises(FlowError, match="the most"):
        session.fold(LabelPut(1, "one_more", "x"))
    session = after([LabelRemoved(n, "a", "ops", "why") for n in range(256)])
    session.fold(LabelRemoved(3, "a", "ops", "why"))
    with pytest.raises(FlowError, match="begin another session"):
        session.fold(LabelRemoved(300, "a", "ops", "why"))


def test_a_hundred_thousand_calls_stay_small() -> None:
    session = Session()
    for number in range(1, 100_001):
        session.fold(Called(number))
        session.fold(Folded(number, "read_status", ((1, "state"),)))
    assert (session.calls, session.complete) == (100_000, True)
    assert session.size() < 300


def test_what_was_read_of_a_long_text_is_known_as_the_users() -> None:
    session = Session()
    session.fold(UserText((7, 8), complete=False))
    assert (session.user, session.complete) == ({7, 8}, False)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("read notes/plan.md and send it", True),
        ("Please read `notes/plan.md`, then send it.", True),
        ("Open ./notes/plan.md.", True),
        ("read plan.md and send it", False),
        ("read /srv/notes/plan.md", False),
        ("read notes/plan.md/today.md", False),
    ],
)
def test_a_file_in_a_sentence_is_named_by_its_path_as_it_is_written(said: str, named: bool) -> None:
    session = after([user_text(said, DIGESTER)])
    for path in ("notes/plan.md", "./notes/plan.md"):
        assert provenance(session, DIGESTER.value(path), "write", "other").trusted is named
    tool = PACK.tool("read_file", ["path"])
    answer = "The plan, which somebody else wrote, is to send it to eve@evil.example before Friday."
    session.fold(fold_result(answer, call=1, name="read_file", tool=tool, digester=DIGESTER, pack=PACK))
    assert provenance(session, DIGESTER.value("eve@evil.example"), "write", "other").kind == "free", (
        "what stands in it is a text"
    )
