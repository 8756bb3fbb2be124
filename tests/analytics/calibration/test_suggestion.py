"""Suggested templates: the fit beside one over single rows, what is found when it is there, and what is not made up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from assent.contract.control.risk_conditions import RiskRule, parse_template_rules
from assent_analytics.calibration import suggest_template
from assent_analytics.calibration.suggestion import additions, fit, logistic
from tests.benchmarks.suggestions import NOISE, TRUTH, accepted, as_actions, drawn, ranked
from tests.tiers import deep


def history(n: int, seed: int = 0, base: float = 0.1, irreversible: float = 0.2, ledger: float = 0.3) -> pl.DataFrame:
    """Failures by an additive truth; `ledger` is touched mostly by what is irreversible, `mail` adds nothing."""
    random = np.random.default_rng(seed)
    hard = random.random(n) < 0.3
    touches = random.random(n) < np.where(hard, 0.7, 0.1)
    mail = random.random(n) < 0.5
    failed = random.random(n) < base + irreversible * hard + ledger * touches
    systems = [
        json.dumps([name for name, there in (("ledger", one), ("mail", two)) if there])
        for one, two in zip(touches, mail, strict=True)
    ]
    return pl.DataFrame(
        {
            "action_type": ["wire"] * n,
            "status": np.where(failed, "failed", "completed"),
            "reversible": ~hard,
            "systems_touched": systems,
            "source": ["simulated"] * n,
        }
    )


def test_it_finds_what_is_there() -> None:
    found = suggest_template(history(20_000), "wire")
    by_name = {each.described: each for each in found.evidence}
    assert list(by_name) == [
        "reversible eq false",
        'systems_touched contains "mail"',
        'systems_touched contains "ledger"',
    ]
    for name, truth in (("reversible eq false", 20), ('systems_touched contains "ledger"', 30)):
        assert by_name[name].kept
        assert by_name[name].low <= truth <= by_name[name].high
    assert not by_name['systems_touched contains "mail"'].kept
    assert abs(found.base_risk - 10) <= 1
    adds = [rule["add"] for rule in found.rules]
    assert adds == pytest.approx([20, 30], abs=3)
    assert (found.simulated, found.n) == (20_000, 20_000)
    # What it gives is a template: the contract reads its rules.
    arguments = found.as_arguments("wires")
    assert set(arguments) == {"name", "action_type", "base_risk", "rules"}
    assert len(parse_template_rules([RiskRule(**rule) for rule in arguments["rules"]])) == 2


def test_what_two_candidates_share_is_not_counted_twice() -> None:
    """Alone, `ledger` seems to add what comes from being irreversible; beside it, it adds nothing."""
    frame = history(20_000, ledger=0.0)
    touched = frame["systems_touched"].str.contains("ledger")
    failed = frame["status"] != "completed"
    assert failed.filter(touched).mean() - failed.filter(~touched).mean() > 0.08  # type: ignore[operator]  # numbers
    assert [rule["condition"]["field"] for rule in suggest_template(frame).rules] == ["reversible"]


def test_nothing_is_made_of_chance() -> None:
    """Of 200 histories in which nothing adds anything, a rule comes out of at most one in twenty, as said."""
    wrong = sum(bool(suggest_template(history(400, seed, 0.2, 0.0, 0.0)).rules) for seed in range(200))
    assert wrong / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans(), st.integers(1, 30)), min_size=8, max_size=40))
def test_the_fit_is_that_of_single_rows(kinds: list[tuple[bool, bool, bool, int]]) -> None:
    """Against NumPy's least squares over unrolled rows, and HC1 summed row by row."""
    x = np.array([[1.0, one, two] for one, two, _, n in kinds for _ in range(n)])
    y = np.array([float(failed) for *_, failed, n in kinds for _ in range(n)])
    if np.linalg.matrix_rank(x) < 3:
        return
    design = np.array([[1.0, one, two] for one, two, _, _ in kinds])
    coefficients, errors = fit(
        design, np.array([float(each[2]) for each in kinds]), np.array([float(each[3]) for each in kinds])
    )
    expected = np.linalg.lstsq(x, y, rcond=None)[0]
    assert coefficients == pytest.approx(expected, rel=1e-9, abs=1e-9)
    bread = np.linalg.inv(x.T @ x)
    meat = sum(np.outer(row, row) * (target - row @ expected) ** 2 for row, target in zip(x, y, strict=True))
    hc1 = bread @ meat @ bread * len(y) / (len(y) - 3)
    assert errors**2 == pytest.approx(np.diag(hc1), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 19])
