"""The facts of one guard call, as the policies see them.

The guard context is open: whatever an agent sends is kept, so that a policy may ask for it. What the service
itself knows wins over what was sent under the same name; an agent cannot talk itself into another identity or
a lower risk.
"""

from collections.abc import Mapping

from msgspec import Struct

_NAMED = ("action_type", "agent_id", "declared_goal", "systems_touched", "reversible")


class Facts(Struct, frozen=True, kw_only=True):
    """One proposed action. `fields` is the whole open context, in plain JSON types, and agrees with the other
    members: `gather` makes it so, and the policy index relies on it. `agent_risk_score` is what the agent sent, raw.
    """

    action_type: str
    agent_id: str | None = None
    declared_goal: str | None = None
    systems_touched: tuple[str, ...] = ()
    reversible: bool | None = None
    agent_risk_score: float | None = None
    fields: dict[str, object]


def gather(
    context: Mapping[str, object],
    *,
    action_type: str,
    agent_id: str | None = None,
    declared_goal: str | None = None,
    systems_touched: tuple[str, ...] = (),
    reversible: bool | None = None,
    agent_risk_score: float | None = None,
) -> Facts:
    """Facts from the validated members and the open context they came in, which may be under other spellings."""
    fields = dict(context)
    values = (action_type, agent_id, declared_goal, list(systems_touched), reversible)
    for name, value in zip(_NAMED, values, strict=True):
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value
    return Facts(
        action_type=action_type,
        agent_id=agent_id,
        declared_goal=declared_goal,
        systems_touched=systems_touched,
        reversible=reversible,
        agent_risk_score=agent_risk_score,
        fields=fields,
    )
