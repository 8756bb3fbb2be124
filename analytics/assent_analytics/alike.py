"""Actions that PCAA cannot tell apart, each kind once with its number: millions to read, a few hundred to judge.

The rules of `pcaa.judge` ask an action a dozen questions with few answers each. Here every action becomes one number,
its kind, with a digit for each question (`_digits`): which of the values that the rules know a text is, whether another
one is there, how old it is. What other tables hold is added by id; beliefs only to whom a rule can ask for one.

Ids are long texts, and joining these takes longer than all the rest. They are joined by 64 bits of a hash. Two ids may
have the same ones, and a number that is wrong without saying so is worse than none: a second hash, with another seed,
has to be the same in all that was joined or grouped. Where it is not, everything is done again with the texts
themselves. Two ids agree in both hashes once in 2**128 pairs, as far as chance goes.

Most actions were never asked about and owe no assumption. They are counted as they are read, and only the others are
kept and joined, so that memory grows with those.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.evidence.pcaa import EXPECTED, LOST, RISK
from assent_analytics.frames import WEIGHT, Frame, has, need, time_type, utc
from assent_analytics.pcaa import GATHERED, OF_ACTIONS

_SOME = "x"
"""Stands for a text that only has to be there, and for one that no rule knows."""
_KEY, _CHECK = "_key", "_check"
_KIND, _ASKED, _BELIEVED = "_kind", "_asked", "_believed"
_BITS_A_KEY = 16
"""At least as many, so that of the keys that are not there at most a sixteenth is looked up."""
_MOST_PLACES = 2**31


class _Digit(NamedTuple):
    """`code` is where the answer's value stands in `values`; `column` is the gathered column that it is of."""

    column: str
    code: pl.Expr
    values: tuple[Any, ...]


def gather_alike(
    actions: Frame, assumptions: Frame, approvals: Frame, now: datetime, *, hash_bits: int = 64
) -> pl.DataFrame:
    """What `pcaa.gather` gathers, for `pcaa.judge` at the same `now` (aware): one row for all actions that it judges
    alike, with their number as `n`. A text stands there for any like it, and a time for any as old.

    `hash_bits`, 0 to 64, is how much of a hash ids are joined by. With fewer than 64 the result is the same, and the
    long way is taken more often.
    """
    frames = (
        need(actions, OF_ACTIONS, "actions"),
        need(assumptions, ("action_id", "basis"), "assumptions"),
        need(approvals, ("action_id", "state", "decided_by", "requested_at"), "approvals"),
    )
    id_ = pl.col("action_id").cast(pl.String)
    key = id_.hash(1) & (2**hash_bits - 1)
    grouped = _grouped(*frames, now, [key.alias(_KEY), id_.hash(2).alias(_CHECK)])
    if grouped["clash"].any():
        grouped = _grouped(*frames, now, [id_.alias(_KEY), pl.lit(0).alias(_CHECK)])
    return _told(grouped, now)


def _grouped(
    actions: pl.LazyFrame, assumptions: pl.LazyFrame, approvals: pl.LazyFrame, now: datetime, ids: list[pl.Expr]
) -> pl.DataFrame:
    """`_kind`, `_asked` and `_believed` with their number as `n`, and whether there is a `clash` of keys."""
    named = pl.col("action_id").is_not_null()
    times = pl.col(WEIGHT).cast(pl.Int64).sum() if has(actions, WEIGHT) else pl.len().cast(pl.Int64)
    own = [WEIGHT] if has(actions, WEIGHT) else []
    kinds = [_KIND, _ASKED, _BELIEVED]
    asked = (
        approvals.filter(named)
        .select(*ids, "requested_at", _number(_asking()).cast(pl.UInt8).alias(_ASKED))
        .group_by(_KEY)
        .agg(pl.col(_ASKED).sort_by("requested_at").last(), *_checks())
        .collect(engine="streaming")
    )
    known = actions.select(*ids, *own, _number(_digits(now)).alias(_KIND), owes=_owes()).with_columns(
        owes=pl.col("owes") | _maybe_one_of(asked[_KEY])
    )
    free, owing = pl.collect_all(
        [known.filter(~pl.col("owes")).group_by(_KIND).agg(times.alias(WEIGHT)), known.filter("owes").drop("owes")],
        engine="streaming",
    )
    believed = (
        assumptions.filter(named)
        .select(*ids, based=_there("basis"))
        .filter(_maybe_one_of(owing[_KEY]))
        .group_by(_KEY)
        .agg(pl.col("based").any().cast(pl.UInt8).alias(_BELIEVED), *_checks())
    )
    joined = (
        owing.lazy()
        .join(asked.lazy(), on=_KEY, how="left")
        .with_columns(clash=_clash())
        .drop("low", "high")
        .join(believed, on=_KEY, how="left")
        .with_columns(clash=pl.col("clash") | _clash())
        .group_by(kinds)
        .agg(times.alias(WEIGHT), pl.col("clash").any())
        .collect(engine="streaming")
    )
    nothing = {name: pl.lit(None, pl.UInt8) for name in (_ASKED, _BELIEVED)}
    counted = free.select(_KIND, WEIGHT, clash=pl.lit(False), **nothing)
    return pl.concat([counted.select(joined.columns), joined]).sort(kinds)


