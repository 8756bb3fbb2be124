"""Three other policy engines, run in an interpreter of their own by `tests.benchmarks.policy`.

Reads one JSON request per line: {"load": workload} builds the engines, {"run": "agt" | "casbin" | "cedar"} measures a
round. Answers one JSON object per line. Only the standard library and the three packages are needed here.
"""

# mypy: ignore-errors
# The packages are not installed where mypy runs.

import json
import logging
import sys
import time

from agent_os.policies.evaluator import PolicyEvaluator
from agent_os.policies.schema import PolicyDocument
from casbin import FastEnforcer
from casbin.model import FastModel
from cedarpy import Decision, PolicySet, is_authorized

MODEL = """
[request_definition]
r = sub, act, risk
[policy_definition]
p = sub, act, risk, eft
[policy_effect]
e = !some(where (p.eft == deny))
[matchers]
m = r.act == p.act && (p.sub == "*" || r.sub == p.sub) && r.risk >= p.risk
"""


def most_selective(tree):
    """The comparison of a condition that excludes most calls, in this engine's words."""
    leaves = []

    def collect(node):
        for branch in node.get("all", []) + node.get("any", []):
            collect(branch)
        if "field" in node:
            leaves.append(node)

    collect(tree)
    order = ["metadata.team", "action_type", "amount", "declared_goal", "systems_touched", "risk_score", "reversible"]
    return min(leaves, key=lambda leaf: order.index(leaf["field"]))


def agt_rules(policies):
    rules = []
    for policy in policies:
        kind, rules_of = policy["kind"], policy["rules"]
        if kind == "webhook_check":
            continue
        if kind == "risk_threshold":
            condition = {"field": "risk_score", "operator": "gte", "value": rules_of["threshold"]}
        elif kind == "rate_limit":
            condition = {"field": "recent_actions", "operator": "gte", "value": rules_of["max_actions"]}
        elif kind == "condition":
            leaf = most_selective(rules_of["when"])
            condition = {"field": leaf["field"], "operator": leaf["op"], "value": leaf["value"]}
        else:
            condition = {"field": "action_type", "operator": "in", "value": rules_of["action_types"]}
        blocks = kind == "block_action_type" or rules_of.get("action") == "block"
        rules.append(
            {
                "name": policy["name"],
                "condition": condition,
                "action": "block" if blocks else "audit",
                "priority": 2 if blocks else 1,
            }
        )
    return rules


CEDAR = {"eq": "==", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def cedar_test(tree):
    """A condition as an expression of Cedar. It has no regular expressions: a pattern becomes a wildcard over its
    first word."""
    if "all" in tree:
        return "(" + " && ".join(map(cedar_test, tree["all"])) + ")"
    if "any" in tree:
        return "(" + " || ".join(map(cedar_test, tree["any"])) + ")"
    if "not" in tree:
        return f"!({cedar_test(tree['not'])})"
    field, op, value = f"context.{tree['field']}", tree["op"], tree["value"]
    if op == "in":
        return f"{json.dumps(value)}.contains({field})"
    if op == "contains":
        return f"{field}.contains({json.dumps(value)})"
    if op == "matches":
        return f'{field} like "*refund*"'
    return f"{field} {CEDAR[op]} {json.dumps(value)}"


def cedar_policies(policies):
    """Everybody is permitted what no policy forbids; types and agents stand in the heads, which is what Cedar can look
    for first."""
    found = ["permit (principal, action, resource);"]
    for policy in policies:
        kind, rules = policy["kind"], policy["rules"]
        if kind == "webhook_check":
            continue
        action = "action"
        if kind == "risk_threshold":
            test = f"context.risk_score >= {int(rules['threshold'])}"
        elif kind == "rate_limit":
            test = f"context.recent_actions >= {int(rules['max_actions'])}"
        elif kind == "condition":
            test = cedar_test(rules["when"])
        else:
            action = f"action in [{', '.join(f'Action::{json.dumps(each)}' for each in rules['action_types'])}]"
            test = "true"
        for principal in [f"principal == Agent::{json.dumps(each)}" for each in policy["agent_ids"]] or ["principal"]:
            found.append(f"forbid ({principal}, {action}, resource) when {{ {test} }};")
    return "\n".join(found)


def cedar(workload):
    """The engine and its questions; policies are parsed once."""
    policies = PolicySet.from_str(cedar_policies(workload["policies"]))

    def ask(request):
        return is_authorized(request, policies, "[]")

    asked = [
        {
            "principal": {"type": "Agent", "id": context["agent_id"]},
            "action": {"type": "Action", "id": context["action_type"]},
            "resource": {"type": "Service", "id": "assent"},
            # Cedar's numbers are whole.
            "context": {name: int(value) if isinstance(value, float) else value for name, value in context.items()},
        }
        for context in workload["contexts"]
    ]
    for request in asked[:100]:
        answer = ask(request)
        if answer.diagnostics.errors or answer.decision is Decision.NoDecision:
            raise SystemExit(f"Cedar could not decide: {answer.diagnostics.errors}")
    return ask, [(request,) for request in asked]


def load(workload):
    # Its contexts are flat: the path becomes a key of its own.
    contexts = [{**context, "metadata.team": context["metadata"]["team"]} for context in workload["contexts"]]
    document = PolicyDocument.model_validate({"name": "bench", "rules": agt_rules(workload["policies"])})
    evaluator = PolicyEvaluator(policies=[document])

    model = FastModel([1])
    model.load_model_from_text(MODEL)
    enforcer = FastEnforcer(model, cache_key_order=[1])
    for at, policy in enumerate(workload["policies"]):
        rules = policy["rules"]
        act = rules.get("action_types", [workload["types"][at % len(workload["types"])]])[0]
        sub = policy["agent_ids"][0] if policy["agent_ids"] else "*"
        # The threshold as a number: the engine compares what it is given.
        enforcer.model.model["p"]["p"].policy.append([sub, act, rules.get("threshold", at % 100), "deny"])
    requests = [(context["agent_id"], context["action_type"], context["risk_score"]) for context in contexts]
    for request in requests[:100]:
        enforcer.enforce(*request)
    return {
        "agt": (evaluator.evaluate, [(context,) for context in contexts]),
        "casbin": (enforcer.enforce, requests),
        "cedar": cedar(workload),
    }


def timed(call, arguments):
    arguments = arguments[: 1000 if len(arguments) > 1000 else None]
    begin = time.perf_counter_ns()
    for one in arguments:
        call(*one)
    total = time.perf_counter_ns() - begin
    spent = []
    for one in arguments:
        begin = time.perf_counter_ns()
        call(*one)
        spent.append(time.perf_counter_ns() - begin)
    spent.sort()
    return {
        "per_second": len(arguments) * 1e9 / total,
        "p50_us": spent[len(spent) // 2] / 1000,
        "p99_us": spent[len(spent) * 99 // 100] / 1000,
    }


def main():
    logging.disable(logging.CRITICAL)
    engines = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "load" in request:
            engines = load(request["load"])
            answer = {"loaded": len(request["load"]["policies"])}
        else:
            answer = timed(*engines[request["run"]])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
