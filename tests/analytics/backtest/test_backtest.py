"""The answer of a backtest against values worked out by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import polars as pl
import pytest
from msgspec import UNSET
from scipy import stats

from assent.contract.analysis.backtest import Backtest, Costs, DecisionCounts
from assent.contract.conditions import ConditionError
from assent.contract.control.flows import FlowTrace, FlowValue
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import PolicyError
from assent.flows.trace import VERSION
from assent_analytics.backtest import PatternError, backtest, columns_needed, curve_frame
from tests.analytics.backtest.tables import NOW, actions, condition, decisions, leaf, limit, threshold


def after(found: Backtest) -> dict[str, str]:
    assert found.verdicts is not UNSET
    return {each.decision_id: each.after.value for each in found.verdicts}


def verdicts(frame: pl.DataFrame, made: pl.DataFrame | None, *policies: dict[str, Any], **more: Any) -> dict[str, str]:
    return after(backtest(frame, made, policies, include="verdicts", **more))


def test_what_changed_and_what_became_of_it() -> None:
    frame = decisions(
        {"risk_score": 80.0},
        {"risk_score": 79.9},
        {"risk_score": 90.0},
        {"risk_score": 10.0, "decision": "require_approval"},
        {"risk_score": 10.0, "decision": "block"},
        {"risk_score": 85.0, "decision": "block"},
    )
    made = actions(
        {"decision_id": "dec_0", "status": "failed"},
        {"decision_id": "dec_1", "status": "completed"},
        {"decision_id": "dec_2", "status": "completed"},
        {"decision_id": "dec_3", "status": "failed"},
        {"decision_id": "dec_4", "status": "blocked"},
    )
    found = backtest(frame, made, [threshold(80)], include="changes")
    assert found.before == DecisionCounts(allow=3, warn=0, require_approval=1, block=2)
    assert found.after == DecisionCounts(allow=3, warn=0, require_approval=0, block=3)
    assert (found.n, found.changed, found.verdicts_total) == (6, 4, 4)
    assert after(found) == {"dec_0": "block", "dec_2": "block", "dec_3": "allow", "dec_4": "allow"}
    assert found.transitions.allow == DecisionCounts(allow=1, warn=0, require_approval=0, block=2)
    assert found.transitions.block == DecisionCounts(allow=1, warn=0, require_approval=0, block=1)
    outcomes = found.outcomes
    assert (outcomes.known, outcomes.unknown, outcomes.failed, outcomes.completed) == (4, 2, 2, 2)
    stopped = outcomes.failures_stopped
    low, high = stats.binomtest(1, 2).proportion_ci(method="wilson")
    assert (stopped.n, stopped.of, stopped.rate) == (1, 2, 0.5)
    assert (stopped.low, stopped.high) == pytest.approx((low, high), rel=1e-12)
    assert (outcomes.failures_released.n, outcomes.work_stopped.n, outcomes.work_released.n) == (1, 1, 0)
    assert (outcomes.failures_asked.n, outcomes.work_asked.n) == (0, 0)
    # dec_4 was blocked and would go: whether it fails is not known, and it is no good work either.
    assert (outcomes.unknown_released, outcomes.unknown_stopped, outcomes.unknown_asked) == (1, 0, 0)
    assert [(each.before, each.after, each.n) for each in found.samples] == [
        ("allow", "block", 2),
        ("require_approval", "allow", 1),
        ("block", "allow", 1),
    ]


def test_the_strongest_wins_and_observed_ones_only_count() -> None:
    policies = [
        threshold(50, "warn"),
        threshold(60, "require_approval"),
        threshold(70, "block", mode="observe"),
        threshold(10, "block", active=False),
        threshold(10, "block", agent_ids=["other"]),
    ]
    found = backtest(decisions({"risk_score": 55.0}, {"risk_score": 75.0}), None, policies, include="verdicts")
    assert after(found) == {"dec_0": "warn", "dec_1": "require_approval"}
    assert [(each.index, each.matched) for each in found.policies] == [(0, 2), (1, 1), (2, 1), (4, 0)]


def test_types_of_actions() -> None:
    policies: list[dict[str, Any]] = [
        {"name": "b", "policy_type": "block_action_type", "rules": {"action_types": ["wipe"]}},
        {"name": "a", "policy_type": "require_approval", "rules": '{"action_types": ["pay", "wipe"]}'},
    ]
    frame = decisions({"action_type": "wipe"}, {"action_type": "pay"}, {"action_type": "Pay"})
    assert verdicts(frame, None, *policies) == {"dec_0": "block", "dec_1": "require_approval", "dec_2": "allow"}


def test_the_kill_switch_stays_and_hides_every_policy() -> None:
    frame = decisions({"decision": "block", "matched_policies": '["builtin:halt"]', "risk_score": 99.0})
    found = backtest(frame, None, [threshold(50, "warn")])
    assert (found.halted, found.after.block, found.policies[0].matched) == (1, 1, 0)


def test_the_scan_for_prompt_injections_stays_and_hides_no_policy() -> None:
    """What it blocked stays blocked, what it warned of is a warning at least, and what names it without a word of it in
    the reasons was a warning."""
    builtin, says = '["builtin:prompt_injection_scan"]', '["Prompt injection in declared_goal: tells (characters 0-9)"]'
    frame = decisions(
        {"decision": "block", "matched_policies": builtin, "reasons": says, "risk_score": 10.0},
        {"decision": "warn", "matched_policies": builtin, "reasons": "[]", "risk_score": 10.0},
        {"decision": "block", "matched_policies": builtin, "reasons": '["wipes: blocked"]', "risk_score": 60.0},
        {"decision": "allow", "matched_policies": "[]", "reasons": "[]", "risk_score": 60.0},
    )
    assert [verdict for _, verdict in sorted(verdicts(frame, None).items())] == ["block", "warn", "warn", "allow"]
    found = backtest(frame, None, [threshold(50, "require_approval")], include="verdicts")
    asked = ["block", "warn", "require_approval", "require_approval"]
    assert [verdict for _, verdict in sorted(after(found).items())] == asked
    assert (found.halted, found.policies[0].matched) == (0, 2)


def test_one_that_is_blocked_no_longer_counts() -> None:
    """Guard at 0, 1, 2, 3 minutes with 2 in 2 minutes: the third is blocked, so the fourth finds only the second."""
    times = [{"created_at": NOW + timedelta(minutes=at), "occurred_at": NOW} for at in range(4)]
    made: list[dict[str, Any]] = [
        {"decision_id": f"dec_{at}", "created_at": NOW + timedelta(minutes=at)} for at in range(4)
    ]
    frame, done = decisions(*times), actions(*made)
    assert list(verdicts(frame, done, limit(2, 2)).values()) == ["allow", "allow", "allow", "allow"]
    assert sorted(verdicts(frame, done, limit(2, 3)).items()) == [
        ("dec_0", "allow"),
        ("dec_1", "allow"),
        ("dec_2", "block"),
        ("dec_3", "allow"),
    ]
    # One that warns lets them happen, so the fourth finds two.
    assert verdicts(frame, done, limit(2, 3, "warn"))["dec_3"] == "warn"


def test_what_counts_for_a_limit() -> None:
    def counted(row: dict[str, Any], decision: dict[str, Any] | None = None, **more: Any) -> bool:
        frame = decisions({"created_at": NOW - timedelta(seconds=9), **(decision or {})}, {"created_at": NOW})
        made = actions({"created_at": NOW - timedelta(seconds=5), **row})
        return verdicts(frame, made, limit(1, 1, "warn"), **more)["dec_1"] == "warn"

    assert counted({})
    assert counted({"decision_id": "unknown"})
    assert counted({"decision_id": "unknown", "status": "failed"})
    assert not counted({"decision_id": "unknown", "status": "blocked"})
    assert not counted({"decision_id": None, "status": "blocked"})
    assert not counted({"agent_id": "other"})
    assert not counted({"agent_id": None})
    assert not counted({"source": "import"})
    assert counted({"source": "import", "timestamp_start": NOW - timedelta(seconds=5)}, history_as_live=True)
    assert counted({"status": "blocked"}, {"decision": "block"}), "blocked then, and not by these policies"
    assert not counted({"created_at": NOW - timedelta(minutes=1)}), "no newer than the window"
    assert counted({"created_at": NOW - timedelta(minutes=1) + timedelta(microseconds=1)})
    assert not counted({"created_at": NOW}), "what the decision itself leads to"
    blocking = {"decision": "block", "risk_score": 99.0}
    frame = decisions({"created_at": NOW - timedelta(seconds=9), **blocking}, {"created_at": NOW})
    for status, said in (("blocked", "allow"), ("completed", "warn")):
        made = actions({"created_at": NOW - timedelta(seconds=5), "status": status})
        assert verdicts(frame, made, limit(1, 1, "warn"), threshold(99))["dec_1"] == said


def test_history_is_not_limited_unless_it_is_taken_for_live() -> None:
    frame = decisions(*[{"source": "simulated"}] * 3)
    made = actions(
        *[
            {"decision_id": f"dec_{at}", "source": "simulated", "timestamp_start": NOW + timedelta(seconds=at)}
            for at in range(3)
        ]
    )
    assert set(verdicts(frame, made, limit(1, 1)).values()) == {"allow"}
    lived = verdicts(frame, made, limit(1, 1), history_as_live=True)
    assert lived == {"dec_0": "allow", "dec_1": "block", "dec_2": "block"}


def test_risk_is_rated_anew() -> None:
    rules = [{"condition": "risk_score > 5", "add": 25}]
    template = {"name": "t", "action_type": "refund", "base_risk": 30, "rules": rules}
    rows: list[dict[str, Any]] = [
        {"context": {"risk_score": 6}, "agent_risk_score": 6.0},  # 30 + 25
        {"context": {"risk_score": 5}, "agent_risk_score": 5.0},  # 30
        {"context": {}, "risk_breakdown": '{"base":20.0,"destructive_goal":20.0,"history":15.0}'},  # 40 + 15
        {"context": {}, "agent_risk_score": 61.2},  # the agent's own, rounded up
        {"context": {}, "action_type": "other", "risk_breakdown": '{"base":90.0,"template":9.0,"secrets_goal":15.0}'},
        {"context": {}, "risk_score": 70.0, "risk_breakdown": "{}"},  # no formula on record: the risk itself
    ]
    risks = [55, 30, 55, 62, 100, 70]
    for at, risk in enumerate(risks):
        frame = decisions(*rows)
        assert verdicts(frame, None, threshold(risk), templates=[template])[f"dec_{at}"] == "block"
        if risk < 100:
            over = verdicts(frame, None, threshold(risk + 1), templates=[template])
            assert over[f"dec_{at}"] == "allow"
    assert verdicts(decisions(*rows), None, threshold(70))["dec_5"] == "block", "without templates, as recorded"
    assert verdicts(decisions(*rows), None, threshold(55))["dec_0"] == "allow"


def test_approvals_a_day_with_students_interval() -> None:
    days = [0, 0, 1, 3, 3, 3]
    frame = decisions(*({"decision": "require_approval", "occurred_at": NOW - timedelta(days=at)} for at in days))
    load = backtest(frame, None, [], since=NOW - timedelta(days=4), until=NOW).approvals_before
    by_day = [2, 1, 0, 3]
    low, high = stats.t.interval(0.95, 3, loc=1.5, scale=stats.sem(by_day))
    assert (load.total, load.days, load.per_day, load.status) == (6, 4, 1.5, "ok")
    assert (load.low, load.high) == pytest.approx((max(0.0, low), high), rel=1e-9)
    longer = backtest(frame, None, [], since=NOW - timedelta(days=30), until=NOW).approvals_before
    assert longer.days < 30, "there are no days before the first decision"
    assert longer.per_day == longer.total / longer.days
    short = backtest(frame, None, [], since=NOW - timedelta(days=1), until=NOW).approvals_before
    assert (short.total, short.low, short.high, short.status) == (3, None, None, "insufficient_data")


def test_nothing_to_replay() -> None:
    found = backtest(decisions(), actions(), [threshold(50), limit(1, 1)], costs=Costs(interruption=1, failure=2))
    assert (found.status, found.n, found.changed, found.samples) == ("insufficient_data", 0, 0, [])
    assert found.outcomes.work_asked.rate is None
    assert found.costs is not None
    assert (found.costs.status, found.costs.best) == ("insufficient_data", None)
    assert backtest(decisions({}), actions(), [limit(1, 1)]).n == 1
    assert backtest(decisions(), actions({}), [limit(1, 1)], templates=[]).n == 0


def test_causes_of_what_changed_under_the_policies_in_force() -> None:
    hook = {"name": "h", "policy_type": "webhook_check", "rules": {"url": "https://guard.example"}}
    frame = decisions(
        {"decision": "warn", "policy_version": 1},
        {"decision": "warn", "policy_version": 2},
        {"decision": "allow", "policy_version": 2},
        {"decision": "warn", "policy_version": None},
    )
    found = backtest(frame, None, [hook], policy_version=2)
    assert found.causes is not None
    assert (found.causes.other_version, found.causes.unexplained, found.changed) == (2, 1, 3)
    assert backtest(frame, None, [hook]).causes is None


def test_a_rule_over_sessions_is_left_out_by_name() -> None:
    rules = {"when": {"not": {"before": {"tool": "verify_identity"}}}}
    found = backtest(decisions({}), None, [{"name": "Verify first", "policy_type": "flow", "rules": rules}])
    assert [(each.name, each.reason) for each in found.not_replayed] == [
        ("Verify first", "its rule about the session is not decided anew: it counts where it matched, and nowhere else")
    ]
    assert found.flows == []
    assert (found.changed, found.policies[0].matched) == (0, 0)


def test_a_rule_over_sessions_that_is_in_force_counts_where_it_matched() -> None:
    rules: dict[str, object] = {"action": "block", "when": {"not": {"before": {"tool": "verify_identity"}}}}
    policy = Policy(
        org_id="org", policy_id="pol_1", name="Verify first", policy_type="flow", rules=rules, active=True,
        agent_ids=[], mode=Mode.ENFORCE, version=1, created_at=NOW, created_by="k", updated_at=NOW, updated_by="k",
        deleted_at=None,
    )  # fmt: skip
    frame = decisions({"decision": "block", "matched_policies": '["pol_1"]'}, {"decision": "allow"})
    found = backtest(frame, None, [policy], policy_version=1)
    assert (found.changed, found.policies[0].matched, found.after.block) == (0, 1, 1)
    assert found.causes is not None
    assert found.causes.webhook == 0


def test_a_flow_policy_without_traces_says_so_and_lets_nothing_pass() -> None:
    found = backtest(decisions({}, {"source": "import"}), None, [{"name": "f", "policy_type": "flow", "rules": {}}])
    assert [(each.name, each.reason) for each in found.not_replayed] == [
        (
            "f",
            "in part: of 1 live decisions 1 have no trace of where their values came from: what it says of these is "
            "not known, and the verdicts after are those of the other policies",
        )
    ]
    (flow,) = found.flows
    assert (flow.n, flow.decided, flow.asked, flow.no_trace, flow.rate) == (1, 0, 0, 1, None)
    assert (flow.sessions, flow.sessions_stopped, flow.sessions_status) == (0, 0, "insufficient_data")


@pytest.mark.parametrize(
    ("value", "said", "known", "asks"),
    [
        ({"origin": "free", "free_call": 1}, {}, 1, 1),
        ({"origin": "free", "free_call": 1}, {"answers": "document"}, 1, 1),
        ({"origin": "free", "free_call": 1}, {"answers": "trusted"}, 0, 0),
        ({"origin": "free", "free_call": 1}, {"answers": "page"}, 0, 0),
        ({"origin": "free", "free_call": 1, "from_page": True}, {"answers": "page"}, 1, 1),
        ({"origin": "leaf", "leaf_call": 1, "field": "iban"}, {"answers": "data"}, 1, 0),
        ({"origin": "leaf", "leaf_call": 1, "field": "iban"}, {"answers": "document"}, 0, 0),
        ({"origin": "unknown"}, {"answers": "document"}, 1, 1),
        ({"origin": "unknown"}, {"answers": "trusted"}, 0, 0),
    ],
)
def test_a_value_that_comes_from_what_another_pack_takes_for_something_else_is_not_known(
    value: dict[str, Any], said: dict[str, Any], known: int, asks: int
) -> None:
    """The document put `untrusted_seen` on, so that a value which occurred nowhere asks as long as it is one."""
    looked_at: dict[str, Any] = {
        "path": "recipient",
        "role": "destination",
        "shape": "account number",
        "leaf_call": 0,
        "field": "",
    }
    looked_at |= {"free_call": 0, "from_page": False, "host_named": False}
    trace: dict[str, Any] = {
        "tool": "send_money",
        "effect": "send",
        "values": [looked_at | value],
        "labels": ["untrusted_seen"],
    }
    trace |= {"calls": 1, "tools": {"1": "box_item"}, "told": True, "complete": True, "whole": True, "withheld": False}
    trace |= {"version": VERSION, "label_calls": {"untrusted_seen": 1}}
    row = {"action_type": "send_money", "context": {"parameters": {"recipient": "DE89370400440532013000"}}}
    frame = decisions(row).with_columns(flow=pl.lit(msgspec.json.encode(trace).decode()))
    rules = {"pack": {"tools": {"box_item": said}}}
    (found,) = backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": rules}]).flows
    assert (found.decided, found.asked, found.read_otherwise) == (known, asks, 1 - known)


def test_a_value_that_another_pack_looks_at_as_something_else_is_not_known() -> None:
    iban = "DE89370400440532013000"
    value = FlowValue(
        path="recipient", role="destination", shape="account number", origin="user", leaf_call=0, field="", free_call=0,
        from_page=False, host_named=False,
    )  # fmt: skip
    trace = FlowTrace(
        tool="send_money",
        effect="send",
        values=[value],
        labels=[],
        calls=0,
        tools={},
        told=True,
        complete=True,
        whole=True,
        withheld=False,
        version=VERSION,
    )
    row = {"action_type": "send_money", "context": {"parameters": {"recipient": iban}}}
    frame = decisions(row).with_columns(flow=pl.lit(msgspec.json.encode(trace).decode()))
    same, other = (
        backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": {"pack": pack}}]).flows[0]
        for pack in ({}, {"tools": {"send_money": {"arguments": {"recipient": "target"}}}})
    )
    assert (same.decided, same.asked, same.read_otherwise) == (1, 0, 0)
    assert (other.decided, other.asked, other.read_otherwise) == (0, 0, 1)
    bad = frame.with_columns(flow=pl.lit('{"tool": 7}'))
    with pytest.raises(ValueError, match="a trace of values cannot be read"):
        backtest(bad, None, [{"name": "f", "policy_type": "flow", "rules": {}}])


@pytest.mark.parametrize(
    ("tool", "effect", "argument", "version", "decided"),
    [
        *(("send_money", "send", "recipient", each, 1) for each in ("5", "6", "8", VERSION)),
        ("send_money", "send", "recipient", "4", 0),
        *(("get_page", "read", "url", each, 0) for each in ("5", "6")),
        *(("get_page", "read", "url", each, 1) for each in ("8", VERSION)),
    ],
)
def test_a_call_of_before_is_read_anew_where_it_is_read_alike(
    tool: str, effect: str, argument: str, version: str, decided: int
) -> None:
    value = {"path": argument, "role": "destination", "shape": "web address", "origin": "user", "leaf_call": 0}
    value |= {"field": "", "free_call": 0, "from_page": False, "host_named": True}
    trace = {"tool": tool, "effect": effect, "values": [value], "labels": [], "calls": 0, "tools": {}, "told": True}
    trace |= {"complete": True, "whole": True, "withheld": False, "version": version}
    row = {"action_type": tool, "context": {"parameters": {argument: "https://a.example/x"}}}
    frame = decisions(row).with_columns(flow=pl.lit(msgspec.json.encode(trace).decode()))
    rules = {"pack": {"tools": {"of_the_house": {"effect": "none"}}}}
    (found,) = backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": rules}]).flows
    assert (found.decided, found.asked, found.read_otherwise) == (decided, 0, 1 - decided)


@pytest.mark.parametrize(
    ("tool", "effect", "argument", "role", "origin", "known", "known_since"),
    [
        ("run_command", "write", "command", "command", "user", 0, 0),
        ("run_command", "write", "command", "command", "leaf", 0, 0),
        ("run_command", "write", "command", "command", "unknown", 1, 1),
        ("run_command", "write", "command", "command", "approved", 0, 1),
        ("delete_file", "destroy", "path", "target", "user", 0, 1),
        ("delete_file", "destroy", "path", "target", "leaf", 1, 1),
        ("send_money", "send", "recipient", "destination", "user", 1, 1),
        ("send_money", "send", "recipient", "destination", "approved", 0, 1),
    ],
)
def test_what_was_trusted_by_its_words_or_for_any_use_is_not_known(
    tool: str, effect: str, argument: str, role: str, origin: str, known: int, known_since: int
) -> None:
    """Quick: one row. Until version 8 signs did not count, and an approval was for whatever was done with a value;
    until version 9 a command was said where it was mentioned, and a field may have had one."""
    value = {"path": argument, "role": role, "shape": "value", "origin": origin, "leaf_call": int(origin == "leaf")}
    value |= {"field": "", "free_call": 0, "from_page": False, "host_named": False}
    trace = {"tool": tool, "effect": effect, "values": [value], "labels": [], "calls": 1, "tools": {"1": "get_record"}}
    trace |= {"told": True, "complete": True, "whole": True, "withheld": False}
    row = {"action_type": tool, "context": {"parameters": {argument: "build"}}}
    for version, decided in (("8", known), ("9", known_since), ("10", 1), (VERSION, 1)):
        flow = msgspec.json.encode(trace | {"version": version}).decode()
        frame = decisions(row).with_columns(flow=pl.lit(flow))
        (found,) = backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": {}}]).flows
        assert (found.decided, found.asked, found.read_otherwise) == (decided, 0, 1 - decided)


@pytest.mark.parametrize(
    ("version", "chosen", "label", "decided", "asked"),
    [
        *((version, None, True, 0, 0) for version in ("8", "9", "10")),
        *((version, None, False, 1, 0) for version in ("8", "9", "10")),
        *((VERSION, chosen, label, 1, label and not chosen) for chosen in (True, False) for label in (True, False)),
    ],
)
def test_what_a_field_had_and_a_call_destroyed_is_not_known_from_before_anybody_looked_who_chose_it(
    version: str, chosen: bool | None, label: bool, decided: int, asked: bool
) -> None:
    """Quick: one row."""
    value: dict[str, Any] = {"path": "id", "role": "reference", "shape": "value", "origin": "leaf", "leaf_call": 1}
    value |= {"field": "id", "free_call": 0, "from_page": False, "host_named": False}
    value |= {} if chosen is None else {"chosen": chosen}
    trace = {"tool": "delete_row", "effect": "destroy", "values": [value], "calls": 1, "tools": {"1": "get_record"}}
    trace |= {"told": True, "complete": True, "whole": True, "withheld": False, "version": version}
    trace["labels"] = ["untrusted_seen"] if label else []
    row = {"action_type": "delete_row", "context": {"parameters": {"id": "b_71"}}}
    frame = decisions(row).with_columns(flow=pl.lit(msgspec.json.encode(trace).decode()))
    (found,) = backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": {}}]).flows
    assert (found.decided, found.asked, found.read_otherwise) == (decided, int(asked), 1 - decided)


def test_a_command_of_a_trusted_answer_counts_as_text_then_and_now() -> None:
    value = {"path": "command", "role": "command", "shape": "value", "origin": "free", "leaf_call": 0, "field": ""}
    value |= {"free_call": 1, "from_page": False, "host_named": False}
    trace = {"tool": "run_command", "effect": "write", "values": [value], "calls": 1, "tools": {"1": "get_plan"}}
    trace |= {"told": True, "complete": True, "whole": True, "withheld": False, "version": VERSION, "labels": []}
    row = {"action_type": "run_command", "context": {"parameters": {"command": "make build"}}}
    frame = decisions(row).with_columns(flow=pl.lit(msgspec.json.encode(trace).decode()))
    rules = {"pack": {"tools": {"get_plan": {"answers": "trusted"}}}}
    (found,) = backtest(frame, None, [{"name": "f", "policy_type": "flow", "rules": rules}]).flows
    assert (found.decided, found.asked) == (1, 1)


def test_kinds_of_columns_do_not_matter() -> None:
    frame = decisions({"risk_score": 90.0}, {"agent_id": None}, {"action_type": "wipe"})
    other = frame.with_columns(
        pl.col("agent_id", "decision", "source").cast(pl.Categorical),
        pl.col("action_type").cast(pl.Enum(["wipe", "refund", "never"])),
        pl.col("occurred_at", "created_at").dt.replace_time_zone(None),
    )
    policies = [
        threshold(80),
        condition(leaf("agent_id", "exists", False), "warn"),
        condition(leaf("action_type", "ends_with", "pe"), "require_approval"),
        limit(1, 1, "warn"),
    ]
    wanted = {"dec_0": "block", "dec_1": "warn", "dec_2": "require_approval"}
    made = actions({})
    assert verdicts(frame, made, *policies) == wanted
    assert verdicts(other, made.cast({"agent_id": pl.Categorical}), *policies) == wanted
    assert verdicts(other.lazy(), made.lazy(), *policies) == wanted  # type: ignore[arg-type]  # either will do


def test_many_batches_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"risk_score": float(at % 100), "agent_id": f"a{at % 7}", "context": {"n": at}} for at in range(300)]
    times = [NOW + timedelta(seconds=at) for at in range(300)]
    made = actions(
        *({"decision_id": f"dec_{at}", "agent_id": f"a{at % 7}", "created_at": time} for at, time in enumerate(times))
    )
    policies = [threshold(80, "warn"), limit(3, 1), condition(leaf("n", "lt", 20), "require_approval")]
    whole = backtest(decisions(*rows), made, policies, include="verdicts")
    monkeypatch.setattr("assent_analytics.backtest.replay.BATCH", 17)
    assert backtest(decisions(*rows), made, policies, include="verdicts") == whole


def test_the_verdicts_are_capped_and_newest_first() -> None:
    found = backtest(decisions({}, {}, {}), None, [], include="verdicts", limit=2)
    assert found.verdicts is not UNSET
    assert (found.verdicts_total, [each.decision_id for each in found.verdicts]) == (3, ["dec_2", "dec_1"])


def test_only_the_columns_that_are_asked_are_needed() -> None:
    few = ("decision_id", "decision", "occurred_at", "risk_score")
    assert backtest(decisions({"risk_score": 90.0}).select(few), None, [threshold(80)]).after.block == 1
    with pytest.raises(ValueError, match="decisions lack context; they have"):
        backtest(decisions({}).select(few), None, [condition(leaf("metadata.a", "exists", True))])
    with pytest.raises(ValueError, match="actions lack status"):
        backtest(decisions({}), actions({}).drop("status"), [])
    with pytest.raises(ValueError, match="actions lack agent_id"):
        backtest(decisions({}), actions({}).drop("agent_id"), [limit(1, 1)])
    assert columns_needed([threshold(80)]) == {*few, "source", "matched_policies", "reasons", "name_rule"}
    assert "risk_breakdown" in columns_needed([condition(leaf("risk_factors", "contains", "x"))])
    assert "context" not in columns_needed([condition(leaf("risk_factors", "contains", "x"))])
    assert "context" in columns_needed([], [{"name": "t", "rules": [{"condition": "risk_score > 5", "add": 1}]}])


def test_what_cannot_be_read_is_named() -> None:
    with pytest.raises(PolicyError, match=r"^policies\[1\]\.rules\.when\.op: "):
        backtest(decisions({}), None, [threshold(1), condition(leaf("a", "between", 1))])
    with pytest.raises(PolicyError, match=r"^policies\[0\]: .*name"):
        backtest(decisions({}), None, [{"policy_type": "risk_threshold", "rules": {}}])
    with pytest.raises(ConditionError, match=r"^templates\[0\]\.rules\[0\]\.condition: "):
        backtest(decisions({}), None, [], templates=[{"name": "t", "rules": [{"condition": "a ~ 1", "add": 1}]}])
    with pytest.raises(ConditionError, match=r"^templates\[0\]: "):
        backtest(decisions({}), None, [], templates=[{"name": "t", "base_risk": 101}])
    with pytest.raises(PatternError, match="none that this RE2 accepts"):
        backtest(decisions({}), None, [condition(leaf("action_type", "matches", "(a"))])
    with pytest.raises(ValueError, match="no JSON text"):
        backtest(decisions({"context": "{broken"}), None, [condition(leaf("a", "exists", True))])


def test_the_curve_as_a_frame() -> None:
    found = backtest(
        decisions({"risk_score": 10.0}, {"risk_score": 60.7}),
        actions({"decision_id": "dec_1", "status": "failed"}),
        [],
        costs=Costs(interruption=1, failure=10),
    )
    assert found.costs is not None
    frame = curve_frame(found.costs)
    assert frame.height == 101
    assert not frame["best"].any(), "the first has no outcome: had it failed, 10 were best"
    assert frame.filter("possible")["threshold"].to_list() == list(range(10, 61))
    assert frame.filter(pl.col("threshold") == 60).row(0, named=True)["cost"] == 1.0
    assert frame.filter(pl.col("threshold") == 61).row(0, named=True)["missed"] == 1


def test_what_changed_is_told_by_agent_and_type() -> None:
    rows: list[dict[str, Any]] = [
        {"risk_score": 90.0, "agent_id": "bot", "action_type": "pay"},
        {"risk_score": 91.0, "agent_id": "bot", "action_type": "pay"},
        {"risk_score": 10.0, "agent_id": "bot", "action_type": "pay"},
        {"risk_score": 10.0, "agent_id": "bot", "action_type": "pay", "decision": "block"},
        {"risk_score": 95.0, "agent_id": None, "action_type": "look"},
        {"risk_score": 10.0, "agent_id": "other", "action_type": "look"},
    ]
    found = backtest(decisions(*rows), None, [threshold(80)], include="changes")
    assert found.changed_in is not UNSET
    told = [(each.agent_id, each.action_type, each.n, each.stricter, each.milder) for each in found.changed_in]
    assert told == [("bot", "pay", 4, 2, 1), (None, "look", 1, 1, 0)]
    assert found.changed_groups == 2
    assert found.verdicts is not UNSET
    assert {(each.agent_id, each.action_type) for each in found.verdicts} == {("bot", "pay"), (None, "look")}
    assert sum(each.stricter + each.milder for each in found.changed_in) == found.changed == found.verdicts_total
    without = decisions(*rows).drop("agent_id", "action_type")
    nameless = backtest(without, None, [threshold(80)], include="changes").changed_in
    assert nameless is not UNSET
    assert [(each.agent_id, each.action_type, each.n, each.stricter) for each in nameless] == [(None, None, 6, 3)]
    assert backtest(without, None, [threshold(80)]).changed_in is UNSET


def test_what_a_key_s_count_reached_stays_as_it_was_recorded_while_the_policy_is_there() -> None:
    """The count of a key that speaks for many is not made again from the tables."""
    frame = decisions({"agent_id": "a"}, {"agent_id": "b", "decision": "block"}, {"agent_id": "c", "decision": "block"})
    keyed = frame.with_columns(limited_by_key=pl.Series([None, '["pol_1"]', '["pol_2","pol_1"]']))
    when = NOW - timedelta(days=1)
    members: dict[str, Any] = {"org_id": "o", "agent_ids": [], "active": True, "created_by": "k"}
    members |= {
        "version": 1,
        "updated_by": "k",
        "deleted_at": None,
        "mode": "enforce",
        "created_at": when,
        "updated_at": when,
    }
    there, other = (
        msgspec.convert(limit(5, 60) | members | {"policy_id": policy_id}, Policy, strict=False)
        for policy_id in ("pol_1", "pol_9")
    )
    found = backtest(keyed, actions(), [there, other], include="verdicts")
    assert after(found) == {"dec_0": "allow", "dec_1": "block", "dec_2": "block"}
    assert [each.matched for each in found.policies] == [2, 0]
    assert set(after(backtest(keyed, actions(), [other], include="verdicts")).values()) == {"allow"}
    assert set(after(backtest(frame, actions(), [there], include="verdicts")).values()) == {"allow"}
    warning = msgspec.structs.replace(there, rules={"max_actions": 5, "window_minutes": 60, "action": "warn"})
    observed = msgspec.structs.replace(there, mode=Mode.OBSERVE)
    assert after(backtest(keyed, actions(), [warning], include="verdicts"))["dec_1"] == "warn"
    assert after(backtest(keyed, actions(), [observed], include="verdicts"))["dec_1"] == "allow"
