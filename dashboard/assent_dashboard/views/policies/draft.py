"""One draft, seen as a form and as YAML.

The draft is plain data, as a pack has it for one policy, and need not be right yet. What the form changes is written
into the YAML anew. What is typed as YAML is taken over once it can be read; until then the form keeps the last draft
that could be, and `problem` says where the text is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import AlwaysAsk, Effect, PolicyType
from assent.packs import PackError, entry, line_of, parse_pack, read_draft, write_pack
from assent_dashboard.views.policies.tree import row

NEW = "new"
PLACE = "policies[0]"
LONGEST_YAML = 64_000
"""Characters of one policy as YAML; the rules of a policy have 16,000 at most."""
DEFAULTS: dict[PolicyType, dict[str, Any]] = {
    PolicyType.RISK_THRESHOLD: {"threshold": 80, "action": Effect.REQUIRE_APPROVAL.value},
    PolicyType.REQUIRE_APPROVAL: {"action_types": []},
    PolicyType.BLOCK_ACTION_TYPE: {"action_types": []},
    PolicyType.RATE_LIMIT: {"max_actions": 50, "window_minutes": 60, "action": Effect.WARN.value},
    PolicyType.KNOWN_TYPES: {"action_types": [], "action": Effect.REQUIRE_APPROVAL.value},
    PolicyType.FLOW: {"action": Effect.REQUIRE_APPROVAL.value, "pack": {}},
    PolicyType.WEBHOOK_CHECK: {"url": "https://", "timeout_ms": 5000, "on_timeout": "allow"},
    PolicyType.CONDITION: {"when": {"all": [row()]}, "action": Effect.REQUIRE_APPROVAL.value},
}


@dataclass(frozen=True)
class Problem:
    """`line` counts from 1; None where the text does not say which."""

    message: str
    line: int | None = None


@dataclass
class EditedPolicy:
    """`base` is the stored policy that it began as, None for a new one."""

    base: Policy | None
    data: dict[str, Any]
    yaml: str = ""
    problem: Problem | None = None
    put_aside: dict[str, Any] = field(default_factory=dict)
    """Rules of the types that were chosen before, in case they are chosen again."""

    def __post_init__(self) -> None:
        self.yaml = self.yaml or write_pack([self.data])

    @property
    def policy_id(self) -> str:
        return NEW if self.base is None else self.base.policy_id

    @property
    def rules(self) -> dict[str, Any]:
        rules = self.data.get("rules")
        return rules if isinstance(rules, dict) else {}

    @property
    def policy_type(self) -> str:
        return str(self.data.get("policy_type", ""))

    @property
    def touched(self) -> bool:
        """Whether anything differs from what is stored."""
        return self.problem is not None or self.base is None or self.data != entry(self.base)

    def change(self, **members: object) -> None:
        """Members of the policy, from the form."""
        self.data = tidy({**self.data, **members})
        self._rewrite()

    def change_rules(self, **members: object) -> None:
        self.change(rules={**self.rules, **members})

    def choose_type(self, policy_type: str) -> None:
        """Another kind of policy has other rules."""
        self.put_aside[self.policy_type] = self.rules
        known = self.put_aside.get(policy_type) or deepcopy(DEFAULTS[PolicyType(policy_type)])
        self.change(policy_type=policy_type, rules=known)

    def type_yaml(self, text: str) -> None:
        """Take over what somebody typed, or say why not."""
        self.yaml = text
        read = read_yaml(text)
        if isinstance(read, Problem):
            self.problem = read
        else:
            self.data, self.problem = read, None

    def discard_yaml(self) -> None:
        """Write the YAML anew from the last draft that could be read."""
        self._rewrite()

    def wrong(self) -> Problem | None:
        """Why the contract does not take the draft; None when it does."""
        if self.problem is not None:
            return self.problem
        try:
            read_draft(self.data, PLACE)
        except PackError as error:
            return Problem(f"{_short(error.place)} {error.message}", line_of(self.yaml, error.place))
        return None

    def policy(self) -> PolicyDraft:
        """As the API takes it. Raises PackError unless `wrong()` is None."""
        return read_draft(self.data, PLACE)

    def _rewrite(self) -> None:
        self.yaml, self.problem = write_pack([self.data]), None


def begin(policy: Policy | None) -> EditedPolicy:
    """A new policy begins in observe mode: it shows what it would do before it stops anybody."""
    if policy is not None:
        return EditedPolicy(base=policy, data=entry(policy))
    chosen = PolicyType.RISK_THRESHOLD
    data = {"name": "", "policy_type": chosen.value, "mode": Mode.OBSERVE.value, "rules": deepcopy(DEFAULTS[chosen])}
    return EditedPolicy(base=None, data=data)


def tidy(data: Mapping[str, Any]) -> dict[str, Any]:
    """The members in the order of a pack, without those that are as they would be without them."""
    plain = {
        "agent_ids": [],
        "mode": Mode.ENFORCE.value,
        "active": True,
        "explore": 0.0,
        "always_ask": AlwaysAsk.NEVER.value,
    }
    order = ("name", "policy_type", "agent_ids", "mode", "active", "explore", "always_ask", "rules")
    return {name: data[name] for name in order if name in data and (name not in plain or data[name] != plain[name])}


def read_yaml(text: str) -> dict[str, Any] | Problem:
    """The one policy of a pack as tidy data."""
    if len(text) > LONGEST_YAML:
        return Problem(f"This text has {len(text)} characters; one policy has at most {LONGEST_YAML}. Shorten it.")
    try:
        drafts = parse_pack(text)
    except PackError as error:
        return _problem(text, error)
    if len(drafts) != 1:
        found = "none" if not drafts else str(len(drafts))
        return Problem(f"This text has {found} policies. Write exactly one under “policies:”; import packs as a whole.")
    return tidy(entry(drafts[0]))


def _problem(text: str, error: PackError) -> Problem:
    kind, _, number = error.place.partition(" ")
    if kind == "line":
        return Problem(f"{error.message}. Mend this line; indentation has spaces, never tabs.", int(number))
    return Problem(f"{_short(error.place)} {error.message}.", line_of(text, error.place))


def _short(place: str) -> str:
    """There is one policy, which needs no number."""
    return place.removeprefix(PLACE).removeprefix(".") or "the policy"
