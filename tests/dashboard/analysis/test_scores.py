"""The page Scores, with a real service behind it; and what it reads, words and rules, without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.backtest import CostCurve, CostPoint
from assent.contract.analysis.scales import ScaleOperator, ScaleRule
from assent.contract.control.policies import Policy
from assent.contract.control.risk_conditions import RiskRule
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus
from assent_dashboard.views.scores import words as said
from assent_dashboard.views.scores.calibration import apply, costs_in_words, in_force
from assent_dashboard.views.scores.templates import RuleUnreadable, read_rules
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
AT = "2026-11-12T12:00:00Z"
SCALE = [
    {"label": "fast", "operator": "lte", "value": 2000, "score": 100},
    {"label": "slow", "operator": "gt", "value": 2000, "score": 20},
]


@pytest.mark.parametrize(
    ("rule", "source", "is_"),
    [
        (
            ScaleRule(label="a", operator=ScaleOperator.LTE, value=2000, score=100),
            "duration_ms",
            "up to 2.00 s: 100 (a)",
        ),
        (
            ScaleRule(label="a", operator=ScaleOperator.BETWEEN, value=[0, 30], score=75),
            "risk_score",
            "0 to 30: 75 (a)",
        ),
        (ScaleRule(label="b", operator=ScaleOperator.GT, value=0.5, score=2.5), "cost_estimate", "above $0.5: 2.5 (b)"),
        (ScaleRule(label="c", operator=ScaleOperator.EQ, value=True, score=0), "condition", "equal to True: 0 (c)"),
    ],
)
def test_a_step_is_said_in_its_unit(rule: ScaleRule, source: str, is_: str) -> None:
    assert said.steps([rule], source) == [is_]


def template(id_: str, kind: str | None, status: TemplateStatus = TemplateStatus.ACTIVE) -> RiskTemplate:
    numbers = {"base_risk": 10, "version": 1, "rules": [], "deleted_at": None, "description": None}
    texts = dict.fromkeys(("org_id", "name", "created_by", "updated_by"), "x")
    times = dict.fromkeys(("created_at", "updated_at"), AT)
    return msgspec.convert(
        {"id": id_, "action_type": kind, "status": status, **numbers, **texts, **times}, RiskTemplate
    )


def test_only_the_first_active_template_of_a_type_counts() -> None:
    first, second, generic = template("a", "pay"), template("b", "pay"), template("c", None)
    every = [first, second, generic]
    assert said.counts(first, every) == "Used for actions of type pay."
    assert said.counts(second, every).startswith("Never used")
    assert said.counts(generic, every) == "Used for every type without a template of its own."
    assert said.counts(template("d", None, TemplateStatus.INACTIVE), every).startswith("Not in use")


def test_rules_are_read_line_by_line() -> None:
    assert read_rules('+20 reversible == false\n\n -5  metadata.env == "test" ') == [
        {"condition": "reversible == false", "add": 20},
        {"condition": 'metadata.env == "test"', "add": -5},
    ]
    with pytest.raises(RuleUnreadable, match="Line 2"):
        read_rules("+20 reversible == false\nreversible == false")
    with pytest.raises(RuleUnreadable, match="no condition"):
        read_rules("+20")
    assert said.rule(RiskRule(condition="risk_score >= 50", add=20)) == "+20 where risk score is at least 50"


def policy(**changes: Any) -> Policy:
    given: dict[str, Any] = {
        **dict.fromkeys(("org_id", "policy_id", "name", "created_by", "updated_by"), "x"),
        **dict.fromkeys(("created_at", "updated_at"), AT),
        "policy_type": "risk_threshold",
        "rules": {"threshold": 60, "action": "require_approval"},
        "active": True,
        "agent_ids": [],
        "mode": "enforce",
        "version": 1,
        "deleted_at": None,
    }
    return msgspec.convert(given | changes, Policy)


def test_the_threshold_in_force_is_the_lowest_that_asks() -> None:
    assert in_force([], None) is None
    higher = policy(rules={"threshold": 80, "action": "block"})
    assert in_force([higher, policy()], None) == 60
    for other in (
        policy(active=False),
        policy(mode="observe"),
        policy(rules={"threshold": 10, "action": "warn"}),
        policy(agent_ids=["somebody"]),
    ):
        assert in_force([higher, other], None) == 80
    assert in_force([policy(agent_ids=["payer"])], "payer") == 60


def curve(**changes: Any) -> CostCurve:
    points = [
        CostPoint(
            threshold=at, interruptions=1, missed=1, cost=1, low=1, high=1, per_day=float(at), per_day_low=at - 1.0,
            per_day_high=at + 1.0, per_1000=1, per_1000_low=1, per_1000_high=1, unknown=at, most=1, most_high=1,
            per_day_most=3.0 * at, per_day_most_high=4.0 * at, per_1000_most=1, per_1000_most_high=1,
        )
        for at in range(101)
    ]  # fmt: skip
    given = {
        "points": points,
        "status": "ok",
        "interruption": 1.0,
        "failure": 20.0,
        "n": 100,
        "failures": 7,
        "days": 30,
        "resamples": 1000,
        "seed": 0,
        "never": 3.0,
        "best": 30,
        "best_low": 22,
        "best_high": 41,
        "unknown": 12,
        "possible_low": 30,
        "possible_high": 30,
        "identified": True,
    }
    return msgspec.convert(given | changes, CostCurve)


def test_costs_say_the_best_threshold_with_its_interval_and_the_one_in_force() -> None:
    words = costs_in_words(curve(), 60)
    for each in ("risk of 30 on costs least: 30 a day (29 to 31)", "between 22 and 41", "7 failures", "ask from 60 on"):
        assert each in words, each
    assert "No policy asks by risk" in costs_in_words(curve(), None)
    unknown = costs_in_words(curve(identified=False, possible_low=20, possible_high=80), 60)
    assert unknown.startswith("Not identified: 12 decisions of 100 ended without an outcome")
    assert "between 20 and 80; which of them cannot be known" in unknown
    assert "60 a day (59 to 61), and up to 180 if what was stopped fails." in unknown
    assert "costs least" not in unknown
    assert costs_in_words(curve(best=None, best_low=None, best_high=None), 60).startswith("Not enough data")


@pytest.fixture
def scored(house: Tenant) -> str:
    """A profile with five stored scores; the action that was scored last."""
    with house.client("admin", None) as client:
        profile = client.create_scoring_profile(
            "Speed of *work*",
            "How fast",
            dimensions=[{"name": "Speed", "data_source": "duration_ms", "weight": 2, "scale": SCALE}],
        )
        for duration in (900, 1500, 1900, 2500, 1000):
            made = client.create_action("look", "See", agent_id="bot", risk_score=20, confidence=80)
            client.update_outcome(made.action_id, status="completed", duration_ms=duration)
            client.score_with_profile(profile.id, made.action_id)
        return str(made.action_id)


def test_a_profile_says_what_it_measures_and_what_it_comes_to(look: Look, house: Tenant, scored: str) -> None:
    looker = look(house, "scores").draw()
    assert "the mean of all dimensions by weight" in looker.words
    assert "5 stored scores of 5 actions: mean 84.0 (39.6 to 100.0)" in looker.words
    (dimensions,) = [each.value for each in looker.page.dataframe if "Dimension" in each.value.columns]
    assert dimensions["Scale"].tolist() == ["up to 2.00 s: 100 (fast); above 2.00 s: 20 (slow)"]
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == []


def test_an_action_is_scored_with_its_breakdown(look: Look, house: Tenant, scored: str) -> None:
    looker = look(house, "scores")
    looker.page.query_params["action_id"] = scored
    looker.draw()
    assert "**100.0 of 100**" in looker.words
    looker.press("scores_it")
    assert "6 stored scores of 5 actions" in looker.words
    frames = [each.value for each in looker.page.dataframe if "Label" in each.value.columns]
    assert len(frames) == 2
    assert frames[0].iloc[0].to_dict() == {
        "Dimension": "Speed",
        "Weight": 2,
        "Value": "1000",
        "Score": 100,
        "Label": "fast",
    }


@deep("a page's main ways are in the quick tier")
def test_an_action_that_is_none_is_refused_in_words(look: Look, house: Tenant, scored: str) -> None:
    looker = look(house, "scores")
    looker.page.query_params["action_id"] = "act_none"
    looker.draw()
    assert "`act_none` has no score by this profile yet" in looker.words
    assert "Nothing was changed" in looker.press("scores_it").words


def test_who_is_no_admin_reads_and_is_told(look: Look, house: Tenant, scored: str) -> None:
    looker = look(house, "scores").draw()
    assert looker.page.button(key="scores_delete_yes").disabled
    assert "An admin key is needed for this" in looker.words
    admin = look(house, "scores", "admin").draw().press("scores_archive_yes")
    assert admin.page.selectbox(key="scores_profile").options == ["Speed of *work* (archived)"]
    assert admin.press("scores_activate_yes").page.selectbox(key="scores_profile").options == ["Speed of *work*"]
    assert "No scoring profile yet" in admin.press("scores_delete_yes").words


def open_part(look: Look, tenant: Tenant, part: str, role: str = "operator", **address: str) -> Looker:
    looker = look(tenant, "scores", role)
    looker.page.query_params.update({"part": part, **address})
    return looker.draw()


@deep("a page's main ways are in the quick tier")
def test_only_the_part_that_is_looked_at_is_asked_for(look: Look, house: Tenant, scored: str) -> None:
    looker = open_part(look, house, "templates")
    asked = looker.requests.take()
    assert "GET /api/scoring/risk-templates" in asked
    assert not any("profiles" in each or "calibrat" in each or "evaluations" in each for each in asked)


@deep("a page's main ways are in the quick tier")
def test_calibration_of_too_few_says_so(look: Look, house: Tenant, scored: str) -> None:
    looker = open_part(look, house, "calibration")
    for stated in ("confidence", "risk"):
        assert f"5 finished actions with a {stated}: not enough data." in looker.words
    assert "Not enough data" in looker.words.split("Scales that fit")[1]


@pytest.fixture
def worked(house: Tenant) -> str:
    """Forty finished actions, every fifth failed, and a profile that measures their cost."""
    with house.client("admin", None) as client:
        for at in range(40):
            failed = at % 5 == 0
            made = client.create_action(
                "look", "See", agent_id="bot", confidence=60 + at % 40, risk_score=70 if failed else 20
            )
            client.update_outcome(
                made.action_id, status="failed" if failed else "completed", duration_ms=1000 + 10 * at
            )
        return client.create_scoring_profile("Mine").id


def test_calibration_says_what_came_true_with_intervals(look: Look, house: Tenant, worked: str) -> None:
    looker = open_part(look, house, "calibration")
    for each in (
        "40 finished actions with a confidence; 80 % succeeded (65.2 % to 89.5 %)",
        "40 finished actions with a risk; 20 % failed",
        "the Brier score is",
        "From all 40 actions that began in the window, however they stand, 0 of them simulated",
    ):
        assert each in looker.words, each
    assert not any("backtest" in each for each in looker.requests.take())


@deep("a page's main ways are in the quick tier")
def test_costs_are_worked_out_when_asked_for(look: Look, house: Tenant, worked: str) -> None:
    looker = open_part(look, house, "calibration", failure="10")
    looker.page.toggle(key="scores_costs").set_value(True).run()
    assert looker.page.number_input(key="scores_failure").value == 10
    assert "In 95 % of resamples the best threshold lies between" in looker.words
    assert "POST /api/policies/backtest" in looker.requests.take()


def test_an_admin_applies_a_suggested_scale(look: Look, house: Tenant, worked: str) -> None:
    assert open_part(look, house, "calibration").page.button(key="scores_apply_yes").disabled
    looker = open_part(look, house, "calibration", "admin")
    assert "The profile does not measure it." in looker.texts
    looker.press("scores_apply_yes")
    with house.client("admin", None) as client:
        (dimension,) = client.get_scoring_profile(worked).dimensions
        suggested = {each.data_source: each for each in client.auto_calibrate().suggestions}["duration_ms"]
    assert (dimension.data_source, dimension.weight) == ("duration_ms", suggested.suggested_weight)
    assert [rule.value for rule in dimension.scale] == [step.value for step in suggested.suggested_scale]
    assert "The profile does not measure it." not in looker.texts, "what stands there now is read again"


def test_a_press_that_arrives_twice_adds_one_dimension(house: Tenant, worked: str) -> None:
    """A browser that connects again sends its last press again; what the page has read is of before both."""
    with house.client("admin", None) as client:
        suggested = {each.data_source: each for each in client.auto_calibrate().suggestions}["duration_ms"]
        for _ in range(2):
            apply(client, worked, suggested)
        assert [each.data_source for each in client.get_scoring_profile(worked).dimensions] == ["duration_ms"]


@deep("a page's main ways are in the quick tier")
def test_an_admin_makes_a_profile_of_all_suggestions(look: Look, house: Tenant, worked: str) -> None:
    open_part(look, house, "calibration", "admin").press("scores_new_yes")
    with house.client("admin", None) as client:
        made = next(each for each in client.list_scoring_profiles().profiles if each.name == "Calibrated")
    assert {each.data_source.value for each in made.dimensions} == {"duration_ms", "risk_score", "confidence"}


def test_a_template_is_drafted_switched_on_and_deleted(look: Look, house: Tenant) -> None:
    looker = open_part(look, house, "templates", "admin")
    assert "No risk template yet" in looker.words
    looker.page.text_input(key="scores_draft_name").set_value("Production").run()
    looker.page.text_area(key="scores_draft_rules").set_value("reversible").run()
    assert looker.page.button(key="scores_draft_make").disabled
    looker.page.text_area(key="scores_draft_rules").set_value("+20 risk_score >= 50").run()
    looker.press("scores_draft_make")
    assert "+20 where risk score is at least 50" in looker.words
    with house.client("admin", None) as client:
        (made,) = client.list_risk_templates().templates
        assert made.status is TemplateStatus.INACTIVE
        assert "Used for every type" in looker.press(f"scores_on_{made.id}_yes").words
        assert client.list_risk_templates().templates[0].status is TemplateStatus.ACTIVE
        looker.press(f"scores_gone_{made.id}_yes")
        assert client.list_risk_templates().total == 0


@deep("a page's main ways are in the quick tier")
def test_what_the_service_refuses_is_said(look: Look, house: Tenant) -> None:
    looker = open_part(look, house, "templates", "admin")
    looker.page.text_input(key="scores_draft_name").set_value("Odd").run()
    looker.page.text_area(key="scores_draft_rules").set_value("+20 what is this").run()
    assert "Nothing was changed" in looker.press("scores_draft_make").words


@deep("a page's main ways are in the quick tier")
def test_judgements_are_counted_with_intervals(look: Look, house: Tenant, scored: str) -> None:
    looker = open_part(look, house, "evaluations")
    assert "Nobody judged an action" in looker.words
    with house.client("admin", None) as client:
        for score in (0.9, 0.7, 0.4):
            client.create_score(scored, "Reviewer", score)
        client.submit_feedback(4, "Good", action_id=scored)
    looker.press("scores_again")
    assert "3 scores by 1 judge: mean 0.67 (0.04 to 1.00) of 1; 66.7 % passed" in looker.words
    assert "1 entry of all time, mean rating 4.0 of 5 over 1 rating" in looker.words
