"""Webhooks put together: who registers them, and who takes events to them."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NamedTuple

from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.store.ledger import Ledger
from assent_service.webhooks.courier import Courier, MakeRests
from assent_service.webhooks.echoes import Echoes
from assent_service.webhooks.keyring import Keyring
from assent_service.webhooks.sender import TIMEOUT, Sender
from assent_service.webhooks.state import WebhookState
from assent_service.webhooks.webhooks import Webhooks


class OpenWebhooks(NamedTuple):
    """`courier` sends from its `start` to its `stop`."""

    webhooks: Webhooks
    courier: Courier
    state: WebhookState
    echoes: Echoes

    async def start(self) -> None:
        self.courier.start()


def open_webhooks(
    ledger: Ledger,
    clock: Clock,
    locks: EntityLocks,
    home: Path,
    *,
    allow_private: bool,
    make_rests: MakeRests,
    verify: ssl.SSLContext | None = None,
    timeout: float = TIMEOUT,
    state: WebhookState | None = None,
) -> OpenWebhooks:
    """`home` is the data folder, where the key that secrets are derived from lies. `verify`, `timeout` (in seconds)
    and a `state` that is loaded already are for tests."""
    state = state or WebhookState()
    keys = Keyring(home)
    sender = Sender(keys, clock, allow_private=allow_private, verify=verify, timeout=timeout)
    courier = Courier(ledger, clock, locks, state, sender, make_rests)
    webhooks = Webhooks(ledger, clock, locks, state, keys, sender, courier, allow_private=allow_private)
    return OpenWebhooks(webhooks, courier, state, Echoes(ledger, clock, locks, state))
