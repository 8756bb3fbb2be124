"""What an agent says of its request, as lines: what is named by the contract first, then whatever else it sent. Pure.

Values are Markdown in which nothing of a stranger is carried out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from assent import Action, Verification
from assent_dashboard.views import words

LONGEST = 160
MOST = 12
"""So many members of its own are shown as lines; the rest stands with the whole."""
_SHOWN_ELSEWHERE = frozenset(
    {
        "action_type",
        "declared_goal",
        "agent_id",
        "systems_touched",
        "reversible",
        "risk_score",
        "runtime",
        "session_id",
        "externality",
        "source",
        "occurred_at",
        "parameters",
        "metadata",
        "parameters_digest",
    }
)
_SIGNED = {
    Verification.VERIFIED: "by the agent's own key",
    Verification.UNSIGNED: "no",
    Verification.UNKNOWN_KEY: "by a key that nobody knows",
    Verification.REPLAYED: "with a signature that was used before",
    Verification.REVOKED: "by a key that was revoked",
}


def facts(action: Action, context: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and value; what is not there has no line. `context` is what guard looked at."""
    said: list[tuple[str, str | None]] = [
        ("Reasoning", _text(action.reasoning)),
        ("Trigger", _text(action.trigger)),
        ("Allowed to", _text(action.authorization_scope)),
        ("Input", _text(action.input_summary)),
        *_reach(action),
        ("Cost", None if action.cost_estimate is None else f"{action.cost_estimate:g} US dollars, estimated"),
        *((words.plain(name), words.code(_value(value))) for name, value in _own(context)),
        ("Parameters", _parameters(action, context)),
        ("Confidence", f"{action.confidence} of 100"),
        ("Runtime", str(action.runtime).replace("_", " ")),
        ("Session", words.code(action.session_id) if action.session_id else None),
        ("Signed", _SIGNED.get(action.verification)),
    ]
    return [(label, value) for label, value in said if value]


def whole(context: Mapping[str, Any]) -> str:
    """Everything that guard looked at, as JSON."""
    return msgspec.json.format(msgspec.json.encode(context), indent=2).decode()


def _own(context: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """The members that this agent sent beyond those of the contract: on top, in parameters, in metadata."""
    found = [(name, value) for name, value in context.items() if name not in _SHOWN_ELSEWHERE]
    for within in ("parameters", "metadata"):
        members = context.get(within)
        if isinstance(members, dict):
            found += [(f"{name} ({within})", value) for name, value in members.items()]
    yield from found[:MOST]


def _parameters(action: Action, context: Mapping[str, Any]) -> str | None:
    if action.parameters_digest is None or "parameters" in context:
        return None
    return f"kept by the agent; their digest is {words.code(action.parameters_digest)}"


def _reach(action: Action) -> list[tuple[str, str | None]]:
    said = action.externality
    if said is None:
        return []
    bound = said.reversal_bound_seconds
    back = None if bound is None else f"within {words.span(bound)}" if bound else "not at all"
    return [
        ("Destination", _plain(said.destination_visibility)),
        ("Account", _plain(said.account_provenance)),
        ("Data", _plain(said.data_classification)),
        ("Can be taken back", back),
    ]


def _plain(value: object) -> str | None:
    return None if value is None else str(value).replace("_", " ")


def _text(text: str | None) -> str | None:
    return None if text is None else words.plain(words.shorten(words.clean(text), LONGEST))


def _value(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return words.shorten(words.clean(text), LONGEST)
