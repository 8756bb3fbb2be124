"""What asking is worth: counted by hand on few rows, and operators drawn here who agree, tire, or do neither."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from assent_analytics.asking import Advice, agreement, attention, not_asked, tiring, worth
from assent_analytics.clusters import clustered_proportion

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
TIMES = dict.fromkeys(("requested_at", "decided_at"), pl.Datetime("us", "UTC"))
TEXTS = dict.fromkeys(("action_type", "agent_id", "state", "decided_by", "outcome", "cluster", "source"), pl.String)


def facts(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows of `ask`, which say what differs from an action of `bot` that nobody was asked about."""
    usual = {"action_type": "pay", "agent_id": "bot", "source": "live", "outcome": "completed"}
    whole = [usual | {"cluster": f"s{at}"} | row for at, row in enumerate(rows)]
    return pl.DataFrame(whole, schema={**TEXTS, **TIMES, "matched_policies": pl.String})


def ask(state: str, second: float, waited: float = 60, **more: Any) -> dict[str, Any]:
    """Asked `waited` seconds before it was decided, at `second`."""
    at = BEGIN + timedelta(seconds=second)
    outcome = more.pop("outcome", "completed" if state == "approved" else None)
    decided = {"decided_at": None if state == "awaiting" else at, "decided_by": "Ann" if state != "expired" else None}
    return {"state": state, "requested_at": at - timedelta(seconds=waited), "outcome": outcome} | decided | more


def test_attention_is_what_is_seen_and_the_median_for_what_is_not() -> None:
    """By hand: Ann decides at 0, 30 and 90 seconds; the third was asked for 20 seconds before. Seen: 30 and 20. The
    first begins her burst and counts as their median, 25. Ben's only decision begins one, too."""
    rows = facts(
        ask("approved", 0),
        ask("denied", 30),
        ask("approved", 90, 20, outcome="failed"),
        ask("approved", 40, 120, decided_by="Ben"),
        ask("expired", 500),
        ask("withdrawn", 600),
        ask("awaiting", 700),
        {"outcome": "failed"},
    )
    (row,) = worth(rows).to_dicts()
    assert [row[name] for name in ("asked", "decided", "denied", "expired", "withdrawn", "awaiting")] == [
        7,
        4,
        1,
        1,
        1,
        1,
    ]
    assert (row["attention_seen"], row["attention_minutes"]) == (2, pytest.approx((30 + 20 + 25 + 25) / 60))
    assert row["waited_minutes"] == pytest.approx((60 + 60 + 20 + 120) / 60)
    assert (row["denied_share"], row["ended"], row["failed"], row["stopped"]) == (0.25, 3, 1, 2)
    assert (row["advice"], row["simulated"]) == ("too_few", 0)


def test_minutes_are_bounded_by_the_median_of_ten_that_are_seen() -> None:
    """Ten are seen at 10, 20, ... 100 seconds, whose median is 55; the first and Ben's three only ones are not."""
    ends = [0.0]
    for took in range(10, 101, 10):
        ends.append(ends[-1] + took)
    rows = [ask("approved", at, 3000) for at in ends]
    rows += [ask("approved", 5000.0 * at, 60, decided_by="Ben", action_type="ship") for at in (1, 2, 3)]
    pay, ship = (worth(facts(*rows)).filter(pl.col("action_type") == each).to_dicts()[0] for each in ("pay", "ship"))
    assert (pay["attention_seen"], pay["attention_minutes"]) == (10, pytest.approx((550 + 55) / 60))
    # One of the eleven is counted as the median, which lies between the smallest and the largest of the ten.
    assert (550 + 20) / 60 <= pay["attention_low"] < pay["attention_minutes"] < pay["attention_high"] <= (550 + 90) / 60
    assert (ship["attention_minutes"], ship["attention_low"]) == (pytest.approx(3 * 55 / 60), None), "none of its own"
    whole = attention(facts(*rows))
    assert (whole.seen, whole.decided) == (10, 14)
    assert whole.minutes == pytest.approx((550 + 4 * 55) / 60)
    assert whole.low is not None
    assert whole.high is not None
    assert whole.high - whole.low == pytest.approx(4 * (pay["attention_high"] - pay["attention_low"]), rel=0.5)
    few = attention(facts(*rows[:10]))
    assert (few.seen, few.low, few.high) == (9, None, None)
    assert attention(facts()) == (None, None, None, 0, 0)


