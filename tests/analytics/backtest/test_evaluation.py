"""What a policy would have caused: values by hand, a plain second implementation, and worlds with a truth."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from assent.contract.analysis.backtest import Costs
from assent.contract.analysis.policy_value import PolicyCosts, ValueStatus
from assent.contract.control.policies import PolicyDraft
from assent.contract.control.rules import PolicyError
from assent_analytics.backtest import evaluate_policy
from assent_analytics.backtest.value import ASK, BLOCK, PASS, Logged, overlap_of, policy_value
from tests.analytics.backtest.tables import NOW
from tests.benchmarks.exploration import EVERYBODY, NOBODY, SCENARIOS, make_world, truth
from tests.tiers import deep

BLOCKING = [PolicyDraft(name="b", policy_type="block_action_type", rules={"action_types": ["refund"]})]
Row = dict[str, Any]


def frames(*rows: Row, since: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Decisions and their actions; `status` None for one without an action. Each row is a session of its own."""
    decisions, actions = [], []
    for at, row in enumerate(rows):
        whole: Row = {
            "decision_id": f"dec_{at}", "decision": "allow", "action_type": "refund", "agent_id": "bot",
            "session_id": f"s{at}", "occurred_at": NOW + timedelta(seconds=since + at), "risk_score": 20.0,
            "propensity": 1.0, "explore_draw": None, "explore_below": 60.0, "status": "completed",
        } | row  # fmt: skip
        status = whole.pop("status")
        decisions.append(whole)
        if status is not None:
            actions.append({"decision_id": whole["decision_id"], "status": status})
    schema = {"decision_id": pl.String, "status": pl.String}
    return pl.DataFrame(decisions, infer_schema_length=None), pl.DataFrame(actions, schema=schema)


def drawn(number: int, *, passed: int, failing: int) -> list[Row]:
    """`number` refunds that a policy with a share of .25 asks about, the first `passed` let pass, of which the first
    `failing` failed; each with a draw of its own. What was asked about ended well."""
    rows: list[Row] = []
    for at in range(number):
        let = at < passed
        rows.append(
            {
                "decision": "warn" if let else "require_approval",
                "propensity": 0.25 if let else 0.75,
                "explore_draw": (0.2 * at / number) if let else 0.3 + 0.6 * at / number,
                "status": "failed" if let and at < failing else "completed",
            }
        )
    return rows


def test_the_values_of_other_libraries() -> None:
    """Quick: what the Open Bandit Pipeline (obp 0.4.1) gives on these rows for its inverse weighting and for the
    self-normalised one, and the mean effect of EconML's DRLearner (0.17.0) with the same propensities, fifths of the
    draws and ridge regression (scikit-learn's, penalty 5) of what was let pass, its outcome 0 where it was not; written
    down, since neither is small to install."""
    rows: list[Row] = []
    for at in range(120):
        share = (0.25, 0.4, 0.1)[at % 3]
        let = (at * 7) % 20 < round(share * 20) and at % 13 != 1
        failed = (at * 11) % 4 == 0 if let else (at * 13) % 10 == 0
        rows.append(
            {
                "decision": "warn" if let else "require_approval",
                "propensity": share if let else 1 - share,
                "explore_draw": share * at / 120 if let else share + (1 - share) * (at + 0.5) / 120,
                "status": "failed" if failed else "completed",
                "risk_score": float(at * 17 % 60),
            }
        )
    found = evaluate_policy(*frames(*rows), NOBODY)
    assert (found.explored, found.draws) == (120, 26)
    assert found.failures is not None
    assert found.failures.inverse == pytest.approx(0.3625, abs=1e-12)
    assert found.failures.normalised == pytest.approx(0.40092165898617516, abs=1e-12)
    assert found.failures.doubly_robust == pytest.approx(0.41470795110392156, abs=1e-12)


