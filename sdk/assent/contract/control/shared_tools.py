"""What flow policies say of tools: enforced ones share it, so what one for some agents says counts at once for what
others decide. What one says that only observes waits beside them until it is enforced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import PolicyType
from assent.contract.names import comparable

MOST_NAMED = 8
"""Tools that a sentence names, and policies."""


def shared_tools(policy: Policy | PolicyDraft, others: Iterable[Policy]) -> str | None:
    """What to say of an active policy whose tools enforced policies read its way where it does not decide, or not its
    way since it only observes; None where there are none."""
    tools = list(tools_of(policy))
    observes = policy.mode is Mode.OBSERVE
    own = {comparable(each) for each in policy.agent_ids}
    reached = [
        other.name
        for other in others
        if other.name != policy.name
        and other.policy_type == PolicyType.FLOW
        and other.active
        and other.mode is Mode.ENFORCE
        and (observes or (own and not own.issuperset(map(comparable, other.agent_ids or ("",)))))
    ]
    if not tools or not reached or not policy.active:
        return None
    named, deciding = listed(tools), listed([repr(each) for each in reached])
    if observes:
        return (
            f"Policy {policy.name!r} only observes: what its pack says of {named} counts only once it is enforced, "
            f"since {deciding} decides until then; labels of its own count already. Try it on recorded decisions "
            "before."
        )
    return (
        f"Policy {policy.name!r} is for some agents, but enforced flow policies share what they say of tools: what its "
        f"pack says of {named} counts at once for what {deciding} decides, which may ask less. Switch it off until you "
        "mean that."
    )


def all_shared_tools(given: Sequence[Policy], every: Sequence[Policy]) -> list[str]:
    """The same of policies that were made, changed or imported, and of the others where these are what they reach."""
    names = {each.name for each in given}
    found = [shared_tools(each, every) for each in given]
    found += [shared_tools(each, given) for each in every if each.name not in names]
    return [each for each in found if each is not None]


def read_with(policy: Policy, every: Iterable[Policy]) -> list[str]:
    """The names of the other policies that a flow policy which observes reads tools by: those that observe, too, and
    say something of tools, as long as none is enforced."""
    flows = [each for each in every if each.active and each.deleted_at is None and each.policy_type == PolicyType.FLOW]
    observes = any(each.policy_id == policy.policy_id for each in flows)
    if not observes or any(each.mode is Mode.ENFORCE for each in flows):
        return []
    return [each.name for each in flows if each.policy_id != policy.policy_id and tools_of(each)]


def tools_of(policy: Policy | PolicyDraft) -> dict[str, object]:
    """What its pack says of tools, by their patterns."""
    if policy.policy_type != PolicyType.FLOW or not isinstance(policy.rules, Mapping):
        return {}
    pack = policy.rules.get("pack")
    tools = pack.get("tools") if isinstance(pack, Mapping) else None
    return {str(name): said for name, said in tools.items()} if isinstance(tools, Mapping) else {}


def listed(names: Sequence[str]) -> str:
    """The first of them in a sentence."""
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
