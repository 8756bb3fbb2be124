"""Webhooks: addresses that are told what was recorded; and notices, which tell people."""

from __future__ import annotations

import ssl
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from assent_service.base.clock import Clock
from assent_service.base.pace import MakeThrottle
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks
from assent_service.exchange.webhooks.dispatcher import Dispatcher
from assent_service.exchange.webhooks.erased_replies import ErasedReplies
from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.notices import Links, Notices, Waiting
from assent_service.exchange.webhooks.rows import WEBHOOK_DELIVERIES, WEBHOOKS
from assent_service.exchange.webhooks.sender import TIMEOUT, Sender
from assent_service.exchange.webhooks.state import WebhookState
from assent_service.exchange.webhooks.webhooks import Webhooks, routes
from assent_service.store.ledger import Ledger

__all__ = ["WEBHOOKS", "WEBHOOK_DELIVERIES", "OpenWebhooks", "Webhooks", "bring_webhooks", "open_webhooks"]


class OpenWebhooks(NamedTuple):
    """`dispatcher` sends from its `start` to its `stop`."""

    webhooks: Webhooks
    dispatcher: Dispatcher
    state: WebhookState
    erased_replies: ErasedReplies

    async def start(self) -> None:
        self.dispatcher.start()


def open_webhooks(
    ledger: Ledger,
    clock: Clock,
    locks: EntityLocks,
    home: Path,
    *,
    allow_private: bool,
    make_throttle: MakeThrottle,
    verify: ssl.SSLContext | None = None,
    timeout: float = TIMEOUT,
    state: WebhookState | None = None,
    wallet_key: str | None = None,
    waiting: Waiting = MappingProxyType({}),
    dashboard_url: str = "",
) -> OpenWebhooks:
    """`home` is the data folder, where the key that secrets are derived from lies; it is derived from `wallet_key`
    where that is given. `waiting` has the requests that wait, and links of notices begin with `dashboard_url`.
    `verify`, `timeout` (in seconds) and a `state` that is loaded already are for tests."""
    state = state or WebhookState()
    keys = Keyring(home, wallet_key)
    sender = Sender(keys, clock, allow_private=allow_private, verify=verify, timeout=timeout)
    links = Links(keys, dashboard_url)
    dispatcher = Dispatcher(ledger, clock, locks, state, sender, Notices(links, waiting), make_throttle)
    webhooks = Webhooks(ledger, clock, locks, state, keys, sender, dispatcher, links, allow_private=allow_private)
    return OpenWebhooks(webhooks, dispatcher, state, ErasedReplies(ledger, clock, locks, state))


TABLES = (WEBHOOKS, WEBHOOK_DELIVERIES)


def bring_webhooks(on: Foundation, waiting: Waiting) -> OpenWebhooks:
    hooks = open_webhooks(
        on.ledger,
        on.clock,
        on.locks,
        on.home,
        allow_private=on.settings.webhooks_to_private_addresses,
        make_throttle=on.pace,
        wallet_key=None if on.ledger.shared is None else on.settings.wallet_key,
        waiting=waiting,
        dashboard_url=on.settings.dashboard_url,
    )
    on.bring(routes=routes(hooks.webhooks), memory=hooks.state, start=hooks.start, stop=hooks.dispatcher.stop)
    return hooks
