"""What the page asks the service for, and its rows as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import polars as pl

from assent.contract.pcaa_gaps import PcaaGaps, PcaaGroup
from assent_dashboard.sessions import Session
from assent_dashboard.views.export import Tables
from assent_dashboard.views.pcaa.words import NUMBERS
from assent_dashboard.views.scope import Scope


def load(session: Session, scope: Scope) -> PcaaGaps:
    return session.client.get_pcaa_gaps(scope.window, scope.agent_id, scope.action_type)


def groups_of(gaps: PcaaGaps) -> Mapping[str, Sequence[PcaaGroup]]:
    """By what they can be told by."""
    return {"Agent": gaps.by_agent, "Type": gaps.by_type, "Runtime": gaps.by_runtime}


def tables(gaps: PcaaGaps) -> Tables:
    return {
        "checkpoints": pl.DataFrame([msgspec.to_builtins(each) for each in gaps.checkpoints]),
        "missing": pl.DataFrame([msgspec.to_builtins(each) for each in gaps.gaps]),
        "by_agent": table(gaps.by_agent),
        "by_type": table(gaps.by_type),
        "by_runtime": table(gaps.by_runtime),
    }


def table(groups: Sequence[PcaaGroup]) -> pl.DataFrame:
    """One row for each group; each number with the ends of its interval."""
    return pl.DataFrame(
        [
            {"name": group.name, "n": group.n, "incomplete": group.incomplete, "simulated": group.simulated}
            | {
                f"{name}{ending}": value
                for name, _, _ in NUMBERS
                for ending, value in _ends(getattr(group, name)).items()
            }
            for group in groups
        ],
        infer_schema_length=None,
    )


def _ends(estimate: msgspec.Struct) -> dict[str, object]:
    ends = msgspec.structs.asdict(estimate)
    return {"": ends["value"], "_low": ends["low"], "_high": ends["high"]}
