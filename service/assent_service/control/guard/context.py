"""The facts of one guard call, as the policies see them.

The guard context is open: whatever an agent sends is kept, so that a policy may ask for it. What the service
itself knows wins over what was sent under the same name; an agent cannot talk itself into another identity or
a lower risk. So is `destructive`: whether the goal speaks of destruction (`assent.destructive`).
Names are compared, not read: in `fields` they are as `assent.contract.names` folds them.
"""

from collections.abc import Mapping

from msgspec import Struct

from assent.contract.names import NAME_FIELDS, NESTED_FIELD, comparable, compared, with_nested
from assent.destructive import destructive

_NAMED = ("action_type", "agent_id", "declared_goal", "systems_touched", "reversible")
_OTHER_NAMES = tuple(NAME_FIELDS.difference(_NAMED))
_NESTED = NESTED_FIELD[0]


class Facts(Struct, frozen=True, kw_only=True):
    """One proposed action. `fields` is the whole open context, in plain JSON types with its names folded, and agrees
    with the other members: `gather` makes it so, and the policy index relies on it. `agent_risk_score` is what the
    agent sent, raw.
    """

    action_type: str
    agent_id: str | None = None
    declared_goal: str | None = None
    systems_touched: tuple[str, ...] = ()
    reversible: bool | None = None
    agent_risk_score: float | None = None
    destructive: bool = False
    fields: dict[str, object]

    @property
    def type_key(self) -> str:
        """The action's type as it is compared."""
        return comparable(self.action_type)

    @property
    def agent_key(self) -> str | None:
        """The agent as it is compared."""
        return None if self.agent_id is None else comparable(self.agent_id)


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
    agent_key = None if agent_id is None else comparable(agent_id)
    systems = [comparable(system) for system in systems_touched]
    values = (comparable(action_type), agent_key, declared_goal, systems, reversible)
    for name, value in zip(_NAMED, values, strict=True):
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value
    fields["destructive"] = destroys = destructive(declared_goal)
    for name in _OTHER_NAMES:
        if name in fields:
            fields[name] = compared(fields[name])
    if _NESTED in fields:
        fields = with_nested(fields)
    return Facts(
        action_type=action_type,
        agent_id=agent_id,
        declared_goal=declared_goal,
        systems_touched=systems_touched,
        reversible=reversible,
        agent_risk_score=agent_risk_score,
        destructive=destroys,
        fields=fields,
    )
