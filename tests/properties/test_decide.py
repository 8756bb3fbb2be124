"""The indexed decision equals a naive one that scans the policies and walks each tree.

The reference below is written from the rules in prose and shares no code with the engine: it works on plain data.
"""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.policies import Mode, Policy
from assent_service.control.guard.context import gather
from assent_service.control.guard.decide import decide
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import Factor, Risk, RiskHistory, predict
from tests.tiers import examples

NOW = 1_800_000_000_000_000
CREATED = datetime(2026, 11, 20, 10, tzinfo=UTC)
MINUTE = 60_000_000
SEVERITY = ["allow", "warn", "require_approval", "block"]

AGENTS = ["a1", "a2", "a3"]
TYPES = ["deploy", "read", "refund"]
FIELDS = [
    "action_type", "agent_id", "risk_score", "agent_risk_score", "risk_factors", "reversible", "amount", "tags",
    "metadata.team", "metadata.deep.level", "note", "metadata",
]  # fmt: skip
scalars: st.SearchStrategy[Any] = st.sampled_from(
    ["deploy", "read", "a1", "a2", "ops", "op", "", 1, 1.0, True, False, 0, 60, 59.5, -3, "1", "destructive_goal"]
)


def leaf(field: str, op: str, value: object) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


fields = st.sampled_from(FIELDS)
leaves = st.one_of(
    st.builds(leaf, fields, st.sampled_from(["eq", "ne", "contains"]), scalars),
    st.builds(leaf, st.sampled_from(["action_type", "agent_id"]), st.sampled_from(["eq", "in"]), st.just(["read"])).map(
        lambda data: data if data["op"] == "in" else {**data, "value": "deploy"}
    ),
    st.builds(
        leaf,
        st.sampled_from(["risk_score", "amount", "note", "reversible", "metadata.deep.level"]),
        st.sampled_from(["lt", "lte", "gt", "gte"]),
        st.sampled_from([0, 1, 59.5, 60, 61]),
    ),
    st.builds(leaf, fields, st.sampled_from(["in", "not_in"]), st.lists(scalars, min_size=1, max_size=4)),
    st.builds(leaf, fields, st.sampled_from(["starts_with", "ends_with"]), st.sampled_from(["o", "ps", "", "é"])),
    st.builds(leaf, fields, st.just("matches"), st.sampled_from(["o", "^op", "s$", "x"])),
    st.builds(leaf, fields, st.just("exists"), st.booleans()),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"all": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"any": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=6,
)
effects = st.sampled_from(["warn", "require_approval", "block"])
types_lists = st.lists(st.sampled_from(TYPES), min_size=1, max_size=2)
rules = st.one_of(
    st.tuples(
        st.just("risk_threshold"),
        st.fixed_dictionaries({"threshold": st.sampled_from([0, 40, 59.5, 60, 100]), "action": effects}),
    ),
    st.tuples(
        st.just("require_approval"),
        st.fixed_dictionaries({"action_types": types_lists})
        | st.fixed_dictionaries(
            {"action_types": types_lists, "escalate_after_minutes": st.just(5), "escalate_to": st.just("Leads")}
        ),
    ),
    st.tuples(st.just("block_action_type"), st.fixed_dictionaries({"action_types": types_lists})),
    st.tuples(
        st.just("rate_limit"),
        st.fixed_dictionaries(
            {"max_actions": st.integers(1, 4), "window_minutes": st.sampled_from([1, 10, 60]), "action": effects}
        ),
    ),
    st.tuples(st.just("condition"), st.fixed_dictionaries({"when": trees, "action": effects})),
    st.tuples(st.just("webhook_check"), st.just({"url": "https://guard.example"})),
)


@st.composite
def policies(draw: st.DrawFn, number: int = 0) -> Policy:
    kind, body = draw(rules)
    return Policy(
        policy_id=f"pol_{number}",
        name=f"policy {number}",
        policy_type=kind,
        rules=body,
        active=draw(st.sampled_from([True, True, True, False])),
        agent_ids=draw(st.sampled_from([[], [], ["a1"], ["a2", "a3"]])),
        mode=draw(st.sampled_from(list(Mode))),
        org_id="org_1",
        version=1,
        created_at=CREATED,
        created_by="key_1",
        updated_at=CREATED,
        updated_by="key_1",
        deleted_at=None,
    )