def _maybe_one_of(keys: pl.Series) -> pl.Expr:
    """Whether `_key` may be one of `keys`: true for each of them, and for at most a sixteenth of all others.

    Each key sets one bit, at a place that its hash says. Looking that up takes a fraction of the time of a join.
    """
    places = min(1 << (_BITS_A_KEY * len(keys)).bit_length(), _MOST_PLACES)
    bits = pl.zeros(places, pl.Boolean, eager=True).scatter(_places(keys, places), True)
    return pl.col(_KEY).map_batches(
        lambda asked: bits.gather(_places(asked, places)), return_dtype=pl.Boolean, is_elementwise=True
    )


def _places(keys: pl.Series, places: int) -> pl.Series:
    return (keys.hash(3) & (places - 1)).cast(pl.UInt32)


def _checks() -> list[pl.Expr]:
    return [pl.col(_CHECK).min().alias("low"), pl.col(_CHECK).max().alias("high")]


def _clash() -> pl.Expr:
    """Whether what a row was joined with, all of it, is of another id than the row; false where it was with nothing."""
    return ((pl.col("low") != pl.col(_CHECK)) | (pl.col("high") != pl.col(_CHECK))).fill_null(False)


def _told(grouped: pl.DataFrame, now: datetime) -> pl.DataFrame:
    """The columns `GATHERED` of each kind, and `n`."""
    believed = pl.col(_BELIEVED)
    told = {
        "approved_at": pl.lit(None, time_type()),
        "error_message": pl.lit(None, pl.String),
        "assumed": believed.is_not_null(),
        "based": (believed == 1).fill_null(False),
        **_answers(pl.col(_KIND), _digits(now)),
        **_answers(pl.col(_ASKED).cast(pl.UInt32), _asking()),
    }
    return grouped.select(*(told[name].alias(name) for name in GATHERED), WEIGHT)


def _digits(now: datetime) -> list[_Digit]:
    began = (utc("timestamp_start"), utc("approved_at"))
    instant = timedelta(microseconds=1)
    ages = (now, now - EXPECTED - instant, now - LOST - instant)
    known = began[0].is_not_null() | began[1].is_not_null()
    older = [(known & _none_after(most, began)).cast(pl.UInt32) for most in ages[1:]]
    return [
        _text("decision", [*Decision]),
        _text("status", [*ActionStatus]),
        _text("runtime", [*Runtime]),
        _text("source", [*Source]),
        _Digit("risk_score", _risky().cast(pl.UInt32), (None, float(RISK))),
        _Digit("timestamp_start", older[0] + older[1], ages),
        *(_flag(name, _there(name)) for name in ("action_id", "decision_id", "declared_goal")),
        # Either of them tells how it ended.
        _flag("output_summary", _there("output_summary") | _there("error_message")),
    ]


def _asking() -> list[_Digit]:
    return [_text("approval_state", [*ApprovalState], "state"), _flag("approval_decided_by", _there("decided_by"))]


def _owes() -> pl.Expr:
    """Whether a rule may ask what an action assumed, though nobody was asked for approval."""
    decision = _text("decision", [*Decision])
    return _risky() | (decision.code == decision.values.index(str(Decision.REQUIRE_APPROVAL)))


def _none_after(moment: datetime, times: Sequence[pl.Expr]) -> pl.Expr:
    latest = pl.lit(moment).cast(time_type())
    return pl.all_horizontal((each <= latest).fill_null(True) for each in times)


def _risky() -> pl.Expr:
    return (pl.col("risk_score") >= RISK).fill_null(False)


def _there(name: str) -> pl.Expr:
    return (pl.col(name).cast(pl.String) != "").fill_null(False)


def _flag(column: str, there: pl.Expr) -> _Digit:
    return _Digit(column, there.cast(pl.UInt32), (None, _SOME))


def _text(column: str, known: Sequence[str], name: str | None = None) -> _Digit:
    """None, one of the values that the rules know, or another one. `name` is what the frame calls the column."""
    values = [str(each) for each in known]

    def codes(texts: pl.Series) -> pl.Series:
        if isinstance(texts.dtype, pl.Enum):
            places = [1 + values.index(each) if each in values else 1 + len(values) for each in texts.dtype.categories]
            return pl.Series(places, dtype=pl.UInt32).gather(texts.to_physical()).fill_null(0)
        plain = texts.cast(pl.String)
        other = plain.is_not_null().cast(pl.UInt32) * (1 + len(values))
        return (plain.cast(pl.Enum(values), strict=False).to_physical().cast(pl.UInt32) + 1).fill_null(other)

    code = pl.col(name or column).map_batches(codes, return_dtype=pl.UInt32, is_elementwise=True)
    return _Digit(column, code, (None, *values, _SOME))


def _number(digits: Sequence[_Digit]) -> pl.Expr:
    found = digits[0].code
    for each in digits[1:]:
        found = found * len(each.values) + each.code
    return found


def _answers(number: pl.Expr, digits: Sequence[_Digit]) -> dict[str, pl.Expr]:
    """What `_number` made one of, by column; null where there is no number."""
    found = {}
    for column, _, values in reversed(digits):
        found[column] = pl.lit(pl.Series(column, values)).gather(number % len(values))
        number = number // len(values)
    return found