def test_ten_minutes_end_a_burst() -> None:
    within, apart = (worth(facts(ask("approved", 0, 900), ask("approved", at, 900))).to_dicts()[0] for at in (600, 601))
    assert (within["attention_seen"], within["attention_minutes"]) == (1, 20.0)
    assert (apart["attention_seen"], apart["attention_minutes"]) == (0, None)


def test_a_request_counts_for_each_policy_that_asked() -> None:
    rows = facts(
        ask("approved", 0, matched_policies='["a", "b"]'),
        ask("denied", 30, matched_policies='["b"]'),
        ask("denied", 60, matched_policies="[]"),
    )
    found = {
        row["matched_policies"]: (row["asked"], row["denied"]) for row in worth(rows, "matched_policies").to_dicts()
    }
    assert found == {"a": (1, 0), "b": (2, 1), None: (1, 1)}
    lists = rows.with_columns(pl.col("matched_policies").str.json_decode(pl.List(pl.String)))
    assert worth(lists, "matched_policies").equals(worth(rows, "matched_policies"))


@pytest.mark.parametrize(
    ("denied", "failed", "n", "advice"),
    [(0, 0, 19, "too_few"), (0, 0, 20, "unclear"), (0, 0, 120, "stop"), (30, 0, 120, "ask"), (0, 30, 120, "ask")],
)
def test_advice_is_of_the_ends_of_intervals(denied: int, failed: int, n: int, advice: Advice) -> None:
    rows = [
        ask(
            "denied" if at < denied else "approved",
            1000.0 * at,
            outcome="failed" if 0 <= at - denied < failed else "completed",
        )
        for at in range(n)
    ]
    (row,) = worth(facts(*rows)).to_dicts()
    assert row["advice"] == advice
    if denied:
        found = clustered_proportion([at < denied for at in range(n)], list(range(n)))
        assert (row["denied_low"], row["denied_high"]) == pytest.approx((found.low, found.high))
    # The same rows in one cluster say nothing, however many.
    (one,) = worth(facts(*(row | {"cluster": "one"} for row in rows))).to_dicts()
    assert (one["advice"], one["denied_low"], one["clusters"]) == ("too_few", None, 1)


def test_groups_share_the_error() -> None:
    rows = [ask("denied" if at % 2 else "approved", 1000.0 * at, action_type=f"t{at % 4}") for at in range(160)]
    row = worth(facts(*rows)).filter(pl.col("action_type") == "t1").to_dicts()[0]
    found = clustered_proportion([1] * 40, list(range(40)), confidence=1 - 0.05 / 4)
    assert (row["denied_low"], row["denied_high"]) == pytest.approx((found.low, found.high))


def test_where_to_begin_is_what_fails_without_being_asked() -> None:
    rows = [
        {"action_type": kind, "outcome": "failed" if at % every == 0 else "completed"}
        for kind, every in (("bad", 2), ("good", 999))
        for at in range(60)
    ]
    found = {
        row["action_type"]: row for row in not_asked(facts(*rows, ask("denied", 0, action_type="asked"))).to_dicts()
    }
    assert {name: row["advice"] for name, row in found.items()} == {"bad": "begin", "good": "unclear"}
    assert (found["bad"]["ended"], found["bad"]["failed"], found["good"]["failed"]) == (60, 30, 1)