@st.composite
def policy_lists(draw: st.DrawFn) -> list[Policy]:
    return [draw(policies(number)) for number in range(draw(st.integers(0, 12)))]


contexts = st.fixed_dictionaries(
    {},
    optional={
        "reversible": st.booleans(),
        "amount": st.sampled_from([0, 1, 1.0, 60, 59.5, "60", True, None, [1], 10**30, float("nan")]),
        "tags": st.lists(scalars, max_size=4) | st.just("ops") | st.just({"ops": 1}),
        "metadata": st.sampled_from(
            [{}, {"team": "ops"}, {"team": None}, {"deep": {"level": 60}}, {"deep": 3}, "ops", ["team"]]
        ),
        "note": st.sampled_from(["ops", "", "é", "\n", 1, False, None, ["o"]]),
        "risk_score": st.just(1),
        "risk_factors": st.just("nothing"),
        "action_type": st.just("forged"),
        "metadata.team": st.just("unreachable"),
    },
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[dict[str, Any], str | None, str, int, list[tuple[str, int]]]:
    agent = draw(st.sampled_from([*AGENTS, "stranger", None]))
    past = draw(
        st.lists(
            st.tuples(
                st.sampled_from([*AGENTS, "stranger"]),
                st.sampled_from([0, 1, MINUTE - 1, MINUTE, 10 * MINUTE, 60 * MINUTE]),
            ),
            max_size=12,
        )
    )
    return (
        draw(contexts),
        agent,
        draw(st.sampled_from([*TYPES, "other"])),
        draw(st.sampled_from([0, 40, 60, 100])),
        past,
    )


def same(left: object, right: object) -> bool:
    kinds = {str: "text", bool: "flag", int: "number", float: "number"}
    kind = kinds.get(type(left))
    return kind is not None and kind == kinds.get(type(right)) and left == right


def holds(tree: dict[str, Any], context: dict[str, Any]) -> bool:
    if "all" in tree:
        return all(holds(branch, context) for branch in tree["all"])
    if "any" in tree:
        return any(holds(branch, context) for branch in tree["any"])
    if "not" in tree:
        return not holds(tree["not"], context)
    found: Any = context
    for part in tree["field"].split("."):
        found = found.get(part) if isinstance(found, dict) else None
    op, value = tree["op"], tree["value"]
    if op == "exists":
        return (found is not None) is value
    return found is not None and compare(op, found, value)


def compare(op: str, found: Any, value: Any) -> bool:
    number = type(found) in (int, float)
    text = isinstance(found, str)
    if op in ("eq", "ne"):
        return same(found, value) is (op == "eq")
    if op in ("in", "not_in"):
        return any(same(found, one) for one in value) is (op == "in")
    if op == "contains":
        if text:
            return isinstance(value, str) and value in found
        return isinstance(found, list) and any(same(one, value) for one in found)
    if op == "starts_with":
        return text and found[: len(value)] == value
    if op == "ends_with":
        return text and (value == "" or found[-len(value) :] == value)
    if op == "matches":
        looks = (
            {"o": "o" in found, "^op": found[:2] == "op", "s$": found[-1:] == "s", "x": "x" in found} if text else {}
        )
        return bool(looks.get(value))
    return number and {"lt": found < value, "lte": found <= value, "gt": found > value, "gte": found >= value}[op]


def naive(
    active: list[Policy], context: dict[str, Any], agent: str | None, kind: str, score: int, past: list[tuple[str, int]]
) -> list[tuple[Policy, str]]:
    found = []
    for policy in active:
        body: Any = policy.rules
        if not policy.active or (policy.agent_ids and agent not in policy.agent_ids):
            continue
        effect = body.get("action")
        if policy.policy_type == "risk_threshold":
            matched = score >= body["threshold"]
        elif policy.policy_type == "require_approval":
            matched, effect = kind in body["action_types"], "require_approval"
        elif policy.policy_type == "block_action_type":
            matched, effect = kind in body["action_types"], "block"
        elif policy.policy_type == "rate_limit":
            recent = [age for who, age in past if who == agent and age < body["window_minutes"] * MINUTE]
            matched = len(recent) >= body["max_actions"]
        elif policy.policy_type == "condition":
            matched = holds(body["when"], context)
        else:
            matched = False
        if matched:
            found.append((policy, effect))
    return found


def strongest(found: list[tuple[Policy, str]]) -> str:
    return max((effect for _, effect in found), key=SEVERITY.index, default="allow")


Call = tuple[dict[str, Any], str | None, str, int, list[tuple[str, int]]]
FACTORS = (Factor("destructive_goal", 20),)


def run(subject: PolicySet, call: Call) -> Any:
    context, agent, kind, score, past = call
    facts = gather(
        context, action_type=kind, agent_id=agent, reversible=context.get("reversible"), agent_risk_score=12.5
    )
    risk = Risk(
        score=score, base=20, factors=FACTORS, factor_names=("destructive_goal",), predictive=predict(RiskHistory())
    )
    rates = RateWindow(subject.max_actions)
    for who, age in past:
        rates.reserve(who, NOW - age)
    return decide(facts, risk, subject, rates, NOW)


def visible(call: Call) -> dict[str, Any]:
    context, agent, kind, score, _ = call
    return {
        **context,
        "action_type": kind,
        "agent_id": agent,
        "risk_score": score,
        "agent_risk_score": 12.5,
        "risk_factors": ["destructive_goal"],
        "systems_touched": [],
    }


@examples(2)
@given(policy_lists(), st.lists(calls(), min_size=1, max_size=4))
def test_the_index_decides_like_a_scan(given_policies: list[Policy], given_calls: list[Call]) -> None:
    subject = PolicySet(given_policies)
    for call in given_calls:
        verdict = run(subject, call)
        _, agent, kind, score, past = call
        found = naive(given_policies, visible(call), agent, kind, score, past)
        enforced = [one for one in found if one[0].mode is Mode.ENFORCE]
        observed = [policy.policy_id for policy, _ in found if policy.mode is Mode.OBSERVE]
        assert verdict.matched_policies == tuple(policy.policy_id for policy, _ in enforced)
        assert verdict.decision == strongest(enforced)
        assert verdict.observed_policies == tuple(observed)
        assert verdict.would_decide == (strongest(found) if observed else None)
        severe = [
            policy.name for wanted in ("block", "require_approval") for policy, effect in enforced if effect == wanted
        ]
        mild = [policy.name for policy, effect in enforced if effect == "warn"]
        assert [text.split(": ")[0] for text in verdict.reasons] == severe
        assert [text.split(": ")[0] for text in verdict.warnings] == mild
        hooks = [
            policy.policy_id
            for policy in given_policies
            if policy.policy_type == "webhook_check"
            and policy.active
            and (not policy.agent_ids or agent in policy.agent_ids)
        ]
        assert [hook.policy_id for hook in verdict.webhooks] == hooks
        assert run(subject, call) == verdict, "a second look gives the same verdict"


@given(policy_lists(), policies(99), calls())
def test_one_more_policy_never_lowers_the_decision(few: list[Policy], more: Policy, call: Call) -> None:
    before, after = run(PolicySet(few), call), run(PolicySet([*few, more]), call)
    assert SEVERITY.index(after.decision) >= SEVERITY.index(before.decision)
    assert set(before.matched_policies) <= set(after.matched_policies)


@given(policy_lists(), calls())
def test_observed_policies_change_nothing_but_what_is_said_about_them(few: list[Policy], call: Call) -> None:
    enforced = [policy for policy in few if policy.mode is Mode.ENFORCE]
    everything, without = run(PolicySet(few), call), run(PolicySet(enforced), call)
    assert everything.decision == without.decision
    assert everything.reasons == without.reasons
    assert everything.warnings == without.warnings
    assert everything.matched_policies == without.matched_policies
    assert without.would_decide is None