def test_too_few_say_so(n: int) -> None:
    found = suggest_template(history(max(n, 1)).head(n))
    assert (found.status, found.base_risk, found.rules, found.n) == ("insufficient_data", 0, [], n)


@pytest.mark.parametrize(("said", "base"), [("completed", 0), ("failed", 100)])
def test_all_alike(said: str, base: int) -> None:
    frame = history(400).with_columns(pl.lit(said).alias("status"))
    found = suggest_template(frame)
    assert (found.status, found.base_risk, found.rules) == ("ok", base, [])


def test_candidates_that_say_the_same_are_judged_once() -> None:
    frame = history(2000)
    twice = frame.with_columns(
        pl.when(pl.col("reversible")).then(pl.lit("[]")).otherwise(pl.lit('["vault"]')).alias("systems_touched")
    )
    assert [each.described for each in suggest_template(twice).evidence] == ["reversible eq false"]


def test_rare_candidates_are_not_judged() -> None:
    frame = history(2000).with_columns(
        pl.when(pl.int_range(pl.len()) < 19).then(pl.lit('["rare"]')).otherwise(pl.lit("[]")).alias("systems_touched")
    )
    assert [each.described for each in suggest_template(frame).evidence] == ["reversible eq false"]
    assert len(suggest_template(frame, fewest=5).evidence) == 2


def test_columns_that_are_not_there_give_no_candidates() -> None:
    bare = history(100).select("status")
    found = suggest_template(bare)
    assert (found.status, found.evidence, found.simulated) == ("ok", [], 0)
    with pytest.raises(ValueError, match="lack action_type"):
        suggest_template(bare, "wire")
    with pytest.raises(ValueError, match="lack status"):
        suggest_template(pl.DataFrame({"reversible": [True]}))
    with pytest.raises(ValueError, match="confidence is 1"):
        suggest_template(bare, confidence=1)


def test_failure_may_show_elsewhere() -> None:
    frame = history(3000)
    reward = pl.when(pl.col("status") == "completed").then(1.0).otherwise(0.0)
    rewarded = frame.with_columns(reward=reward, status=pl.lit("completed"))
    unknown = rewarded.with_columns(reward=pl.lit(None, pl.Float64))
    found = suggest_template(pl.concat([rewarded, unknown]).drop("status"), failed=pl.col("reward") == 0)
    assert found == suggest_template(frame)
    assert suggest_template(unknown, failed=pl.col("reward") == 0).status == "insufficient_data"


def test_text_lists_and_order_make_no_difference() -> None:
    frame = history(3000)
    decoded = frame.with_columns(pl.col("systems_touched").str.json_decode(pl.List(pl.String)))
    grouped = frame.group_by(pl.all()).agg(pl.len().alias("n"))
    wanted = suggest_template(frame, "wire")
    for other in (decoded, frame.sample(fraction=1, shuffle=True, seed=2), grouped):
        found = suggest_template(other, "wire")
        assert (found.base_risk, found.rules, found.n, found.failed) == (
            wanted.base_risk,
            wanted.rules,
            wanted.n,
            wanted.failed,
        )
    other_type = frame.with_columns(pl.lit("look").alias("action_type"), pl.lit("failed").alias("status"))
    assert suggest_template(pl.concat([frame, other_type]), "wire") == wanted


