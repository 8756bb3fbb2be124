"""Guard: asks the policies about a proposed action and records what they say.

What decides needs no more than the contract, and is there at once; what records it, asks webhooks and serves it comes
when somebody first asks for it, so that `assent.testing` has the rules without a database and a server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assent_service.control.guard.ask import GuardQuestion, as_sent, digest_of_parameters, result_of
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.flows import SessionAsked, SessionView, recorded_trace
from assent_service.control.guard.index import PolicySet, check_name, check_rules
from assent_service.control.guard.matching import compile_condition, value_test
from assent_service.control.guard.templates import (
    NO_TEMPLATES,
    TemplateSet,
    changed_template,
    compile_rules,
    new_template,
    removed_template,
)

if TYPE_CHECKING:
    from assent_service.control.guard.decisions import GUARD_DECISIONS
    from assent_service.control.guard.guard import GUARD_FENCE, Decided, Guard, Outside
    from assent_service.control.guard.webhook import WebhookSettings, open_client
    from assent_service.core.foundation import Foundation
    from assent_service.store.tables import Table

    TABLES: tuple[Table, ...]

__all__ = [
    "GUARD_DECISIONS",
    "GUARD_FENCE",
    "NO_TEMPLATES",
    "TABLES",
    "Decided",
    "Facts",
    "Guard",
    "GuardQuestion",
    "Outside",
    "PolicySet",
    "SessionAsked",
    "SessionView",
    "TemplateSet",
    "WebhookSettings",
    "as_sent",
    "bring_guard",
    "changed_template",
    "check_name",
    "check_rules",
    "compile_condition",
    "compile_rules",
    "digest_of_parameters",
    "gather",
    "new_template",
    "open_client",
    "open_outside",
    "recorded_trace",
    "removed_template",
    "result_of",
    "value_test",
]

_HOMES = {
    "GUARD_DECISIONS": "decisions",
    "GUARD_FENCE": "guard",
    "Decided": "guard",
    "Guard": "guard",
    "Outside": "guard",
    "WebhookSettings": "webhook",
    "open_client": "webhook",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "TABLES":
            return (import_module(f"{__name__}.decisions").GUARD_DECISIONS,)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def open_outside(on: Foundation) -> Outside:
    """What guard asks beside its policies: webhooks of customers."""
    from assent_service.control.guard.guard import Outside
    from assent_service.control.guard.webhook import WebhookSettings, open_client

    secret = on.settings.webhook_secret
    hooks = WebhookSettings(
        secret=secret.encode() if secret else None, allow_private=on.settings.webhooks_to_private_addresses
    )
    outside = Outside(open_client(hooks), hooks)
    on.bring(stop=outside.client.aclose)
    return outside


def bring_guard(on: Foundation, guard: Guard) -> None:
    from assent_service.control.guard.guard import routes

    async def start() -> None:
        for org_id in on.organizations():
            await guard.follow_policies(org_id)

    on.bring(routes=routes(guard, on.ledger, on.clock), memory=guard.state, start=start)