def test_by_hand() -> None:
    # 120 were drawn, 30 of them let pass, of which 6 failed; 80 others are allowed anyway, and 8 failed.
    others = [{"action_type": "look", "status": "failed" if at < 8 else "completed"} for at in range(80)]
    found = evaluate_policy(*frames(*drawn(120, passed=30, failing=6), *others), NOBODY)
    assert (found.status, found.n, found.clusters, found.basis) == (ValueStatus.OK, 200, 200, "session")
    assert (found.same, found.explored, found.stopped, found.without, found.unknown) == (80, 120, 0, 0, 0)
    assert [found.draws, found.effective, found.mean_weight] == pytest.approx([30, 30, 1])
    assert (found.asked_staying, found.asked_going) == (90, 0)
    failures = found.failures
    assert failures is not None
    # (8 + 6 * 4) / 200; the weights have a mean of 1, so the self-normalised one is the same.
    assert failures.inverse == failures.normalised == pytest.approx(0.16)
    # Risk and type are alike everywhere, so the regression is the share of failures among 24 of 30.
    assert failures.doubly_robust == pytest.approx(0.16, abs=0.02)
    assert failures.staying.least == failures.staying.most == pytest.approx(14 / 200)
    assert failures.change.least == pytest.approx(failures.going.least - failures.staying.least)
    assert failures.going.low is not None
    assert failures.going.high is not None
    assert 0.07 < failures.going.low < 0.12 < 0.16 < 0.2 < failures.going.high < 0.3
    assert found.better is False, "more failures"
    # A failure costs 1: 40 failures less asks of 90 * 1 of 200, by 1,000 decisions.
    costs = evaluate_policy(
        *frames(*drawn(120, passed=30, failing=6), *others), NOBODY, costs=Costs(interruption=10, failure=1)
    ).costs
    assert costs is not None
    assert costs.staying.least == pytest.approx(1000 * (10 * 90 + 14) / 200)
    assert costs.change.least == pytest.approx(1000 * (failures.change.least - 10 * 90 / 200))


def test_what_nobody_saw_has_bounds_and_is_said() -> None:
    rows = [{"status": "failed" if at < 3 else "completed"} for at in range(20)]
    rows += [{"action_type": "tell", "decision": "require_approval"} for _ in range(30)]
    found = evaluate_policy(*frames(*rows), [])
    assert found.status is ValueStatus.NOT_IDENTIFIED
    assert (found.same, found.without, found.explored) == (20, 30, 0)
    failures = found.failures
    assert failures is not None
    assert [failures.going.least, failures.going.most] == pytest.approx([3 / 50, 33 / 50])
    assert [failures.change.least, failures.change.most] == pytest.approx([0, 30 / 50])
    assert (failures.inverse, failures.normalised, failures.doubly_robust) == (None, None, None)
    assert "Not identified: in 30 of 50 decisions (60.0%)" in found.says[0]
    assert found.better is None


def test_what_would_be_blocked_is_known_without_any_draw() -> None:
    rows = [{"status": "failed" if at < 12 else "completed"} for at in range(40)]
    found = evaluate_policy(*frames(*rows), BLOCKING)
    assert (found.status, found.stopped) == (ValueStatus.OK, 40)
    assert found.failures is not None
    assert found.work is not None
    assert (found.failures.going.least, found.failures.going.most) == (0.0, 0.0)
    assert found.work.change.most == pytest.approx(-28 / 40)
    assert found.better is None, "fewer failures, and less work"
    assert found.says[-1].startswith(
        "Work is lost: 28 of 40 decisions (70.0%) that would be blocked ended well. It has"
    )
    assert (found.failures.going.low, found.failures.going.high) == (0.0, 0.0), "nothing runs, by no chance at all"


@pytest.mark.parametrize(("lost_work", "better"), [(None, None), (0, True), (1, True), (9, False)])
def test_lost_work_has_a_price_or_a_policy_that_costs_it_is_not_called_better(
    lost_work: float | None, better: bool | None
) -> None:
    rows = [{"status": "failed" if at < 100 else "completed"} for at in range(400)]
    costs = PolicyCosts(interruption=1, failure=10, lost_work=lost_work)
    found = evaluate_policy(*frames(*rows), BLOCKING, costs=costs)
    assert found.better is better
    assert found.costs is not None
    lost = lost_work or 0
    # By 1,000 decisions: 250 failures, which complete no work either; blocked, none completes.
    assert found.costs.staying.least == found.costs.staying.most == pytest.approx(250 * (10 + lost))
    assert found.costs.going.most == pytest.approx(1000 * lost)
    assert found.costs.change.least == pytest.approx(750 * lost - 2500)


def test_a_policy_that_stops_only_failures_is_better() -> None:
    rows = [{"status": "failed"}] * 40 + [{"action_type": "look"}] * 40
    found = evaluate_policy(*frames(*rows), BLOCKING)
    assert found.better is True
    assert not any("Work is lost" in each for each in found.says)


