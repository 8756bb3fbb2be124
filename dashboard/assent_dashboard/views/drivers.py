"""The page What moved: which types, agents, policies and tools moved a number, by their mix and by their rates.

The window is compared with as long a one before it. Every number is that of `assent_analytics.drivers`: the sentence
first, then the picture with what it rests on, then each group with its interval.

Keys, besides those of the frame: `drivers_metric` and `drivers_by` choose, `drivers_sentence` is what it comes to,
`drivers_waterfall` the picture, `drivers_basis` what it rests on, `drivers_rows` the table.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from assent.contract.window import LONGEST_DAYS
from assent_analytics.charts import waterfall
from assent_analytics.drivers import BY, METRICS, SCHEMA, Drivers, amount
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DriversAddress, PoliciesAddress, in_words
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.controls import choose
from assent_dashboard.views.export import Tables
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.links import to_page

LONGEST = LONGEST_DAYS // 2
"""Days: as many more lie before them."""
NAMES = {
    "block_rate": "Blocked",
    "approval_rate": "Asked about",
    "denial_rate": "Denied",
    "failure_rate": "Failed",
    "risk_score": "Risk",
    "cost_estimate": "Cost",
    "duration_ms": "Duration",
    "waited_seconds": "Wait for an answer",
}
UNTESTED = {
    "few_clusters": "too few clusters to test",
    "one_window": "in one of the windows only: all of it is mix",
    "insufficient_data": "a window is one cluster: nobody can tell",
    "other_days": "other days or hours of the week: not tested",
    "no_variation": "alike in all clusters: nothing to test",
    "ok": "not tested",
}
READ = (
    "Mix is that there was more or less of a group, rate that it went otherwise. Types, agents, policies and tools "
    "each take the whole difference apart, so theirs do not add up. Of all that is called a driver 5 % at most are "
    "expected to be chance. A driver says where a number moved, not why: what a change of rules moved stands below the "
    "policies."
)


def load(session: Session, address: DriversAddress) -> Drivers | None:
    """None where the window leaves no room for as long a one before it."""
    if address.days > LONGEST:
        return None
    return session.client.drivers(
        address.metric, address.window, agent_id=address.agent_id, action_type=address.action_type
    )


def tables(found: Drivers | None) -> Tables:
    return {"drivers": pl.DataFrame(schema=SCHEMA) if found is None else found.table}


def controls(address: DriversAddress) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        choose(address, "metric", "Number", METRICS, nothing="Failed", spoken=NAMES.__getitem__)
        choose(address, "by", "Taken apart by", BY, nothing="What moved it most", spoken=BY.__getitem__)


def draw(session: Session, address: DriversAddress, found: Drivers | None) -> None:
    if found is None:
        empty(
            f"A window of {address.days} days leaves none before it to compare with.",
            f"Choose one of {LONGEST} days at most: it is compared with as long a one before it.",
            key="drivers_too_long",
        )
        return
    if not any(found.n):
        empty(
            f"Nothing to compare: no {METRICS[found.metric].rows} in {in_words(address.window)} and as long before.",
            "Choose a longer window, fewer filters or another number. What agents report as the outcome of an action "
            "makes failures, costs and durations; what guard is asked makes the rest.",
            'print(client.drivers("failure_rate", "7d").sentence)',
            key="drivers_empty",
        )
        return
    with st.container(key="drivers_sentence"):
        st.markdown(f"**{words.plain(found.sentence)}**")
    shown = groups(found, address.by)
    if shown.is_empty():
        st.caption(nothing_apart(found, address.by))
    else:
        picture(waterfall(found, address.by), words.clean(found.sentence), key="drivers_waterfall")
    with st.container(key="drivers_basis"):
        st.caption(words.plain(basis_in_words(found)))
        if found.simulated:
            st.caption(":violet-badge[simulated] A simulator made rows of these; they never happened.")
    if shown.is_empty():
        return
    st.dataframe(
        table(found, shown),
        hide_index=True,
        key="drivers_rows",
        alt=f"{words.several(shown.height, 'effect')}: the group, its mix or its rate, before and after, what it moved "
        "with its interval, in how many clusters, and whether chance can explain it",
    )
    st.caption(READ)
    to_page(PoliciesAddress, "What changes of rules moved", icon=":material/gavel:")


def groups(found: Drivers, by: str | None) -> pl.DataFrame:
    """The effects of groups, those of one column where one is chosen; the largest first."""
    named = found.table.filter(pl.col("name").is_not_null())
    return named if by is None else named.filter(pl.col("by") == by)


def nothing_apart(found: Drivers, by: str | None) -> str:
    """Why there is no group to look at."""
    if not all(found.n):
        return "With nothing in one of the windows, nothing can be taken apart."
    what = "type, one agent, one set of policies and one tool" if by is None else BY[by]
    return f"All rows are of one {what}, so there is nothing to take apart."


def basis_in_words(found: Drivers) -> str:
    """n, clusters and what they are, the effective n, and the two windows."""
    change, both = found.change, found.windows
    notes = list(found.notes)
    if change.design_effect is not None:
        notes.insert(1, f"They are worth {change.n_effective:,.0f} independent ones.")
    before, after = (" to ".join(words.moment(end) for end in window) for window in (both.baseline, both.recent))
    return " ".join([*notes, f"Before: {before}. After: {after}."])


def table(found: Drivers, effects: pl.DataFrame) -> pl.DataFrame:
    """The effects for people, with the units of the metric."""
    return pl.DataFrame([_row(found, row) for row in effects.iter_rows(named=True)])


def _row(found: Drivers, row: dict[str, Any]) -> dict[str, Any]:
    before, after = _levels(found, row)
    low, high = (
        words.NOTHING if row[end] is None else amount(row[end], found.unit, signed=True) for end in ("low", "high")
    )
    return {
        "By": BY.get(row["by"], row["by"]),
        "Group": words.clean(row["name"]),
        "Part": row["part"],
        "Before": before,
        "After": after,
        "Moved it by": amount(row["effect"], found.unit, signed=True),
        "95 % from": low,
        "to": high,
        "n before": row["n_before"],
        "n after": row["n_after"],
        "Clusters": row["clusters"],
        "p, adjusted": row["p_adjusted"],
        "So": so(row),
    }


def _levels(found: Drivers, row: dict[str, Any]) -> list[str]:
    """Its share of all rows for the mix, its own mean for the rate."""
    if row["part"] == "mix":
        return [words.percent(100 * row[name]) for name in ("share_before", "share_after")]
    means = (row[name] for name in ("mean_before", "mean_after"))
    return [words.NOTHING if mean is None else amount(mean, found.unit) for mean in means]


def so(row: dict[str, Any]) -> str:
    """What follows from one effect."""
    if row["driver"]:
        return "a driver"
    return UNTESTED[row["status"]] if row["p_value"] is None else "chance can explain it"


show = scoped_page(
    DriversAddress,
    "What moved",
    load=load,
    draw=draw,
    tables=tables,
    question=lambda address: address.metric,
    above=controls,
)