@pytest.mark.parametrize("text", [None, "", "no json", "{}", "5", "[1, null]", '["a", 7]'])
def test_whatever_stands_in_a_column_of_systems(text: Any) -> None:
    frame = history(100).with_columns(pl.lit(text, pl.String).alias("systems_touched"))
    assert suggest_template(frame).status == "ok"


@pytest.mark.parametrize("ridge", [0.5, 10.0])
def test_the_regression_is_scikit_learns(ridge: float) -> None:
    """Over single rows, with columns scaled to the variance 1/4, so that the penalty is the same for each."""
    random = np.random.default_rng(2)
    x = (random.random((300, 3)) < [0.5, 0.3, 0.1]).astype(float)
    y = (random.random(300) < 0.1 + 0.5 * x[:, 0]).astype(float)
    sd = x.std(axis=0)
    there = LogisticRegression(C=4 / ridge, tol=1e-10, max_iter=2000).fit(x / sd, y)
    found = logistic(np.column_stack([np.ones(300), x]), y, np.ones(300), ridge)
    assert found == pytest.approx([there.intercept_[0], *(there.coef_[0] / sd)], abs=1e-5)
    # Alike rows given once are the same rows.
    kinds, times = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    grouped = logistic(np.column_stack([np.ones(len(kinds)), kinds[:, :3]]), kinds[:, 3], times.astype(float), ridge)
    assert grouped == pytest.approx(found, abs=1e-7)


def test_an_addition_is_the_mean_difference_of_chances() -> None:
    design = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    coefficients = np.array([-2.0, 1.0, 0.5])

    def chance(odds: float) -> float:
        return float(1 / (1 + np.exp(-odds)))

    found = additions(design, np.array([2.0, 1.0, 1.0]), coefficients)
    with_second, without = chance(-0.5) - chance(-1.5), chance(-1.0) - chance(-2.0)
    assert found[0] == pytest.approx((3 * with_second + without) / 4)


def test_all_or_nothing_that_a_column_tells_ends() -> None:
    """Without the ridge the coefficient would be infinite."""
    design = np.column_stack([np.ones(40), np.arange(40) % 2]).astype(np.float64)
    found = logistic(design, (np.arange(40) % 2).astype(float), np.ones(40), 1.0)
    assert np.isfinite(found).all()
    assert found[1] > 2


def test_what_was_stopped_has_no_outcome() -> None:
    frame = history(2000)
    blocked = frame.head(500).with_columns(status=pl.lit("blocked"))
    denied = frame.head(100).with_columns(status=pl.lit("cancelled"), approval_id=pl.lit("apr"))
    both = pl.concat([frame, blocked, denied], how="diagonal").with_columns(approved_by=pl.lit(None, pl.String))
    found, alone = suggest_template(both), suggest_template(frame)
    assert (found.n, found.failed, found.rules) == (alone.n, alone.failed, alone.rules)
    assert (alone.stopped, found.stopped) == (0, 600)
    assert found.rate_least == pytest.approx(found.failed / 2600)
    assert found.rate_most == pytest.approx((found.failed + 600) / 2600)
    assert "600 were stopped and have no outcome" in found.note


def test_clusters_are_said_and_few_accept_nothing() -> None:
    frame = history(2000).with_columns(session_id=pl.Series([f"s{at // 10}" for at in range(2000)]))
    found = suggest_template(frame)
    assert (found.clusters, found.basis, found.accepted) == (200, "session", True)
    assert found.p_value is not None
    assert found.p_value <= 0.04
    assert [rule["add"] for rule in found.rules] == pytest.approx([20, 30], abs=12)
    nine = frame.with_columns(half=pl.int_range(pl.len()) % 9)
    few = suggest_template(nine, cluster="half")
    assert (few.clusters, few.basis, few.accepted, few.rules) == (9, "half", False, [])
    assert "Fewer than 10 clusters" in few.note
    one = suggest_template(frame.with_columns(session_id=pl.lit("s")))
    assert (one.clusters, one.accepted, one.status) == (1, False, "ok")


