"""An organization in which every text that somebody may write tries to be more than text.

Agents, admins and whoever holds a key write names, goals, types, reasons, subjects and addresses. Here each of them is
Markdown and HTML that would draw a picture, a link, a formula, an icon, a coloured word or a list of its own.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from assent import Client
from assent.proof.private_key import Signer, new_private_key
from tests.dashboard.analysis.drifting import CHANGED, HOURS, STABLE, alert_of
from tests.stories.tenant import Tenant

HOST = "evil.example"
SHORT = (
    f"![p](//{HOST}/x.png) :red[evilred] <img src=x onerror=alert(1)> [evillink](//{HOST}) :material/skull: $evilmath$"
)
"""Where 128 characters fit."""
LONG = (
    f"{SHORT}\n\n# evilheading\n\n**evilbold** :red-badge[evilbadge] :skull: <script>alert(1)</script> <b>evilhtml</b> "
    f"https://{HOST}/a www.{HOST} somebody@{HOST} ~~evilstruck~~\n\n| evilcell | b |\n|-|-|\n| c | d |\n"
)
WORD = "**evilbold** :red[evilred] $evilmath$ [evillink](//e.x)"
"""Where 64 characters fit."""
AGENT = f"www.{HOST}:skull:__evilbold__"
"""An id has no spaces and no brackets, and is an address, a picture and a bold word all the same."""

SESSION = f":skull: {WORD}"
"""A session that is told something."""


@dataclass(frozen=True)
class Strangers:
    """What the addresses of pages name."""

    settled: str
    waiting: str
    policy_id: str
    message_id: str
    thread_id: str
    context_id: str
    pairing_id: str
    webhook_id: str
    profile_id: str
    alert_id: str

    @property
    def addresses(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Every view that an address leads to, beside the pages themselves, and what an address itself may say."""
        agent = {"agent_id": AGENT}
        return (
            ("readiness", {"agent_id": SHORT}),
            ("approvals", {**agent, "action_type": SHORT}),
            ("ledger", {"action_id": self.settled}),
            ("ledger", {"action_id": self.waiting}),
            ("ledger", {"action_id": SHORT}),
            ("ledger", {"view": "decisions"}),
            ("ledger", {**agent, "action_type": SHORT, "status": SHORT, "window": SHORT, "view": SHORT}),
            ("asking", {**agent, "window": SHORT}),
            ("pcaa", {**agent, "action_type": SHORT}),
            ("learning", {**agent, "window": SHORT}),
            ("drift", {"agent_id": SHORT, "action_type": SHORT, "metric": SHORT, "recent": SHORT, "alert_id": SHORT}),
            ("drift", {"alert_id": self.alert_id}),
            ("drivers", {**agent, "action_type": SHORT, "window": SHORT, "metric": SHORT, "by": SHORT}),
            ("flows", {}),
            ("flows", {"session_id": SESSION}),
            ("flows", {"session_id": SHORT}),
            ("scores", {"part": "profiles", "profile_id": self.profile_id, "action_id": self.settled}),
            ("scores", {"part": "calibration"}),
            ("scores", {"part": "templates"}),
            ("scores", {"part": "evaluations"}),
            ("scores", {"part": SHORT, "profile_id": SHORT, "action_id": SHORT, "interruption": SHORT}),
            ("policies", {"policy_id": self.policy_id}),
            ("policies", {"policy_id": SHORT}),
            ("agents", agent),
            ("agents", {"agent_id": SHORT}),
            ("agents", {"presence": SHORT, "provider": SHORT}),
            ("messages", {"message_id": self.message_id}),
            ("messages", {"view": "threads"}),
            ("messages", {"view": "threads", "thread_id": self.thread_id}),
            ("messages", {"view": "threads", "thread_id": SHORT}),
            ("messages", {"view": "handoffs"}),
            ("messages", {"view": "context"}),
            ("messages", {"view": "context", "thread_id": self.context_id}),
            ("messages", {"view": "loops"}),
            ("messages", {"view": SHORT, "message_id": SHORT, "agent_id": SHORT}),
            ("proof", {"action": self.settled}),
            ("proof", {"action": SHORT}),
            ("settings", {"section": "pairings", "pairing_id": self.pairing_id}),
            ("settings", {"section": "identities"}),
            ("settings", {"section": "webhooks", "webhook_id": self.webhook_id}),
            ("settings", {"section": "kill-switch"}),
            ("settings", {"section": SHORT}),
        )


