# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # What changed last week?
#
# Which numbers moved, by how much, and which types, agents, policies and tools moved them?
#
# 1. Fetch: one row for each action, and for each question that no action followed.
# 2. What is there to compare, and what has no outcome.
# 3. Each number, this week against the week before: one sentence, and what it rests on.
# 4. The largest moves, step by step.
# 5. Who is new, and who is gone.
# 6. Do ordinary weeks look like that, too?
# 7. What this cannot say.
#
# It runs on any organization: also on an empty one, whose answer is that there is nothing to say.

# %%
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import charts
from assent_analytics.drivers import METRICS, amount, changes, last

pl.Config(tbl_rows=40, tbl_cols=14, tbl_hide_dataframe_shape=True, float_precision=3, tbl_width_chars=150)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch
#
# Facts are the tables joined: decision, approval, assumptions, outcome, cost. History that was imported, rows that a
# simulator made up and live ones are not mixed: the source with most rows is compared, and the others are counted. The
# week ends now, or with the last action where that is older than a week.

# %%
WINDOW, WEEKS = "7d", 5
key_file = Path("../.assent/admin.key")
key = os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip()
client = Client(api_key=key)
everything = client.facts("90d", attempts=True).filter(pl.col("action_type") != "notebook_check").collect()
names = {each.policy_id: each.name for each in client.get_policies().policies}

sources = everything["source"].value_counts(sort=True)
source = sources["source"][0] if sources.height else "none"
facts = everything.filter(pl.col("source") == source)
week = timedelta(days=7)
latest, now = facts["occurred_at"].max(), datetime.now(UTC)
end = now if latest is None or now - week <= latest <= now else latest + timedelta(microseconds=1)
both = last(WINDOW, end)
others = ", ".join(f"{n} of {other}" for other, n in sources.iter_rows() if other != source)
print(
    f"{facts.height} rows of source {source}"
    + (f" (left out: {others})" if others else "")
    + f"; the week from {both.recent[0]:%b %-d} to {both.recent[1]:%b %-d, %H:%M} UTC, and the one before."
)

# %% [markdown]
# ## 2. What is there
#
# What was blocked, denied or expired has no outcome, and what still runs has none yet: neither success nor failure. A
# number can only move by what is not in these columns.

# %%
place = (
    pl.when(pl.col("occurred_at").is_between(*both.recent, closed="left"))
    .then(pl.lit("this week"))
    .when(pl.col("occurred_at").is_between(*both.baseline, closed="left"))
    .then(pl.lit("the week before"))
)
compared = facts.with_columns(week=place).filter(pl.col("week").is_not_null())
compared.group_by("week").agg(
    rows=pl.len(),
    actions=pl.col("action_id").count(),
    clusters=pl.col("cluster").n_unique(),
    with_outcome=pl.col("outcome").count(),
    stopped=pl.col("censored").is_in(["blocked", "denied", "expired", "withdrawn", "not_approved"]).sum(),
    open=pl.col("censored").is_in(["running", "awaiting"]).sum(),
    other=pl.col("censored").is_in(["cancelled", "not_begun"]).sum(),
).sort("week", descending=True)

# %%
basis = compared["cluster_basis"].value_counts(sort=True)
clustered = ", ".join(f"{n} by {word}" for word, n in basis.iter_rows()) or "none"
print(f"Rows of one cluster count as one observation where they are alike: {clustered}.")

# %% [markdown]
# ## 3. Each number
#
# The difference is taken apart by Kitagawa's formula: more or less of a group (`mix`), and a group that went otherwise
# (`rate`). Intervals respect clusters. Of all groups that are named over all numbers together, 5 % are expected to be
# false.

# %%
found = {each.metric: each for each in changes(facts, both=both, names=names)}
pl.DataFrame(
    [
        {
            "number": metric,
            "n before": each.n[0],
            "n": each.n[1],
            "before": each.before,
            "after": each.after,
            "change": each.change.estimate,
            "low": each.change.low,
            "high": each.change.high,
            "drivers": int(each.table["driver"].sum()),
            "status": each.change.status,
        }
        for metric, each in found.items()
    ],
    schema_overrides=dict.fromkeys(("before", "after", "change", "low", "high"), pl.Float64),
)

# %%
for each in found.values():
    print(each.sentence)
    print("   ", " ".join(each.notes))

