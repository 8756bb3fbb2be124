"""The verdict of a guard call, and how it is put together from the set of policies that matched.

A set of policies is a number: bit n stands for the n-th policy by creation. So sets join by `|`, whatever order
they were found in, and the same set gives the same verdict, which is then shared.
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from assent.contract.guard import Decision
from assent.contract.policies import Effect, WebhookCheck

MAX_VERDICTS = 4096
MAX_PARTS = 16_384


class Webhook(Struct, frozen=True):
    """One policy whose answer is asked for in the second phase."""

    policy_id: str
    name: str
    rules: WebhookCheck
    observed: bool


class Match(Struct, frozen=True):
    """What one policy contributes when it matches; `text` is "policy name: why"."""

    policy_id: str
    effect: Effect
    text: str
    observed: bool


class Verdict(Struct, frozen=True, kw_only=True):
    """What the policies say.

    `reasons` come from policies that block or ask for approval, `warnings` from those that warn, each as
    "policy name: text"; `matched_policies` are the enforced ones that matched. `would_decide` is what enforcing
    the observed policies too would have given, and None when none of them (`observed_policies`) matched.
    `webhooks` are still to be asked. Verdicts are shared between calls; nothing in them may be changed.
    """

    decision: Decision
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    matched_policies: tuple[str, ...] = ()
    would_decide: Decision | None = None
    observed_policies: tuple[str, ...] = ()
    webhooks: tuple[Webhook, ...] = ()


# Reasons, warnings, matched and observed ids of up to 32 neighbouring policies.
_Part: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Verdicts:
    """Verdicts by the set that matched, each made once. `matches[n]` belongs to bit n; None where a policy cannot
    match in the first phase. On a new set most neighbourhoods were seen before, so the texts are kept in parts.
    """

    __slots__ = ("_bytes", "_enforced", "_known", "_matches", "_parts", "_severities")

    def __init__(self, matches: Sequence[Match | None]) -> None:
        self._matches = matches
        self._bytes = (len(matches) + 31) // 32 * 4
        self._known: dict[tuple[int, int], Verdict] = {}
        self._parts: dict[tuple[int, int], _Part] = {}
        self._enforced = 0
        self._severities = dict.fromkeys(Effect, 0)
        for number, match in enumerate(matches):
            if match is not None:
                self._severities[match.effect] |= 1 << number
                self._enforced |= 0 if match.observed else 1 << number

    def of(self, matched: int, scope: int, webhooks: tuple[Webhook, ...]) -> Verdict:
        """The verdict of a set; `scope` names the webhooks, so that they need no comparing."""
        verdict = self._known.get((matched, scope))
        if verdict is None:
            if len(self._known) >= MAX_VERDICTS:
                self._known.clear()
            verdict = self._known[matched, scope] = self._make(matched, webhooks)
        return verdict

    def _make(self, matched: int, webhooks: tuple[Webhook, ...]) -> Verdict:
        reasons: list[str] = []
        warnings: list[str] = []
        enforced: list[str] = []
        observed: list[str] = []
        if len(self._parts) >= MAX_PARTS:
            self._parts.clear()
        for at, bits in enumerate(memoryview(matched.to_bytes(self._bytes, "little")).cast("I")):
            if not bits:
                continue
            part = self._parts.get((at, bits)) or self._part(at, bits)
            reasons += part[0]
            warnings += part[1]
            enforced += part[2]
            observed += part[3]
        return Verdict(
            decision=self._decision(matched & self._enforced),
            reasons=tuple(reasons),
            warnings=tuple(warnings),
            matched_policies=tuple(enforced),
            would_decide=self._decision(matched) if observed else None,
            observed_policies=tuple(observed),
            webhooks=webhooks,
        )

    def _part(self, at: int, bits: int) -> _Part:
        found = [self._matches[at * 32 + bit] for bit in range(32) if bits >> bit & 1]
        matches = [match for match in found if match is not None]
        enforced = [match for match in matches if not match.observed]
        part = self._parts[at, bits] = (
            tuple(match.text for match in enforced if match.effect is not Effect.WARN),
            tuple(match.text for match in enforced if match.effect is Effect.WARN),
            tuple(match.policy_id for match in enforced),
            tuple(match.policy_id for match in matches if match.observed),
        )
        return part

    def _decision(self, matched: int) -> Decision:
        for effect in (Effect.BLOCK, Effect.REQUIRE_APPROVAL, Effect.WARN):
            if matched & self._severities[effect]:
                return Decision(effect.value)
        return Decision.ALLOW
