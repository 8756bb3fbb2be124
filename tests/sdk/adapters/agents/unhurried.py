"""Imported before Assent: observing a call may take as long as a busy machine makes it, since what is tested here is
what was observed."""

from __future__ import annotations

import assent.breaker

assent.breaker.OBSERVE_SECONDS = 30.0