def test_letting_pass_what_was_blocked_is_not_sure_to_be_worse_where_it_brings_work() -> None:
    """Of 400 refunds a draw let 100 pass, of which 20 failed; the others were asked about and cancelled."""
    rows = [
        row if row["decision"] == "warn" else row | {"status": "cancelled"}
        for row in drawn(400, passed=100, failing=20)
    ]
    assert evaluate_policy(*frames(*rows), NOBODY).better is None
    priced = PolicyCosts(interruption=0, failure=1, lost_work=0)
    assert evaluate_policy(*frames(*rows), NOBODY, costs=priced).better is False


def test_where_every_decision_is_the_same_the_change_is_nothing() -> None:
    rows = [
        {"decision": "require_approval" if at % 3 else "allow", "status": "failed" if at % 20 == 0 else "completed"}
        for at in range(300)
    ]
    rows = [row | {"action_type": "refund" if row["decision"] == "require_approval" else "look"} for row in rows]
    asking = [PolicyDraft(name="a", policy_type="require_approval", rules={"action_types": ["refund"]})]
    found = evaluate_policy(*frames(*rows), asking, costs=PolicyCosts(interruption=1, failure=10, lost_work=2))
    assert found.same == 300
    for each in (found.failures, found.work, found.costs):
        assert each is not None
        change = each.change
        assert (change.least, change.most, change.low, change.high) == (0, 0, 0, 0)
        assert each.staying == each.going
        assert each.staying.low is not None
        assert each.staying.low < each.staying.least, "what was done has chance in it as ever"
    assert found.better is None


def test_costs_that_are_none_are_refused_by_name() -> None:
    wrongs: list[tuple[Row, str]] = [({"lost": 1}, "lost"), ({"failure": "x"}, "failure"), ({"failure": -1}, "failure")]
    for wrong, named in wrongs:
        costs: Any = {"interruption": 1, "failure": 1} | wrong
        with pytest.raises(ValueError, match=named):
            evaluate_policy(*frames({}, {}), [], costs=costs)
    with pytest.raises(ValueError, match="interruption"):
        evaluate_policy(*frames({}, {}), [], costs={"failure": 1})
    # Those of a backtest have two members, which mean the same.
    plain = evaluate_policy(*frames({}, {}), [], costs=Costs(interruption=1, failure=1))
    assert plain == evaluate_policy(*frames({}, {}), [], costs={"interruption": 1, "failure": 1})


@pytest.mark.parametrize(
    ("members", "policies", "says"),
    [
        ({"decision": "require_approval"}, [], "does not help; a policy with `explore` would, where the action says"),
        ({"decision": "require_approval", "risk_score": 70.0}, [], "does not help; nor does exploring"),
        ({"decision": "require_approval", "destructive": True}, [], "does not help; nor does exploring"),
        ({"decision": "block"}, [], "does not help; nor does exploring"),
    ],
)
def test_exploring_is_advised_only_where_it_may_touch(members: Row, policies: list[PolicyDraft], says: str) -> None:
    found = evaluate_policy(*frames(*[members] * 12), policies)
    assert (found.without, says in found.says[0]) == (12, True), found.says
    allowed = {"decision": "require_approval", "risk_score": 69.5, "destructive": None}
    mixed = evaluate_policy(*frames(*[members | {"destructive": members.get("destructive")}] * 12, allowed), policies)
    may = 13 if "would, where" in says else 1
    words = "help; a policy with `explore` would" if may == 13 else "help; in 1 of them a policy with `explore` would"
    assert words in mixed.says[0]


@pytest.mark.parametrize("status", [None, "running", "pending_approval", "pending"])
def test_an_outcome_that_is_not_known_may_be_either(status: str | None) -> None:
    rows = [{"status": "failed"}] * 10 + [{"status": "completed"}] * 10 + [{"status": status}] * 5
    found = evaluate_policy(*frames(*rows), [])
    assert found.unknown == 5
    assert found.failures is not None
    assert found.failures.going.least == pytest.approx(10 / 25)
    assert found.failures.going.most == pytest.approx(15 / 25)
    assert found.failures.change.least == found.failures.change.most == 0, "whatever they are, nothing changes"
    assert any("5 of 25 decisions have no outcome" in each for each in found.says)


def test_few_draws_count_as_not_seen() -> None:
    found = evaluate_policy(*frames(*drawn(60, passed=19, failing=2)), NOBODY)
    assert found.status is ValueStatus.NOT_IDENTIFIED
    assert (found.draws, found.explored, found.without) == (19, 0, 60)
    assert found.says[0].startswith("Only 19 draws did what the policy would")


