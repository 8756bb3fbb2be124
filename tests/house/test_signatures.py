"""No method of the clients loses what it accepted: `signatures.txt` has what each took and gave."""

from __future__ import annotations

import pytest

from tests.house.signatures import lost, narrower, read, shown, snapshot, written

HOW = "Run `python -m tests.house.signatures`: it adds what is new and notes what is wider."
SHOWN = shown()


@pytest.mark.parametrize("name", snapshot())
def test_a_method_takes_and_gives_what_it_did(name: str) -> None:
    assert name in SHOWN, f"{name} is gone"
    assert narrower(snapshot()[name], SHOWN[name]) == []


def test_every_method_has_its_entry() -> None:
    assert sorted(SHOWN.keys() - snapshot().keys()) == [], HOW


def test_what_is_written_is_read() -> None:
    assert read(written(SHOWN)) == SHOWN
    assert list(lost(SHOWN, SHOWN)) == []


def test_a_method_that_is_gone_is_named() -> None:
    assert list(lost(SHOWN, {name: text for name, text in SHOWN.items() if name != "guard"})) == ["guard is gone"]


BEFORE = "(a: str, b: Kind | str = 'x', *, limit: int | None = ..., tags: Sequence[str] | None = None) -> Answer"


@pytest.mark.parametrize(
    "now",
    [
        BEFORE,
        "(a: str, b: Kind | str = 'x', *, tags: Sequence[str] | None = None, limit: int | None = None) -> Answer",
        "(a: str | Path, b: str | Kind = 'x', *, limit: float | None = UNSET, tags: Any = None) -> Answer",
        "(a: str, b: Kind | str = 'x', c: int = 1, *, limit: int | None = None, tags: Iterable[str | int] | None = None"
        ") -> Answer",
        "(a: str, b: Kind | str = 'x', *, limit: int | None = ..., tags: Sequence[str] | None = None, more: int = 1)"
        " -> Answer",
    ],
)
def test_wider_is_well(now: str) -> None:
    assert narrower(BEFORE, now) == []


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        (BEFORE.replace("a: str", "a: Id"), "a takes Id, took str"),
        (BEFORE.replace("Kind | str", "str"), "b takes str, took Kind | str"),
        (BEFORE.replace("Sequence", "list"), "tags takes list[str] | None, took Sequence[str] | None"),
        (BEFORE.replace("Sequence[str]", "Sequence[Id]"), "tags takes Sequence[Id] | None, took Sequence[str] | None"),
        (BEFORE.replace("'x'", "'y'"), "b is by default 'y', was 'x'"),
        (BEFORE.replace("limit: int | None = ...", "limit: int | None = 5"), "limit is by default 5, was ..."),
        (BEFORE.replace("limit: int | None = ..., ", ""), "limit is gone"),
        (BEFORE.replace("Answer", "Other"), "answers Other, answered Answer"),
        (BEFORE.replace(") ->", ", more: int) ->"), "more is asked for"),
        (BEFORE.replace("a: str, ", "a: str, c: int = 1, "), "takes by position a, c, b; it took a, b"),
        (BEFORE.replace(", b: Kind | str = 'x', *,", ", *, b: Kind | str = 'x',"), "takes by position a; it took a, b"),
        (": str", f"is : str, was {BEFORE}"),
    ],
)
def test_narrower_is_said(now: str, problem: str) -> None:
    assert problem in narrower(BEFORE, now)


CALLS = (
    "(*, on: Callable[[Question], 'str | Awaitable[str | None] | None'] | None = None, how: Literal['a'] = 'a')"
    " -> Answer"
)


@pytest.mark.parametrize(
    "answer",
    [
        "str | Awaitable[str | None] | None",
        "str | Mapping[str, Any] | None | Awaitable[str | Mapping[str, Any] | None]",
        "'None | Awaitable[Any] | str'",
        "object",
    ],
)
def test_a_callable_that_is_given_may_answer_more(answer: str) -> None:
    assert narrower(CALLS, CALLS.replace("'str | Awaitable[str | None] | None'", answer)) == []


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("'str | Awaitable[str | None] | None'", "str | None"),
        ("'str | Awaitable[str | None] | None'", "'str | Awaitable[str] | None'"),
        ("'str | Awaitable[str | None] | None'", "Mapping[str, Any]"),
        ("'str | Awaitable[str | None] | None'", "'Reply | Awaitable[Reply]'"),
        ("[Question]", "[Question, int]"),
        ("[Question]", "[object]"),
        ("Callable[[Question], 'str | Awaitable[str | None] | None'] | None", "None"),
        ("Literal['a']", "Literal['object']"),
    ],
)
def test_a_callable_that_is_given_must_not_answer_less_or_take_other_things(before: str, now: str) -> None:
    (problem,) = narrower(CALLS, CALLS.replace(before, now))
    assert " takes " in problem


def test_any_keyword_may_become_keywords_that_are_spelt_out() -> None:
    assert narrower("(name: str, **fields: Any) -> Goal", "(name: str, *, due: str | None = None) -> Goal") == []
    assert narrower("(name: str, **fields: Any) -> Goal", "(name: str, *, due: str) -> Goal") == ["due is asked for"]
