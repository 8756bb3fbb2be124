"""Texts of a history: ids, goals, systems, sessions, summaries, beliefs and reasons, added to its frames.

Which text an action gets depends on the seed and its number alone (a SplitMix64 hash), so the texts of a batch are
those of the whole. JSON lists are texts, as in the service's tables. An agent has one session in the morning and one
in the afternoon (UTC).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assent_analytics.simulate import vocabulary
from assent_analytics.simulate.kinds import NAMES
from assent_analytics.simulate.plan import Plan
from assent_analytics.simulate.policies import POLICIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOAL, FIRST, SECOND, SYSTEMS, ENDING, REPLY, BELIEF = range(7)
"""What a hash is for; each use has a stream of its own."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """The four frames of a history with their texts."""

    actions: pl.DataFrame
    decisions: pl.DataFrame
    approvals: pl.DataFrame
    assumptions: pl.DataFrame


def write(
    plan: Plan, actions: pl.DataFrame, decisions: pl.DataFrame, approvals: pl.DataFrame, assumptions: pl.DataFrame
) -> Texts:
    """The frames with `action_id`, `declared_goal`, `systems_touched` and so on. Whole histories or batches alike."""
    seed = plan.seed
    agents = pl.DataFrame(
        {"agent_id": [a.agent_id for a in plan.agents], "agent_name": [a.name for a in plan.agents]},
        schema_overrides={"agent_id": actions.schema["agent_id"]},
    )
    stopped = approvals.select("number", "state", approval_id=identify("apr_"), reply=_reply(seed, approvals))
    written = (
        actions.with_columns(
            action_id=identify("act_"),
            decision_id=identify("dec_"),
            session_id=_session(),
            declared_goal=_goals(seed, actions),
            systems_touched=_systems(seed, actions),
            ending=_endings(seed, actions),
            wrong=_chosen(vocabulary.WENT_WRONG, _pick(seed, actions, ENDING)),
        )
        .join(agents, on="agent_id", how="left", maintain_order="left")
        .join(stopped, on="number", how="left", maintain_order="left")
        .with_columns(output_summary=_when("completed", pl.col("ending")), error_message=_error())
        .drop("ending", "wrong", "state", "reply")
    )
    said = written.select("number", "action_id", "declared_goal")
    judged = decisions.join(said, on="number", how="left", maintain_order="left").with_columns(
        decision_id=identify("dec_"), matched_policies=_matched(decisions)
    )
    asked = approvals.join(said, on="number", how="left", maintain_order="left").with_columns(
        approval_id=identify("apr_"),
        reasoning=pl.when(pl.col("decided_by").is_not_null()).then(_reply(seed, approvals)),
    )
    believed = assumptions.with_columns(
        assumption_id=identify("asm_"), action_id=identify("act_", "action_number"), **_beliefs(seed, assumptions)
    )
    return Texts(actions=written, decisions=judged, approvals=asked, assumptions=believed)


def identify(prefix: str, column: str = "number") -> pl.Expr:
    """`act_sim000000000042`; sorts as the numbers do."""
    return pl.lit(f"{prefix}sim") + pl.col(column).cast(pl.String).str.zfill(12)


def scatter(seed: int, use: int, number: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """A hash of each number: SplitMix64 (Steele, Lea, Flood 2014) of the number, started from seed and use."""
    start = (seed * 0x9E3779B97F4A7C15 + use * 0xD1B54A32D192ED03) % 2**64
    z = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(start)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _pick(seed: int, frame: pl.DataFrame, use: int) -> NDArray[np.uint64]:
    return scatter(seed, use, frame["number"].to_numpy())


def _chosen(texts: tuple[str, ...], picks: NDArray[np.uint64]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String).gather((picks % np.uint64(len(texts))).astype(np.uint32))


def _by_kind(frame: pl.DataFrame, table: dict[str, tuple[str, ...]], picks: NDArray[np.uint64]) -> pl.Series:
    """For each row a text of its own action type."""
    sizes = np.array([len(table[name]) for name in NAMES], np.uint64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint64)
    kind = frame["action_type"].to_physical().to_numpy()
    texts = [text for name in NAMES for text in table[name]]
    return pl.Series(texts, dtype=pl.String).gather((starts[kind] + picks % sizes[kind]).astype(np.uint32))


@cache
def _template(text: str) -> tuple[str, str | None, str, str | None, str]:
    """The three literal pieces of a template and the kinds of word between them."""
    pieces = re.split(r"\{(\w+)\}", text)
    assert len(pieces) <= 5, f"{text!r} has more than two places"
    pieces += [""] * (5 - len(pieces))
    return pieces[0], pieces[1] or None, pieces[2], pieces[3] or None, pieces[4]


def _goals(seed: int, actions: pl.DataFrame) -> pl.Series:
    numbers = {text: str(at) for at, text in enumerate(t for name in NAMES for t in vocabulary.GOALS[name])}
    table = {name: tuple(numbers[text] for text in vocabulary.GOALS[name]) for name in NAMES}
    chosen = _by_kind(actions, table, _pick(seed, actions, GOAL)).cast(pl.UInt32)
    parts = [_template(text) for text in numbers]
    row = chosen.to_numpy()
    pieces = [pl.Series([part[at] for part in parts], dtype=pl.String).gather(chosen) for at in (0, 2, 4)]
    words = [_words([part[1] for part in parts], row, _pick(seed, actions, FIRST))]
    words.append(_words([part[3] for part in parts], row, _pick(seed, actions, SECOND)))
    return pieces[0] + words[0] + pieces[1] + words[1] + pieces[2]


def _words(kinds: list[str | None], template: NDArray[np.uint32], picks: NDArray[np.uint64]) -> pl.Series:
    """A word for each row, of the kind that its template asks for; none asks for an empty one."""
    words = {"": ("",), **vocabulary.WORDS}
    sizes = {kind: len(texts) for kind, texts in words.items()}
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()])[:-1], strict=True))
    start = np.array([starts[kind or ""] for kind in kinds], np.uint64)[template]
    size = np.array([sizes[kind or ""] for kind in kinds], np.uint64)[template]
    texts = [text for each in words.values() for text in each]
    return pl.Series(texts, dtype=pl.String).gather((start + picks % size).astype(np.uint32))


def _systems(seed: int, actions: pl.DataFrame) -> pl.Series:
    table = {
        name: tuple(json.dumps(systems, separators=(",", ":")) for systems in found)
        for name, found in vocabulary.SYSTEMS.items()
    }
    return _by_kind(actions, table, _pick(seed, actions, SYSTEMS))


def _endings(seed: int, actions: pl.DataFrame) -> pl.Series:
    return _by_kind(actions, vocabulary.DONE, _pick(seed, actions, ENDING))


def _session() -> pl.Expr:
    start = pl.col("timestamp_start")
    half = pl.when(start.dt.hour() < 12).then(pl.lit("a")).otherwise(pl.lit("b"))
    return pl.lit("ses_") + pl.col("agent_id").cast(pl.String) + start.dt.strftime("-%m%d") + half


def _when(status: str, text: pl.Expr) -> pl.Expr:
    return pl.when(pl.col("status") == status).then(text)


def _error() -> pl.Expr:
    denied = pl.col("state").cast(pl.String) == "denied"
    return (
        pl.when(pl.col("status") == "failed")
        .then(pl.col("wrong"))
        .when(pl.col("status") == "blocked")
        .then(pl.lit(f"{POLICIES[0]['name']}: actions of this type are blocked"))
        .when((pl.col("status") == "cancelled") & denied)
        .then(pl.col("reply"))
        .when(pl.col("status") == "cancelled")
        .then(pl.lit("The approval expired; nobody decided in time."))
    )


def _reply(seed: int, approvals: pl.DataFrame) -> pl.Series:
    """What the operator says, yes or no."""
    picks = _pick(seed, approvals, REPLY)
    denied = approvals["state"].cast(pl.String) == "denied"
    no, yes = _chosen(vocabulary.DENIALS, picks), _chosen(vocabulary.CONSENTS, picks)
    return no.zip_with(denied, yes)


def _matched(decisions: pl.DataFrame) -> pl.Series:
    """The names of the enforced policies that matched, as a JSON list."""
    enforced = [bit for bit, policy in enumerate(POLICIES) if policy.get("mode") != "observe"]
    texts = [
        json.dumps([POLICIES[bit]["name"] for bit in enforced if matched >> bit & 1])
        for matched in range(1 << len(POLICIES))
    ]
    return pl.Series(texts, dtype=pl.String).gather(decisions["matched"])


def _beliefs(seed: int, assumptions: pl.DataFrame) -> dict[str, pl.Series | pl.Expr]:
    picks = _pick(seed, assumptions, BELIEF)
    columns = {
        name: _by_kind(assumptions, {k: tuple(b[at] for b in v) for k, v in vocabulary.BELIEFS.items()}, picks)
        for at, name in enumerate(("assumption", "basis", "invalidated_reason"))
    }
    wrong = columns.pop("invalidated_reason")
    return {**columns, "invalidated_reason": pl.when(pl.col("invalidated")).then(wrong)}