# %% [markdown]
# ## 4. Step by step
#
# The two numbers with most drivers, else those with the clearest change. A pale step is one that chance can explain.

# %%
drawable = [each for each in found.values() if each.table.height and None not in (each.before, each.after)]


def clearness(each):
    error = each.change.standard_error
    return (each.table["driver"].sum(), abs(each.change.estimate) / error if error else 0.0)


first, second, *_ = [*sorted(drawable, key=clearness, reverse=True), None, None]
charts.waterfall(first, width=640) if first else None

# %%
charts.waterfall(second, width=640) if second else None

# %% [markdown]
# The drivers of all numbers, the surest first:

# %%
drivers = pl.concat([each.table.with_columns(number=pl.lit(metric)) for metric, each in found.items()])
shown = ("number", "by", "name", "part", "n_before", "n_after", "clusters", "effect", "low", "high", "p_adjusted")
drivers.filter(pl.col("driver")).sort("p_adjusted").select(shown)

# %% [markdown]
# ## 5. New and gone
#
# What only one of the two weeks has. Of few rows that means little.

# %%
BY = ("action_type", "agent_id", "tool")
weekly = [
    compared.filter(pl.col(by).is_not_null())
    .group_by(pl.lit(by).alias("by"), pl.col(by).alias("name"))
    .agg(
        before=(pl.col("week") == "the week before").sum(),
        this_week=(pl.col("week") == "this week").sum(),
        clusters=pl.col("cluster").n_unique(),
    )
    .filter((pl.col("before") == 0) | (pl.col("this_week") == 0))
    for by in BY
]
apart = pl.concat(weekly).sort(pl.max_horizontal("before", "this_week"), descending=True)
new, gone = apart.filter(pl.col("before") == 0), apart.filter(pl.col("this_week") == 0)
print(f"{new.height} new, {gone.height} gone." if compared.height else "No rows in either week.")
apart.head(20)

# %% [markdown]
# ## 6. Ordinary weeks
#
# The same comparison of earlier weeks. Where these have drivers as well, weeks differ here anyway, and one more week
# with drivers is no news.

# %%
earlier = []
for back in range(1, WEEKS):
    at = last(WINDOW, end - back * week)
    # What begins before the first row is no whole week.
    if facts.height and at.baseline[0] >= facts["occurred_at"].min():
        tables = [each.table for each in changes(facts, both=at, names=names)]
        earlier.append((f"{at.recent[0]:%b %-d}", sum(int(table["driver"].sum()) for table in tables)))
this = int(drivers["driver"].sum())
told = ", ".join(f"{n} in the week of {day}" for day, n in earlier) or "no earlier week is whole"
print(f"Drivers this week: {this}. Before: {told}.")

# %% [markdown]
# ## 7. What this cannot say

# %%
cannot = ["Why: a driver says where a number moved. What changed it is found in what was changed that week."]
if not compared.height:
    cannot.append("Anything: there are no rows in these two weeks.")
for metric, each in found.items():
    words = METRICS[metric].rows
    if None in (each.before, each.after):
        cannot.append(f"{metric}: a week has no {words}.")
    elif each.change.status != "ok":
        cannot.append(f"{metric}: {min(each.n)} {words} in the smaller week ({each.change.status}).")
    elif not each.table["p_value"].count():
        cannot.append(f"{metric}: no group has enough clusters to be tested.")
open_rows = compared.filter(pl.col("censored").is_in(["running", "awaiting"]))["week"].value_counts()
if open_rows.height:
    counts = ", ".join(f"{n} of {name}" for name, n in open_rows.sort("week").iter_rows())
    cannot.append(f"How what is open will end: {counts}. Failures that take long are missing in the younger week.")
stopped = compared.filter(pl.col("censored").is_in(["blocked", "denied", "expired"])).height
if stopped:
    cannot.append(f"What the {stopped} rows that were stopped would have come to.")
for metric, each in found.items():
    if each.unit == "share" and each.change.status == "ok":
        half = (each.change.high - each.change.low) / 2
        cannot.append(f"{metric}: changes below about {amount(half, 'share', signed=True)[1:]}, with so few clusters.")
cannot.append("Days that were bad for everybody: they move all groups alike.")
for line in cannot:
    print("-", line)
client.close()
