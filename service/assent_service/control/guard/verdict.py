"""The verdict of a guard call, and how it is put together from the set of policies that matched.

A set of policies is a number: bit n stands for the n-th policy by creation. So sets join by `|`, whatever order
they were found in, and the same set gives the same verdict, which is then shared.
"""

from collections.abc import Sequence
from struct import Struct as Layout

from msgspec import Struct
from msgspec.structs import replace

from assent.contract.control.guard import Decision
from assent.contract.control.rules import AlwaysAsk, Effect, WebhookCheck

_ORDER = tuple(Decision)  # from mildest to most severe
_SEVERITY = {decision.value: severity for severity, decision in enumerate(_ORDER)}
MAX_VERDICTS = 4096
MAX_PARTS = 8192
FEW = 12  # up to here, going through the bits is faster than through the words


class Webhook(Struct, frozen=True):
    """One policy whose answer is asked for in the second phase."""

    policy_id: str
    name: str
    rules: WebhookCheck
    observed: bool


class Match(Struct, frozen=True):
    """What one policy contributes when it matches; `text` is "policy name: why", `explore` for which share of hours it
    does the other thing, `always_ask` whether it asks although a standing grant covers the request."""

    policy_id: str
    effect: Effect
    text: str
    observed: bool
    explore: float = 0.0
    always_ask: AlwaysAsk = AlwaysAsk.NEVER


class Verdict(Struct, frozen=True, kw_only=True):
    """What the policies say.

    `reasons` come from policies that block or ask for approval, `warnings` from those that warn, each as
    "policy name: text". What decided is read first: the first `blocking` reasons are those of policies that block.
    `matched_policies` are the enforced ones that matched. `would_decide` is what enforcing the observed policies too
    would have given, and None when none of them (`observed_policies`) matched.
    `webhooks` are still to be asked. Verdicts are shared between calls; nothing in them may be changed.
    """

    decision: Decision
    reasons: tuple[str, ...] = ()
    blocking: int = 0
    warnings: tuple[str, ...] = ()
    matched_policies: tuple[str, ...] = ()
    would_decide: Decision | None = None
    observed_policies: tuple[str, ...] = ()
    webhooks: tuple[Webhook, ...] = ()


def with_reasons(verdict: Verdict, found: tuple[str, ...], *, blocks: bool) -> Verdict:
    """The verdict with reasons behind its others of policies that block, or that ask."""
    reasons, first = verdict.reasons, verdict.blocking
    if not blocks:
        return replace(verdict, reasons=reasons + found)
    return replace(verdict, reasons=reasons[:first] + found + reasons[first:], blocking=first + len(found))


class _Part(Struct, frozen=True):
    """What up to 64 neighbouring policies contribute, with the severest effect of the enforced ones and of all."""

    blocks: tuple[str, ...]
    asks: tuple[str, ...]
    warnings: tuple[str, ...]
    enforced: tuple[str, ...]
    observed: tuple[str, ...]
    severity: int
    would: int


class Verdicts:
    """Verdicts by the set that matched, each made once. `matches[n]` belongs to bit n; None where a policy cannot
    match in the first phase. With many policies most sets are new: a small one is put together from its policies, a
    large one from neighbourhoods that were seen before.
    """

    __slots__ = ("_bytes", "_known", "_parts", "_singles", "_words", "matches")

    def __init__(self, matches: Sequence[Match | None]) -> None:
        self.matches = matches
        self._bytes = (len(matches) + 63) // 64 * 8
        self._singles = [_part([match] if match is not None else []) for match in matches]
        self._words = Layout(f"<{self._bytes // 8}Q").unpack
        self._known: dict[tuple[int, int], Verdict] = {}
        self._parts: dict[tuple[int, int], _Part] = {}

    def of(self, matched: int, scope: int, webhooks: tuple[Webhook, ...]) -> Verdict:
        """The verdict of a set; `scope` names the webhooks, so that they need no comparing."""
        verdict = self._known.get((matched, scope))
        if verdict is None:
            if len(self._known) >= MAX_VERDICTS:
                self._known.clear()
            verdict = self._known[matched, scope] = self._make(matched, webhooks)
        return verdict

    def _make(self, matched: int, webhooks: tuple[Webhook, ...]) -> Verdict:
        blocks: tuple[str, ...] = ()
        asks: tuple[str, ...] = ()
        warnings: tuple[str, ...] = ()
        enforced: tuple[str, ...] = ()
        observed: tuple[str, ...] = ()
        severity = would = 0
        for part in self._single(matched) if matched.bit_count() <= FEW else self._joint(matched):
            blocks += part.blocks
            asks += part.asks
            warnings += part.warnings
            enforced += part.enforced
            observed += part.observed
            if part.severity > severity:
                severity = part.severity
            if part.would > would:
                would = part.would
        return Verdict(
            decision=_ORDER[severity],
            reasons=blocks + asks,
            blocking=len(blocks),
            warnings=warnings,
            matched_policies=enforced,
            would_decide=_ORDER[would] if observed else None,
            observed_policies=observed,
            webhooks=webhooks,
        )

    def _single(self, matched: int) -> list[_Part]:
        """One part per policy."""
        found = []
        while matched:
            lowest = matched & -matched
            found.append(self._singles[lowest.bit_length() - 1])
            matched ^= lowest
        return found

    def _joint(self, matched: int) -> list[_Part]:
        """One part per neighbourhood of 64."""
        words = enumerate(self._words(matched.to_bytes(self._bytes, "little")))
        return [self._parts.get(word) or self._join(*word) for word in words if word[1]]

    def _join(self, at: int, bits: int) -> _Part:
        if len(self._parts) >= MAX_PARTS:
            self._parts.clear()
        found = [self.matches[at * 64 + bit] for bit in range(64) if bits >> bit & 1]
        part = self._parts[at, bits] = _part([match for match in found if match is not None])
        return part


def _part(matches: Sequence[Match]) -> _Part:
    enforced = [match for match in matches if not match.observed]
    return _Part(
        tuple(match.text for match in enforced if match.effect is Effect.BLOCK),
        tuple(match.text for match in enforced if match.effect is Effect.REQUIRE_APPROVAL),
        tuple(match.text for match in enforced if match.effect is Effect.WARN),
        tuple(match.policy_id for match in enforced),
        tuple(match.policy_id for match in matches if match.observed),
        max((_SEVERITY[match.effect.value] for match in enforced), default=0),
        max((_SEVERITY[match.effect.value] for match in matches), default=0),
    )