def test_propensities_that_do_not_fit_are_refused() -> None:
    # Said to be let pass in 1 of 20, and was in half of them.
    rows = [
        row | {"propensity": 0.05 if row["decision"] == "warn" else 0.95} for row in drawn(80, passed=40, failing=0)
    ]
    found = evaluate_policy(*frames(*rows), NOBODY)
    assert found.status is ValueStatus.NOT_IDENTIFIED
    assert "do not fit" in found.says[0]
    assert found.mean_weight == pytest.approx(10.0)


@pytest.mark.parametrize("wrong", [0.0, -0.1, 1.1, float("nan"), float("inf")])
def test_a_propensity_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="propensity is"):
        evaluate_policy(*frames({"propensity": wrong}, {}), [])


def test_bad_input_has_a_clear_answer() -> None:
    decisions, actions = frames({}, {})
    nothing = evaluate_policy(decisions.clear(), actions.clear(), NOBODY)
    assert (nothing.status, nothing.n, nothing.failures, nothing.better) == (
        ValueStatus.INSUFFICIENT_DATA, 0, None, None,
    )  # fmt: skip
    assert nothing.says == ["There are no decisions in this window, so nothing can be said."]
    one = evaluate_policy(decisions.with_columns(session_id=pl.lit("s")), actions, [])
    assert (one.status, one.clusters) == (ValueStatus.INSUFFICIENT_DATA, 1)
    assert one.failures is not None
    assert (one.failures.going.low, one.failures.going.high, one.better) == (None, None, None)
    assert evaluate_policy(decisions, actions, []).status is ValueStatus.FEW_CLUSTERS
    assert evaluate_policy(decisions, None, []).unknown == 2
    with pytest.raises(ValueError, match="decisions lack risk_score"):
        evaluate_policy(decisions.drop("risk_score"), actions, [])
    with pytest.raises(ValueError, match="session_id"):
        evaluate_policy(decisions.drop("session_id", "agent_id"), actions, [])
    with pytest.raises(PolicyError, match="explore"):
        evaluate_policy(decisions, actions, [{**_plain(BLOCKING[0]), "explore": 0.1}])


def _plain(draft: PolicyDraft) -> Row:
    return {"name": draft.name, "policy_type": draft.policy_type, "rules": draft.rules}


def test_decisions_from_before_propensities_are_of_rules_alone() -> None:
    decisions, actions = frames(*[{"status": "failed"}] * 12)
    old = decisions.drop("propensity", "explore_draw", "explore_below")
    assert evaluate_policy(old, actions, []) == evaluate_policy(decisions, actions, [])


def test_what_the_policies_explore_is_left_out_of_what_they_would_do() -> None:
    rows = drawn(120, passed=30, failing=6)
    asking = {"action_types": ["refund"]}
    exploring = PolicyDraft(name="a", policy_type="require_approval", rules=asking, explore=0.25)
    plain = PolicyDraft(name="a", policy_type="require_approval", rules=asking)
    found = evaluate_policy(*frames(*rows), [exploring])
    assert found == evaluate_policy(*frames(*rows), [plain])
    assert found.asked_going == 120


def test_bounds_hold_whatever_the_outcomes_are() -> None:
    """Each way in which the unseen could have ended, of five decisions, three of them unseen."""
    rows = [{"status": "failed"}, {}, *[{"action_type": "tell", "decision": "require_approval"}] * 3]
    found = evaluate_policy(*frames(*rows), []).failures
    assert found is not None
    for each in itertools.product((0, 1), repeat=3):
        assert found.going.least - 1e-12 <= (1 + sum(each)) / 5 <= found.going.most + 1e-12
    assert [found.going.least, found.going.most] == pytest.approx([1 / 5, 4 / 5]), "and no wider"


# A second implementation, as plain as it can be: estimators by a loop, the doubly robust one by solving for each fifth.


