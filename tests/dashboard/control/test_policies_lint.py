"""Findings about a draft: the contract's errors, and warnings that hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from msgspec.structs import replace

from assent.contract.analysis.backtest import BacktestStatus, ReplayedFlow
from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent_analytics.backtest import backtest
from assent_dashboard.views.policies.diff import (
    BacktestDiff,
    TooMany,
    changes_in_words,
    headline,
    question,
    sessions_in_words,
    with_draft,
)
from assent_dashboard.views.policies.draft import EditedPolicy
from assent_dashboard.views.policies.lint import Known, LintFinding, LintLevel, errors, findings
from assent_dashboard.views.policies.sentences import does

ROW = {"field": "b", "op": "eq", "value": "x"}
NOW = datetime(2026, 11, 20, tzinfo=UTC)
ASK_AT_60 = {"threshold": 60, "action": "require_approval"}


def draft(policy_type: str = "risk_threshold", rules: Any = None, **members: Any) -> EditedPolicy:
    rules = ASK_AT_60 if rules is None else rules
    return EditedPolicy(base=None, data={"name": "Ask", "policy_type": policy_type, "rules": rules, **members})


def stored(name: str, policy_type: str, rules: dict[str, object], **members: Any) -> Policy:
    told: dict[str, Any] = {
        "org_id": "org",
        "policy_id": f"pol_{name}",
        "name": name,
        "policy_type": policy_type,
        "rules": rules,
        "active": True,
        "agent_ids": [],
        "mode": Mode.ENFORCE,
        "version": 1,
        "created_at": NOW,
        "created_by": "key",
        "updated_at": NOW,
        "updated_by": "key",
        "deleted_at": None,
    }
    return Policy(**{**told, **members})


def said(found: list[LintFinding], level: LintLevel = LintLevel.WARNING) -> str:
    return "\n".join(each.text for each in found if each.level is level)


def compared(risks: list[float], policy: EditedPolicy, *others: dict[str, Any]) -> BacktestDiff:
    frame = pl.DataFrame(
        {
            "decision_id": [f"dec_{at}" for at in range(len(risks))],
            "decision": "allow",
            "occurred_at": [NOW] * len(risks),
            "risk_score": risks,
        },
        schema_overrides={"risk_score": pl.Float64, "decision_id": pl.String, "occurred_at": pl.Datetime("us", "UTC")},
    )
    mine = policy.policy()
    without = backtest(frame, None, [*others])
    return BacktestDiff(
        present=without, without=without, proposed=backtest(frame, None, [*others, mine]), index=len(others), actions={}
    )


@pytest.mark.parametrize(
    ("changed", "line", "says"),
    [
        (draft(name=""), 3, "name"),
        (draft(rules={"threshold": 101}), 6, "rules.threshold is 101"),
        (draft("block_action_type", {"action_types": []}), 6, "rules.action_types"),
        (draft("webhook_check", {"url": "http://a.example"}), 6, "https"),
        (draft("condition", {"when": {"all": []}, "action": "warn"}), 7, "at least one condition"),
        (
            draft("condition", {"when": {"field": "risk_score", "op": "gte", "value": "x"}, "action": "warn"}),
            9,
            "expects a number",
        ),
    ],
)
def test_what_the_contract_refuses_is_an_error_with_its_line(changed: EditedPolicy, line: int, says: str) -> None:
    (error,) = errors(findings(changed, Known()))
    assert says in error.text
    assert error.line == line


def test_what_the_service_refuses_and_names_that_are_taken_are_errors() -> None:
    other = stored("Ask", "risk_threshold", dict(ASK_AT_60), mode=Mode.OBSERVE)
    found = errors(findings(draft(), Known(others=[other], refused="missing closing )")))
    assert [each.text for each in found] == [
        "missing closing )",
        "Another policy has this name already; choose another one.",
    ]


def test_a_sound_draft_has_no_warning() -> None:
    known = Known(agents=["bot"], types=["pay"], compared=compared([10, 70, 90], draft()))
    found = findings(draft(agent_ids=["bot"]), known)
    assert (errors(found), said(found)) == ([], "")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (draft(agent_ids=["bott"]), "“bott”"),
        (draft("block_action_type", {"action_types": ["pay", "payy"]}), "“payy”"),
        (draft(rules={"threshold": 0, "action": "warn"}), "every action"),
        (
            draft("condition", {"when": {"not": {"field": "amount", "op": "gt", "value": 1}}, "action": "warn"}),
            "“amount”",
        ),
    ],
)
def test_what_looks_odd_is_a_warning(changed: EditedPolicy, says: str) -> None:
    known = Known(agents=["bot"], types=["pay"])
    assert says in said(findings(changed, known))
    # What nobody knows is no reason for a warning.
    assert "recent" not in said(findings(changed, Known()))


def test_members_that_the_context_has_are_no_typing_errors() -> None:
    odd = draft("condition", {"when": {"field": "amount", "op": "gt", "value": 1}, "action": "warn"})
    assert said(findings(odd, Known(extra_fields=["amount"]))) == ""
    nested = draft("condition", {"when": {"field": "metadata.x", "op": "gt", "value": 1}, "action": "warn"})
    assert said(findings(nested, Known())) == ""


@pytest.mark.parametrize(
    ("other", "covers"),
    [
        (stored("o", "risk_threshold", {"threshold": 60, "action": "block"}), True),
        (stored("o", "risk_threshold", {"threshold": 61, "action": "block"}), False),
        (stored("o", "risk_threshold", {"threshold": 10, "action": "warn"}), False),
        (stored("o", "risk_threshold", {"threshold": 10, "action": "block"}, mode=Mode.OBSERVE), False),
        (stored("o", "risk_threshold", {"threshold": 10, "action": "block"}, active=False), False),
        (stored("o", "risk_threshold", {"threshold": 10, "action": "block"}, agent_ids=["bot"]), False),
        (stored("o", "block_action_type", {"action_types": ["pay"]}), False),
    ],
)
def test_a_policy_that_another_covers_is_told(other: Policy, covers: bool) -> None:
    assert ("asks for the same or more" in said(findings(draft(), Known(others=[other])))) is covers


def test_types_are_covered_by_what_blocks_them() -> None:
    block = stored("o", "block_action_type", {"action_types": ["pay", "wipe"]})
    asks = draft("require_approval", {"action_types": ["pay"]})
    assert "“o”" in said(findings(asks, Known(others=[block])))
    more = draft("require_approval", {"action_types": ["pay", "look"]})
    assert said(findings(more, Known(others=[block]))) == ""


def test_the_backtest_tells_what_never_matches_always_matches_and_adds_nothing() -> None:
    def told(risks: list[float], *others: dict[str, Any]) -> str:
        return said(findings(draft(), Known(compared=compared(risks, draft(), *others), window="7d")))

    assert told([10, 20]) == "It matches none of the 2 decisions of the last 7 days."
    assert told([60, 99]) == "It matches every one of the 2 decisions of the last 7 days."
    block = {"name": "b", "policy_type": "risk_threshold", "rules": {"threshold": 50, "action": "block"}}
    assert "adds nothing" in told([10, 70], block)
    assert told([10, 70]) == ""
    assert told([]) == "", "nothing is said about nothing"
    busy = told([10.0, *[70.0] * 100])
    assert "100 times a day, once in 14 min" in busy
    asking = {"name": "b", "policy_type": "risk_threshold", "rules": ASK_AT_60}
    assert "times a day" not in told([10.0, *[70.0] * 100], asking), "others ask as often without it"


def test_what_a_backtest_comes_to_in_words() -> None:
    found = compared([10, 70, 80], draft())
    assert headline(found) == (
        "It matches 2 of 3 decisions. Compared with today's policies: 2 more asked a person, 2 fewer allowed."
    )
    assert changes_in_words(found.proposed) == (
        "Recorded decisions beside those with this draft: 2 of 3 change. 2 from allow to require approval"
    )
    assert headline(compared([10], draft())) == "It matches 0 of 1 decision. Today's policies come to the same numbers."


def test_the_draft_stands_in_the_place_of_what_it_changes() -> None:
    policies = [stored(name, "risk_threshold", dict(ASK_AT_60)) for name in "abc"]
    mine = PolicyDraft(name="mine", policy_type="risk_threshold", rules={})
    assert [each.name for each in with_draft(policies, mine, "pol_b")[0]] == ["a", "mine", "c"]
    assert with_draft(policies, mine, None)[1] == 3
    with pytest.raises(TooMany, match="1001"):
        with_draft(policies[:1] * 1000, mine, None)


def test_what_a_flow_policy_would_have_stopped_in_words() -> None:
    flow = ReplayedFlow(
        index=0,
        policy_id=None,
        name="values",
        n=50,
        decided=40,
        asked=8,
        no_trace=7,
        read_otherwise=3,
        rate=0.2,
        low=0.1,
        high=0.34,
        clusters=12,
        status="ok",
        sessions=10,
        sessions_stopped=4,
        sessions_unknown=2,
        sessions_low=0.17,
        sessions_high=0.69,
        sessions_status=BacktestStatus.OK,
        stops=[],
    )
    said = sessions_in_words(flow)
    assert said.startswith("It stops 4 of 10 sessions (40 %; 95 %: 17 % to 69 %).")
    assert "It asks about 8 of 40 decisions with a trace (20 %; 95 %: 10 % to 34 %), in 12 clusters." in said
    assert "7 decisions of 50 have no trace of where their values came from" in said
    assert "none of them counts as one that may pass" in said
    assert "3 decisions looked at other values than this pack does" in said
    assert said.endswith("Of 2 more sessions not enough is known.")
    nothing = replace(flow, n=0, decided=0, rate=None, sessions=0, no_trace=0, read_otherwise=0, sessions_unknown=0)
    assert sessions_in_words(nothing) == "It applies to no live decision of the window."


def test_a_flow_policy_of_which_not_all_is_known_is_not_said_to_match_nothing() -> None:
    frame = pl.DataFrame(
        {"decision_id": ["a", "b"], "decision": ["allow"] * 2, "occurred_at": [NOW] * 2, "risk_score": [1.0] * 2}
    )
    mine = PolicyDraft(name="values", policy_type="flow", rules={})
    found = backtest(frame, None, [mine])
    compared = BacktestDiff(present=found, without=found, proposed=found, index=0, actions={})
    assert compared.matched is None


def test_a_backtest_does_not_depend_on_name_and_mode() -> None:
    one, other = draft(name="a", mode="observe"), draft(name="b", active=False)
    assert question(one.policy()) == question(other.policy())
    assert question(one.policy()) != question(draft(rules={"threshold": 61}).policy())


@pytest.mark.parametrize(
    ("policy_type", "rules", "sentence"),
    [
        ("risk_threshold", ASK_AT_60, "Asks a person when the risk is 60 or more."),
        ("require_approval", {"action_types": ["pay", "refund"]}, "Asks a person before pay or refund."),
        (
            "require_approval",
            {"action_types": ["pay"], "escalate_after_minutes": 120, "escalate_to": "Leads"},
            "Asks a person before pay. After 2 hours without a decision it escalates to Leads.",
        ),
        ("block_action_type", {"action_types": ["a", "b", "c", "d", "e"]}, "Blocks a, b, c, d or 1 other."),
        ("rate_limit", {"max_actions": 1}, "Warns when an agent already has 1 action within 1 hour."),
        (
            "webhook_check",
            {"url": "https://a.example", "timeout_ms": 2500, "on_timeout": "block"},
            "Asks https://a.example, and blocks when there is no answer within 2.5 s.",
        ),
        (
            "condition",
            {
                "when": {
                    "all": [
                        {"field": "risk_score", "op": "gte", "value": 95},
                        {
                            "any": [
                                {"field": "a", "op": "exists", "value": False},
                                {"field": "b", "op": "eq", "value": "x"},
                            ]
                        },
                    ]
                },
                "action": "block",
            },
            "Blocks when risk_score is at least 95 and (a is not there or b is “x”).",
        ),
        (
            "flow",
            {
                "when": {
                    "all": [
                        {"tool": "refund"},
                        {"field": "risk_score", "op": "gte", "value": 20},
                        {"not": {"before": {"tool": "verify_identity"}}},
                    ]
                }
            },
            "Asks a person when the tool is refund and risk_score is at least 20 and not (the tool was verify_identity "
            "before), and when nobody can tell.",
        ),
        ("risk_threshold", {"threshold": -1}, "Cannot be read: rules.threshold is -1: Expected `int` >= 0."),
    ],
)
def test_what_a_policy_does_in_one_sentence(policy_type: str, rules: object, sentence: str) -> None:
    assert does(policy_type, rules) == sentence


def test_a_rule_over_the_session_is_told_of_its_fields_its_replay_and_calls_without_a_past() -> None:
    when = {"any": [{"field": "queue", "op": "eq", "value": "x"}, {"label": "untrusted_seen"}]}
    texts = [each.text for each in findings(draft("flow", {"when": when}), Known())]
    assert any("no member queue" in each.replace("“", "").replace("”", "") for each in texts), texts
    assert any("where a trace of the session was recorded" in each for each in texts), texts
    assert any(each.startswith("A call that names no session") for each in texts), texts


def test_what_an_observing_flow_policy_says_of_tools_counts_only_once_it_is_enforced() -> None:
    rules = {"pack": {"tools": {"send_email": {"effect": "none"}}}}
    others = [stored("Decides", "flow", {})]
    found = said(findings(draft("flow", rules, mode="observe"), Known(others=others)))
    assert "what its pack says of send_email counts only once it is enforced, since 'Decides' decides" in found
    assert "counts only" not in said(findings(draft("flow", rules), Known(others=others)))
