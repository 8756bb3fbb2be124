"""What an operation may ask of the world: time, chance and fresh names. Tests hand in their own."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from random import SystemRandom

from msgspec import Struct


def _new_key() -> str:
    return str(uuid.uuid4())


def _today() -> datetime:
    return datetime.now(UTC)


class Ambient(Struct, frozen=True, kw_only=True):
    """`clock` counts seconds and never goes back; `today` is the wall's time; `chance` is in [0, 1)."""

    clock: Callable[[], float] = time.monotonic
    today: Callable[[], datetime] = _today
    chance: Callable[[], float] = SystemRandom().random
    new_key: Callable[[], str] = _new_key