def plainly(y: list[float], logged: Logged) -> tuple[float, float, float]:
    n, seen, inverse, weights, rows = len(y), 0.0, 0.0, 0.0, []
    for at in range(n):
        if logged.propensity[at] == 1 and logged.done[at] == logged.would[at]:
            seen += y[at]
        elif logged.propensity[at] < 1 and logged.would[at] != BLOCK:
            weight = 1 / logged.propensity[at] if logged.done[at] == logged.would[at] else 0.0
            inverse, weights = inverse + weight * y[at], weights + weight
            rows.append((at, weight))
    ranks = {draw: rank for rank, draw in enumerate(sorted({logged.draw[at] for at, _ in rows}))}
    robust = 0.0
    for at, weight in rows:
        fold = ranks[logged.draw[at]] % 5
        told = [each for each, w in rows if w > 0 and ranks[logged.draw[each]] % 5 != fold]
        x = np.array([logged.features[each] for each in told])
        mean, spread = x.mean(0), x.std(0)
        spread[spread == 0] = 1
        z, level = (x - mean) / spread, float(np.mean([y[each] for each in told]))
        # Ridge as least squares with rows of its own for the penalty.
        wide = np.vstack([z, np.sqrt(5.0) * np.eye(z.shape[1])])
        target = np.array([y[each] - level for each in told] + [0.0] * z.shape[1])
        slope = np.linalg.lstsq(wide, target, rcond=None)[0]
        guess = min(1.0, max(0.0, level + float((logged.features[at] - mean) / spread @ slope)))
        robust += guess + weight * (y[at] - guess)
    return (seen + inverse) / n, (seen + len(rows) * inverse / weights) / n, (seen + robust) / n


@pytest.mark.parametrize("seed", range(4))
def test_the_estimators_are_what_a_plain_implementation_gives(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 400
    propensity = random.choice([0.25, 0.75, 1.0], n)
    drawn_ = propensity < 1
    would = random.choice([PASS, ASK, BLOCK], n, p=[0.6, 0.3, 0.1])
    done = np.where(drawn_, random.choice([PASS, ASK], n), would)
    draws = random.choice(np.linspace(0, 1, 90), n)
    logged = Logged(
        done, would, propensity, np.where(drawn_, draws, np.nan), random.integers(0, 50, n), random.random((n, 3))
    )
    y = (random.random(n) < 0.3).astype(float)
    overlap = overlap_of(logged)
    # The weights are made up and have no mean of 1, which is looked for elsewhere.
    if overlap.misfit:
        pytest.skip("by chance the weights do not fit")
    found = policy_value(y, logged, overlap)
    assert (found.inverse, found.normalised, found.doubly_robust) == pytest.approx(plainly(y.tolist(), logged))


def test_sessions_and_draws_widen_the_interval() -> None:
    rows = drawn(400, passed=100, failing=20)
    alone = evaluate_policy(*frames(*rows), NOBODY)
    shared = evaluate_policy(*frames(*[row | {"session_id": f"s{at // 10}"} for at, row in enumerate(rows)]), NOBODY)
    # Twenty draws in a hundred passes, five of each.
    few = [row | {"explore_draw": float(row["explore_draw"]) // 0.01 * 0.01} for row in rows]
    hourly = evaluate_policy(*frames(*few), NOBODY)

    def width(found: Any) -> float:
        return float(found.failures.going.high - found.failures.going.low)

    assert alone.failures is not None
    # What failed stands together in both, so sessions of ten and draws of five are nearly alike within.
    assert width(shared) > 1.5 * width(alone)
    assert width(hourly) > 1.3 * width(alone)


@deep("600 worlds, each evaluated")
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    held = of = 0
    for number in range(600):
        scenario = SCENARIOS[1 + number % 5]
        world = make_world(random, scenario, 0.0)
        found = evaluate_policy(world.decisions, world.actions, NOBODY)
        assert found.failures is not None
        if found.status is ValueStatus.OK:
            going, of = found.failures.going, of + 1
            assert going.low is not None
            assert going.high is not None
            held += going.low <= truth(scenario, []) <= going.high
    # Of 600 at 95%, the share lies within .92 and .975 but for once in a thousand times.
    assert of > 500
    assert 0.92 < held / of < 0.985


@pytest.mark.parametrize("target", [NOBODY, EVERYBODY])
def test_without_draws_the_bounds_hold_in_every_world(target: list[PolicyDraft]) -> None:
    random = np.random.default_rng(8)
    for scenario in SCENARIOS[2:4]:
        world = make_world(random, scenario._replace(share=0.0, rate=0.2), 0.0)
        found = evaluate_policy(world.decisions, world.actions, target)
        assert found.status is ValueStatus.NOT_IDENTIFIED
        asked = [0, 1, 2] if target is EVERYBODY else []
        here = float(np.where(np.isin(world.types, asked), world.asked, world.passed).mean())
        assert found.failures is not None
        assert found.failures.going.least - 1e-12 <= here <= found.failures.going.most + 1e-12