def answers(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Kind, operator, verdict."""
    return facts(
        *(ask(state, 60.0 * at, action_type=kind, decided_by=who) for at, (kind, who, state) in enumerate(rows))
    )


def test_agreement_is_that_of_all_pairs() -> None:
    """Pairs counted one by one; kinds of one operator do not count."""
    yes, no = "approved", "denied"
    rows = [
        ("a", "x", yes),
        ("a", "x", no),
        ("a", "y", yes),
        ("a", "z", yes),
        ("b", "x", no),
        ("b", "y", no),
        ("b", "y", yes),
    ]
    pairs = [(one, other) for one, other in combinations(rows, 2) if one[0] == other[0]]
    apart = [one[2] == other[2] for one, other in pairs if one[1] != other[1]]
    own = [one[2] == other[2] for one, other in pairs if one[1] == other[1]]
    chance = [one[2] == other[2] for one, other in combinations(rows, 2)]
    found = agreement(answers(*rows, ("c", "x", yes), ("c", "x", no)))
    assert (found.n, found.operators, found.kinds) == (7, 3, 2)
    assert (found.pairs, found.own_pairs) == (len(apart), len(own))
    assert found.same == pytest.approx(sum(apart) / len(apart))
    assert found.own == pytest.approx(sum(own) / len(own))
    assert found.by_chance == pytest.approx(sum(chance) / len(chance))
    assert found.alpha == pytest.approx(1 - (1 - sum(apart) / len(apart)) / (1 - sum(chance) / len(chance)))
    assert (found.alpha_low, found.status) == (None, "insufficient_data")


def test_agreement_without_pairs_and_without_variation() -> None:
    assert agreement(answers(("a", "x", "approved"), ("b", "y", "denied"))).status == "insufficient_data"
    assert agreement(facts()).same is None
    alike = agreement(answers(("a", "x", "approved"), ("a", "y", "approved")))
    assert (alike.same, alike.alpha, alike.status) == (1.0, None, "no_variation")


@pytest.mark.parametrize(("who", "alpha"), [("kind", 1.0), ("chance", 0.0), ("operator", 0.0)])
def test_agreement_tells_kinds_from_chance_and_from_operators(who: str, alpha: float) -> None:
    draw = random.Random(4)
    rows = []
    for kind in range(40):
        for operator in ("x", "y", "z"):
            for _ in range(4):
                says = {"kind": kind % 2, "chance": draw.random() < 0.5, "operator": operator == "x"}[who]
                rows.append((f"k{kind}", operator, "denied" if says else "approved"))
    found = agreement(answers(*rows))
    assert found.status == "ok"
    assert found.alpha_low is not None
    assert found.alpha_high is not None
    assert found.same is not None
    assert found.own is not None
    if who == "operator":
        assert found.own == 1.0 > found.same
        assert found.alpha_high < 0, "operators of which one always denies agree less than chance"
    else:
        assert found.alpha_low - 1e-9 <= alpha <= found.alpha_high + 1e-9


def bursts(n: int, tired: float, draw: random.Random) -> pl.DataFrame:
    """`n` bursts of 12 decisions ten seconds apart, an hour between; half are allowed, and more of the last third."""
    rows = []
    for burst in range(n):
        for at in range(12):
            allowed = draw.random() < 0.5 + (tired if at >= 8 else 0)
            rows.append(ask("approved" if allowed else "denied", 3600.0 * burst + 10 * at, 3000))
    return facts(*rows)


def test_who_tires_is_seen_within_bursts() -> None:
    found = tiring(bursts(60, 0.4, random.Random(1)))
    assert (found.n, found.bursts, found.status) == (720, 60, "ok")
    assert found.low is not None
    assert found.low > 0.2
    rows = {row["position"]: row for row in found.rows.to_dicts()}
    counted = {name: row["n"] for name, row in rows.items()}
    assert counted == {"1": 60, "2 to 5": 240, "6 to 10": 300, "11 to 20": 120, "21 or more": 0}
    assert rows["1"]["seconds"] is None
    assert rows["2 to 5"]["seconds"] == 10.0
    assert rows["11 to 20"]["allowed_low"] > rows["2 to 5"]["allowed_high"]


def test_who_does_not_tire_is_seldom_said_to() -> None:
    """Of 60 worlds 3 are expected to be told a change; 9 or more come with a chance of 0.5 %."""
    draw = random.Random(2)
    said = 0
    for _ in range(60):
        found = tiring(bursts(20, 0.0, draw))
        assert found.low is not None
        assert found.high is not None
        said += not found.low <= 0 <= found.high
    assert said < 9


def test_few_bursts_say_nothing() -> None:
    found = tiring(bursts(9, 0.4, random.Random(3)))
    assert (found.status, found.low, found.bursts) == ("insufficient_data", None, 9)
    assert tiring(facts()).change is None
    assert worth(facts()).is_empty()
    assert not_asked(facts()).is_empty()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: worth(facts(), []), "by is empty"),
        (lambda: worth(facts(), tolerated=0), "tolerated is 0"),
        (lambda: not_asked(facts(), tolerated=1), "tolerated is 1"),
        (lambda: worth(facts(), "nothing"), "facts lack nothing"),
        (lambda: agreement(facts().drop("state")), "facts lack state"),
        (lambda: tiring(facts().drop("cluster")), "facts lack cluster"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()