def let_in(tenant: Tenant) -> Strangers:
    """Write everywhere. The kill switch is on in the end, and says why."""
    tenant.add_key("operator", "operator")
    for role in ("agent", "operator", "admin"):
        made = tenant.call("POST", "/api/keys", {"name": SHORT, "role": role})
        tenant.keys[role] = made["api_key"]
    with tenant.client("admin", None) as admin, tenant.client("agent", AGENT) as agent:
        admin.update_org(tenant.org_id, name=SHORT)
        alert_id = _history(admin)
        policy_id = _policies(admin)
        settled, waiting = _actions(agent, admin)
        message_id, thread_id = _letters(agent, settled)
        found = Strangers(
            settled=settled,
            waiting=waiting,
            policy_id=policy_id,
            message_id=message_id,
            thread_id=thread_id,
            context_id=_notes(agent),
            pairing_id=_trusted(agent, admin),
            webhook_id=admin.create_webhook(f"https://{HOST}/**evilbold**?a=:skull:", description=LONG).webhook.id,
            profile_id=_scores(admin, settled),
            alert_id=alert_id,
        )
        admin.test_webhook(found.webhook_id)
        admin.halt(LONG)
    return found


def _history(admin: Client) -> str:
    """Weeks of it, so that something is learnt and something drifts."""
    risks = [*STABLE, *CHANGED]
    began = datetime.now(UTC) - timedelta(hours=HOURS * len(risks))
    for number, risk in enumerate(risks):
        failed = number % 4 == 0
        admin.create_action(
            SHORT,
            LONG,
            agent_id=AGENT,
            agent_name=SHORT,
            status="failed" if failed else "completed",
            risk_score=risk,
            model=SHORT,
            source="import",
            occurred_at=began + timedelta(hours=HOURS * number),
        )
    alert = alert_of(admin)
    admin.rebuild_recommendations()
    return alert.id


def _policies(admin: Client) -> str:
    tree = {
        "any": [
            {"field": "declared_goal", "op": "contains", "value": SHORT},
            {"field": "action_type", "op": "in", "value": [SHORT]},
        ]
    }
    admin.create_policy(f"{LONG[:200]} tree", "condition", {"when": tree, "action": "warn"})
    admin.create_policy(f"{SHORT} seen", "block_action_type", {"action_types": [SHORT]}, mode="observe")
    admin.create_policy(f"{SHORT} off", "rate_limit", {"max_actions": 1}, active=False, agent_ids=[AGENT])
    return admin.create_policy(SHORT, "require_approval", {"action_types": [SHORT]}).policy.policy_id


