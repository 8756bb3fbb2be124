"""Ids of what is computed when it is asked for: the same row has the same id, whoever asks and however often."""

from __future__ import annotations

from hashlib import sha256

_LENGTH = 24


def name(prefix: str, *parts: str) -> str:
    """`prefix` and 24 hex digits of SHA-256 over the parts, which cannot run into each other."""
    said = "".join(f"{len(part)}:{part}" for part in parts)
    return prefix + sha256(said.encode()).hexdigest()[:_LENGTH]


def recommendation_id(org_id: str, agent_id: str, action_type: str) -> str:
    return name("rec_", org_id, agent_id, action_type)
