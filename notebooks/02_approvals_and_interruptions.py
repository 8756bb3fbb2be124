# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Approvals and interruptions
#
# What does asking people cost here, and what does it buy?
#
# 1. Fetch the tables into a workspace on this machine.
# 2. What it costs: interruptions a day, time to decide, approvals waiting.
# 3. What it buys: do people say no, and to what?
# 4. Who is asked: does the answer depend on the operator?
# 5. The same on real transcripts, if they are there.

# %%
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import approvals, charts, decisions, risk
from assent_analytics.bootstrap import quantile_intervals
from assent_analytics.rates import wilson, wilson_band

pl.Config(tbl_rows=30, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch
#
# A workspace keeps the tables on this machine, a file for each day; opening it again fetches only what changed. It gives
# lazy Polars frames.

# %%
WINDOW = "30d"
key_file = Path("../.assent/admin.key")
client = Client(api_key=os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip())
ws = client.workspace(window=WINDOW, tables=["actions", "decisions", "approvals"])

MINE = pl.col("source") != "import"  # transcripts come in the last part
actions = ws.actions.filter(MINE).collect()
decided = ws.decisions.filter(MINE).collect()
asked = approvals.with_source(ws.approvals, actions).filter(MINE).collect()
made_up = asked.filter(pl.col("source") == "simulated").height
print(f"{decided.height} decisions, {asked.height} approvals asked ({made_up} of them simulated)")

# %% [markdown]
# ## 2. What it costs
#
# An interruption is an action that waits for a person.

# %%
mix = decisions.mix(decided).collect().row(0, named=True)
share, (low, high) = mix["require_approval"] / mix["n"], wilson(mix["require_approval"], mix["n"])
days = (decided["occurred_at"].max() - decided["occurred_at"].min()) / timedelta(days=1)
print(
    f"{mix['require_approval']} of {mix['n']} actions had to wait: {share:.1%} (95 %: {low:.1%} to {high:.1%}), "
    f"{mix['require_approval'] / days:.1f} a day."
)

# %% [markdown]
# **How long do they wait?** On a log axis, because some people are at lunch.

# %%
charts.approval_latency(approvals.times_to_decide(asked), width=640)

# %% [markdown]
# **How many at once?** A backlog that never empties would be a queue, not an interruption.

# %%
waiting = approvals.backlog(asked, timedelta(hours=1)).collect()
charts.approval_backlog(waiting, asked=asked.height, simulated=made_up, width=640)

# %%
idle = (waiting["waiting"] == 0).mean()
print(f"Nothing waited {idle:.0%} of the time; at most {waiting['waiting'].max()} waited at once.")

# %% [markdown]
# **Who is interrupted?** Actions ask from a risk on, so this is where risk is. Dashed cells have few actions: their
# number may move.

# %%
charts.risk_map(risk.by_agent_and_type(actions), width=640)

# %% [markdown]
# ## 3. What it buys
#
# An approval that is always given buys nothing but time. For each action type: how many were asked, and which share was
# denied, with its 95 % Wilson interval.

# %%
answered = asked.filter(pl.col("state").is_in(["approved", "denied"]))


def denials(by):
    counts = answered.group_by(by).agg(n=pl.len(), denied=(pl.col("state") == "denied").sum())
    low, high = wilson_band(pl.col("denied"), pl.col("n"))
    return counts.with_columns(share=pl.col("denied") / pl.col("n"), low=low, high=high).sort("n", descending=True)


by_type = denials("action_type")
by_type

# %% [markdown]
# And what became of the actions that were approved, beside those that nobody was asked about?

# %%
ended = actions.filter(pl.col("status").is_in(["completed", "failed"]))
failed = {}
for name, verdicts in {"approved": ["require_approval"], "not asked": ["allow", "warn"]}.items():
    of = ended.filter(pl.col("decision").is_in(verdicts))
    failed[name] = (of.filter(pl.col("status") == "failed").height, of.height)
    k, n = failed[name]
    low, high = wilson(k, n)
    print(f"{name:10} {k:4} of {n:5} failed: {k / max(n, 1):.1%} (95 %: {low:.1%} to {high:.1%})")
riskier = wilson(*failed["approved"])[0] > wilson(*failed["not asked"])[1]
print(
    "Even what people approved fails more often than what guard lets pass: it asks about the right ones."
    if riskier
    else "This much data does not show that what guard asks about fails more often."
)

# %% [markdown]
# ## 4. Who is asked
#
# If the answer depends on who is asked, a policy has to say who.

# %%
by_operator = denials("decided_by").rename({"decided_by": "operator"})
times = approvals.times_to_decide(answered).collect()
waits = {name: times.filter(pl.col("decided_by") == name)["seconds"] for name in by_operator["operator"]}
middle = {name: quantile_intervals(seconds, [0.5])[0] for name, seconds in waits.items()}
by_operator.with_columns(
    p50_minutes=pl.Series([middle[name].estimate / 60 for name in waits]),
    p50_low=pl.Series([middle[name].low / 60 if middle[name].low else None for name in waits]),
    p50_high=pl.Series([middle[name].high / 60 if middle[name].high else None for name in waits]),
)

# %%
base = alt.Chart(
    by_operator,
    title=alt.TitleParams(
        "Share denied, by operator",
        subtitle=f"n = {answered.height:,} answers · 95 % intervals" + (" · simulated" if made_up else ""),
        anchor="start",
    ),
    width=560,
    height=130,
).encode(y=alt.Y("operator:N", sort="-x", title=None))
base.mark_rule(strokeWidth=3, opacity=0.45).encode(
    x=alt.X("low:Q", title="share denied", axis=alt.Axis(format="%")), x2="high:Q"
) + base.mark_point(size=70, filled=True, opacity=1).encode(x="share:Q", tooltip=["operator", "n", "denied", "share"])

# %%
enough = by_operator.filter(pl.col("n") >= 20)
strict, lenient = enough.sort("share").row(-1, named=True), enough.sort("share").row(0, named=True)
print(
    f"{strict['operator']} denies {strict['share']:.0%} ({strict['low']:.0%} to {strict['high']:.0%}), "
    f"{lenient['operator']} {lenient['share']:.0%} ({lenient['low']:.0%} to {lenient['high']:.0%}): "
    + (
        "the answer depends on who is asked."
        if strict["low"] > lenient["high"]
        else "the intervals overlap, so this much data does not show that the answer depends on who is asked."
    )
)
