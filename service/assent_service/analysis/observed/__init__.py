"""Which decisions observing policies would have made stricter, and what they leave alone that enforcing asks about."""

from __future__ import annotations

from assent_service.analysis.observed.observed import ObservedCalls, open_observed

__all__ = ["ObservedCalls", "open_observed"]