def test_noise_within_sessions_gives_no_rule_where_single_rows_would() -> None:
    """What sessions share looks like a finding to whoever counts their rows as independent."""
    random = np.random.default_rng(8)
    frames = [as_actions(*drawn(NOISE["sessions of 20"], random)) for _ in range(12)]
    apart = sum(bool(suggest_template(frame.drop("session_id")).rules) for frame in frames)
    together = sum(bool(suggest_template(frame).rules) for frame in frames)
    assert together <= 2 < apart


def of_agents(random: np.random.Generator, agents: int, truth: float = 0.0) -> pl.DataFrame:
    """120 sessions of five actions, of agents that fail and touch systems each in their own measure."""
    agent, session = random.integers(0, agents, 120), np.repeat(np.arange(120), 5)
    level = random.normal(0, 0.8, agents)[agent][session]
    own, common = random.normal(0, 1, (600, 9)), random.normal(0, 1, (agents, 9))[agent][session]
    holds = own * np.sqrt(0.7) + common * np.sqrt(0.3) > 0.5
    failed = random.random(600) < 1 / (1 + np.exp(1.4 - level - truth * holds[:, 1]))
    return as_actions(holds, failed, session).with_columns(agent_id=pl.Series([f"a{at}" for at in agent[session]]))


@pytest.mark.parametrize("agents", [5, 40])
def test_what_agents_have_of_their_own_is_no_rule(agents: int) -> None:
    random = np.random.default_rng(9)
    frames = [of_agents(random, agents) for _ in range(20)]
    blind = sum(suggest_template(frame.drop("agent_id")).accepted for frame in frames)
    assert sum(suggest_template(frame).accepted for frame in frames) <= 3
    assert blind > 3 or agents == 40
    found = [suggest_template(of_agents(random, agents, truth=1.5)) for _ in range(10)]
    assert sum(each.accepted for each in found) >= 8
    # Who says what clusters are is believed.
    assert (
        suggest_template(frames[0], cluster="session_id").p_value
        == suggest_template(frames[0].drop("agent_id")).p_value
    )


def test_what_each_agent_always_touches_cannot_be_told_from_the_agent() -> None:
    random = np.random.default_rng(4)
    rows = pl.DataFrame({"agent_id": [f"a{at // 150}" for at in range(600)]}).with_row_index("at")
    fails = random.random(600) < np.where(rows["at"].to_numpy() < 300, 0.4, 0.05)
    rows = rows.with_columns(
        status=pl.Series(np.where(fails, "failed", "completed")),
        systems_touched=pl.when(pl.col("at") < 300).then(pl.lit('["ledger"]')).otherwise(pl.lit("[]")),
        session_id=(pl.col("at") // 5).cast(pl.String),
    )
    assert suggest_template(rows.drop("agent_id")).accepted
    found = suggest_template(rows)
    assert (found.accepted, found.p_value) == (False, 1.0)


def test_the_regression_is_offered_as_what_it_is() -> None:
    frame = as_actions(*drawn(NOISE["independent"], np.random.default_rng(3)))
    found = suggest_template(frame)
    assert (found.accepted, found.rules) == (False, [])
    assert found.note.startswith("Learned from 200 released actions only, in 200 clusters (session). Not shown")
    assert found.regression
    assert all(isinstance(rule["add"], int) and rule["add"] for rule in found.regression)
    assert any(each.coefficient for each in found.evidence)


def test_weights_of_zero_and_nothing_at_all() -> None:
    frame = history(100).with_columns(n=pl.lit(0))
    assert suggest_template(frame).status == "insufficient_data"
    assert suggest_template(frame.clear()).note == "0 finished actions; 20 are needed."


@deep("a simulation")
@pytest.mark.parametrize("name", ["independent", "sessions of 5", "sessions of 10"])
def test_noise_is_seldom_accepted(name: str) -> None:
    assert accepted(NOISE[name], 100) / 100 <= 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5


@deep("a simulation")
def test_it_ranks_as_a_cross_validated_regression_does() -> None:
    _, offered, other, best, _ = ranked(TRUTH["three of nine, n 200"], 12)
    assert other - 0.02 < offered < best
