"""The list of policies as a table, to take away."""

from __future__ import annotations

import msgspec
import polars as pl

from assent_dashboard.views.export import Tables
from assent_dashboard.views.policies.data import Listing
from assent_dashboard.views.policies.sentences import does

TIME = pl.Datetime("us", "UTC")
COLUMNS = {
    "policy_id": pl.String(),
    "name": pl.String(),
    "does": pl.String(),
    "policy_type": pl.String(),
    "mode": pl.String(),
    "active": pl.Boolean(),
    "agent_ids": pl.List(pl.String()),
    "rules": pl.String(),
    "version": pl.Int64(),
    "created_at": TIME,
    "created_by": pl.String(),
    "updated_at": TIME,
    "updated_by": pl.String(),
}


def tables(listing: Listing) -> Tables:
    """Every policy, in guard's order; `rules` as JSON text, people by name where it is known."""
    rows = [
        (
            policy.policy_id,
            policy.name,
            does(policy.policy_type, policy.rules),
            policy.policy_type,
            policy.mode.value,
            policy.active,
            policy.agent_ids,
            msgspec.json.encode(policy.rules).decode(),
            policy.version,
            policy.created_at,
            listing.named(policy.created_by),
            policy.updated_at,
            listing.named(policy.updated_by),
        )
        for policy in listing.policies
    ]
    return {"policies": pl.DataFrame(rows, schema=COLUMNS, orient="row")}
