# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # The governance loop
#
# What do agents do here, does governance hold, and where does it wait?
#
# 1. Connect, and walk the loop once ourselves.
# 2. Fetch the tables of the last 30 days as frames.
# 3. Two pictures: how actions stand at the five checkpoints, and how long operators take.
# 4. One finding: is the risk that guard computes worth anything?

# %%
import os
from datetime import UTC, datetime
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import approvals, charts, pcaa
from assent_analytics.rates import wilson

alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Connect
#
# The address and the key come from `ASSENT_BASE_URL` and `ASSENT_API_KEY`; on the machine where `make start` runs, the
# admin key of the data folder will do.

# %%
key_file = Path("../.assent/admin.key")
client = Client(agent_id="notebook", api_key=os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip())
print(client.get_own_key().name, "at", client.base_url)

# %% [markdown]
# The loop, once: ask, act, believe, report. Everything below is made of events like these.

# %%
verdict = client.guard({"action_type": "notebook_check", "declared_goal": "See how an action becomes a row"})
action = client.create_action("notebook_check", "See how an action becomes a row", decision_id=verdict.decision_id)
client.record_assumption(assumption="The tables hold it a moment later", action_id=action.action_id)
client.update_outcome(action.action_id, "completed", output_summary="It is there")
client.frame("actions", window="1d", agent_id="notebook", columns=["action_type", "decision", "status", "risk_score"])

# %% [markdown]
# ## 2. Fetch
#
# A frame for each table. They are Polars frames; `pandas`, DuckDB and Arrow take them as they are.

# %%
WINDOW = "30d"
actions = client.frame("actions", window=WINDOW)
assumed = client.frame("assumptions", window=WINDOW)
asked = client.frame("approvals", window=WINDOW)
simulated = actions.filter(pl.col("source") == "simulated").height

print(
    f"{actions.height} actions ({simulated} of them simulated), {assumed.height} assumptions, {asked.height} approvals"
)
actions.group_by("agent_id").agg(
    pl.len().alias("actions"),
    (pl.col("status") == "failed").mean().alias("share failed"),
    pl.col("risk_score").mean().alias("mean risk"),
).sort("actions", descending=True)

# %% [markdown]
# ## 3. Two pictures
#
# **Does governance hold?** Each action meets up to five checkpoints. Grey was not asked of it; orange is evidence that is
# missing.

# %%
states = pcaa.checkpoint_states(actions, assumed, asked, now=datetime.now(UTC))
health = pcaa.health(states).collect().row(0, named=True)
charts.checkpoint_funnel(pcaa.checkpoint_counts(states), simulated=simulated, width=640)

# %% [markdown]
# The service answers with the same functions, so the same numbers:

# %%
served = client.get_pcaa_health(WINDOW)
computed = (health["checkpoint_coverage"], health["approval_rate"], health["evidence_completion"])
for name, here in zip(("checkpointCoverage", "approvalRate", "evidenceCompletion"), computed, strict=True):
    print(f"{name:20} {served[name]:6.2f}  (n = {served.n[name]})   computed here: {here:6.2f}")

# %% [markdown]
# **Where does it wait?** The time from asking to deciding, on a log axis, because some people are at lunch.

# %%
charts.approval_latency(approvals.times_to_decide(approvals.with_source(asked, actions)), width=640)

# %% [markdown]
# ## 4. One finding
#
# Guard gives every action a risk from 0 to 100. If it is worth anything, risky actions fail more often. The bars are 95 %
# Wilson intervals: what each share leaves open, given how many actions are behind it.

# %%
ended = actions.filter(pl.col("status").is_in(["completed", "failed"]))
bins = (
    ended.group_by((pl.col("risk_score") // 20 * 20).clip(0, 80).cast(pl.Int64).alias("from"))
    .agg(n=pl.len(), failed=(pl.col("status") == "failed").sum())
    .sort("from")
    .with_columns(
        risk=pl.format("{} to {}", pl.col("from"), pl.col("from") + 20),
        share=pl.col("failed") / pl.col("n"),
        interval=pl.struct("failed", "n").map_elements(
            lambda row: list(wilson(row["failed"], row["n"])), return_dtype=pl.List(pl.Float64)
        ),
    )
    .with_columns(low=pl.col("interval").list.get(0), high=pl.col("interval").list.get(1))
)
base = alt.Chart(
    bins.drop("interval"),
    title=alt.TitleParams(
        "Failures by risk",
        subtitle=f"n = {ended.height:,} ended actions" + (" · simulated" if simulated else ""),
        anchor="start",
    ),
    width=640,
    height=240,
).encode(x=alt.X("risk:N", sort=None, title="risk (0-100)", axis=alt.Axis(labelAngle=0)))
base.mark_rule(strokeWidth=3, opacity=0.4).encode(
    y=alt.Y("low:Q", title="share failed", axis=alt.Axis(format="%")), y2="high:Q"
) + base.mark_point(size=70, filled=True, opacity=1).encode(y="share:Q", tooltip=["risk", "n", "failed", "share"])

# %%
low, high = bins.row(0, named=True), bins.row(-1, named=True)
apart = high["low"] > low["high"]
print(
    f"Risk {low['risk']}: {low['share']:.1%} of {low['n']} failed (95 %: {low['low']:.1%} to {low['high']:.1%}).\n"
    f"Risk {high['risk']}: {high['share']:.1%} of {high['n']} failed (95 %: {high['low']:.1%} to {high['high']:.1%}).\n"
    + (
        "The intervals do not overlap: risk tells failures apart here."
        if apart
        else "The intervals overlap: this much data does not show that risk tells failures apart."
    )
)
