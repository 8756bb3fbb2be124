"""Guard: asks the policies about a proposed action and records what they say."""

from __future__ import annotations

from assent_service.control.guard.ask import GuardQuestion, digest_of_parameters
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.decisions import GUARD_DECISIONS, as_sent, result_of
from assent_service.control.guard.guard import Decided, Guard, Outside, routes
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.matching import check_rules, compile_condition, value_test
from assent_service.control.guard.templates import NO_TEMPLATES, TemplateSet, compile_rules
from assent_service.control.guard.webhook import WebhookSettings, open_client
from assent_service.core.foundation import Foundation

__all__ = [
    "GUARD_DECISIONS",
    "NO_TEMPLATES",
    "TABLES",
    "Decided",
    "Facts",
    "Guard",
    "GuardQuestion",
    "Outside",
    "PolicySet",
    "TemplateSet",
    "WebhookSettings",
    "as_sent",
    "bring_guard",
    "check_rules",
    "compile_condition",
    "compile_rules",
    "digest_of_parameters",
    "gather",
    "open_client",
    "open_outside",
    "result_of",
    "value_test",
]

TABLES = (GUARD_DECISIONS,)


def open_outside(on: Foundation) -> Outside:
    """What guard asks beside its policies: webhooks of customers."""
    secret = on.settings.webhook_secret
    hooks = WebhookSettings(
        secret=secret.encode() if secret else None, allow_private=on.settings.webhooks_to_private_addresses
    )
    outside = Outside(open_client(hooks), hooks)
    on.bring(stop=outside.client.aclose)
    return outside


def bring_guard(on: Foundation, guard: Guard) -> None:
    async def start() -> None:
        for org_id in on.organizations():
            await guard.follow_policies(org_id)

    on.bring(routes=routes(guard, on.ledger, on.clock), memory=guard.state, start=start)