def _actions(agent: Client, admin: Client) -> tuple[str, str]:
    """One that was decided on, carried out and failed, and two alike that wait."""
    asked = {"agent_name": SHORT, "reasoning": LONG, "trigger": LONG[:900], "authorization_scope": LONG[:900]}
    more = {"systems_touched": [SHORT, LONG[:400]], "input_summary": LONG, "metadata": {SHORT: LONG}, "model": SHORT}
    made = []
    for goal in (LONG, f"{SHORT} again", f"{SHORT} again"):
        created = agent.create_action(SHORT, goal, context={SHORT: LONG, "note": LONG}, **asked, **more)  # type: ignore[arg-type]
        made.append(created.action_id)
    admin.create_policy(f"{WORD} flows", "flow", {}, mode="observe")
    told: dict[str, Any] = {"session_id": SESSION, "agent_id": AGENT}
    agent.tell_flow(user_text=LONG, **told)
    agent.tell_flow(tool=SHORT, result=LONG, **told)
    values = {"recipient": SHORT, WORD: LONG[:400]}
    agent.create_action(SHORT, LONG, parameters=values, session_id=SESSION)
    (flow,) = admin.get_flows(session_id=SESSION).flows
    admin.remove_flow_labels(flow.flow_id, flow.labels[:1], SHORT)
    settled = made[0]
    admin.approve_action(settled, "allow", LONG, conditions=[LONG[:400]])
    agent.claim_action(settled, SHORT, LONG, [SHORT, LONG[:400]])
    believed = agent.register_assumption(settled, LONG, basis=LONG).assumption_id
    admin.validate_assumption(believed, False, LONG)
    agent.register_open_loop(settled, "question", LONG, priority="critical", owner=SHORT)
    agent.update_outcome(
        settled,
        "failed",
        output_summary=LONG,
        error_message=LONG,
        side_effects=[LONG[:900]],
        artifacts_created=[SHORT],
        model=SHORT,
    )
    agent.submit_feedback(1, LONG, settled, AGENT, tags=[WORD])
    agent.heartbeat(WORD, {SHORT: LONG}, current_task_id=SHORT, agent_name=SHORT)
    agent.report_connections([{"provider": SHORT, "plan_name": SHORT, "metadata": {SHORT: LONG}}])
    return settled, made[1]


def _letters(agent: Client, action_id: str) -> tuple[str, str]:
    thread_id = agent.create_message_thread(SHORT, [AGENT, "b"]).thread_id
    file = {
        "filename": "**evilbold** :red[evilred] :skull: $evilmath$.md",
        "mime_type": "text/markdown",
        "data": b64encode(LONG.encode()).decode(),
    }
    sent = agent.send_message(
        LONG[:2000],
        AGENT,
        "question",
        [file],
        subject=SHORT,
        thread_id=thread_id,
        urgent=True,
        doc_ref=SHORT,
        action_id=action_id,
    )
    agent.broadcast(LONG, subject=SHORT)
    return sent.message_id, thread_id


def _notes(agent: Client) -> str:
    agent.create_handoff(
        LONG, tags=[SHORT], key_decisions=[LONG], open_tasks=LONG, mood_notes=LONG, next_priorities=[{SHORT: LONG}]
    )
    agent.capture_key_point(LONG, category="insight")
    context_id = agent.create_thread(SHORT, summary=LONG).thread_id
    agent.add_thread_entry(context_id, LONG, WORD)
    return context_id


def _trusted(agent: Client, admin: Client) -> str:
    signer = Signer(new_private_key())
    admin.register_identity(AGENT, signer.public_pem, signer.algorithm)
    other = Signer(new_private_key())
    return agent.create_pairing(other.public_pem, other.algorithm, SHORT).pairing.pairing_id


def _scores(admin: Client, action_id: str) -> str:
    scale = [{"label": SHORT, "operator": "gte", "value": 0, "score": 50}]
    measures: list[dict[str, Any]] = [
        {"name": SHORT, "data_source": "risk_score", "scale": scale, "description": LONG},
        {
            "name": WORD,
            "data_source": "metadata_field",
            "data_config": {"field": "note"},
            "scale": [{"label": WORD, "operator": "contains", "value": SHORT, "score": 10}],
        },
    ]
    profile = admin.create_scoring_profile(SHORT, LONG, SHORT, dimensions=measures)
    admin.score_with_profile(profile.id, {"action_id": action_id})
    rule = {"condition": f'declared_goal == "{WORD}"', "add": 10}
    admin.create_risk_template(SHORT, [rule], 10, SHORT, LONG)
    scorer = admin.create_scorer(SHORT, "contains", {"keywords": [SHORT]}, LONG)
    admin.create_score(action_id, SHORT, 0.2, WORD, LONG, SHORT)
    admin.create_eval_run(SHORT, scorer.id)
    return profile.id
