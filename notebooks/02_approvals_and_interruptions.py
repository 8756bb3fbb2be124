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
#
# It runs on any organization: also on an empty one, and then says what cannot be known.

# %%
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import approvals, charts, decisions, risk, sessions
from assent_analytics.bootstrap import quantile_intervals
from assent_analytics.clusters import cluster_keys, clustered_proportion
from assent_analytics.drift import newcombe
from assent_analytics.rates import wilson, wilson_band

pl.Config(tbl_rows=30, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch
#
# A workspace keeps the tables on this machine, a file for each day; opening it again fetches only what changed. It
# gives lazy Polars frames.

# %%
WINDOW = "30d"
key_file = Path("../.assent/admin.key")
key = os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip()
client = Client(api_key=key)
ws = client.workspace(window=WINDOW, tables=["actions", "decisions", "approvals"])

# Transcripts come in the last part, and what a notebook does is no agent's work.
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions, decided = ws.actions.filter(mine).collect(), ws.decisions.filter(mine).collect()
asked = approvals.with_source(ws.approvals, actions).filter(mine).collect()
made_up = asked.filter(pl.col("source") == "simulated").height
print(f"{decided.height} decisions, {asked.height} approvals asked ({made_up} of them simulated)")

# %% [markdown]
# ## 2. What it costs
#
# An interruption is an action that waits for a person.

# %%
if decided.height:
    mix = decisions.mix(decided).collect().row(0, named=True)
    waits = (decided["decision"].cast(pl.String) == "require_approval").cast(pl.Int8).to_numpy()
    keys = cluster_keys(decided, time="occurred_at")
    share = clustered_proportion(waits, keys.codes)
    interval = f"95 %: {share.low:.1%} to {share.high:.1%}" if share.low is not None else "no interval"
    days = max((decided["occurred_at"].max() - decided["occurred_at"].min()) / timedelta(days=1), 1)
    print(
        f"{mix['require_approval']} of {mix['n']} actions had to wait: {share.estimate:.1%} ({interval}; {share.clusters} "
        f"clusters: {keys.basis}), {mix['require_approval'] / days:.1f} a day."
    )
else:
    print(f"Nothing was decided in {WINDOW}: what asking costs and buys cannot be known from this.")

# %% [markdown]
# **How long do they wait?** On a log axis, because some people are at lunch.

# %%
charts.approval_latency(approvals.times_to_decide(asked), width=640) if asked.height else None

# %% [markdown]
# **How many at once?** A backlog that never empties would be a queue, not an interruption.

# %%
waiting = approvals.backlog(asked, timedelta(hours=1)).collect()
charts.approval_backlog(waiting, asked=asked.height, simulated=made_up, width=640) if asked.height else None

# %%
if asked.height:
    idle = (waiting["waiting"] == 0).mean()
    print(f"Nothing waited {idle:.0%} of the time; at most {waiting['waiting'].max()} waited at once.")
else:
    print("Nobody was asked anything, so nobody waited.")

# %% [markdown]
# **Who is interrupted?** Actions ask from a risk on, so this is where risk is. Dashed cells have few actions: their
# number may move.

# %%
charts.risk_map(risk.by_agent_and_type(actions), width=640) if actions["risk_score"].count() else None

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
    low, high = wilson(k, n) if n else (0.0, 1.0)
    print(f"{name:10} {k:4} of {n:5} failed" + (f": {k / n:.1%} (95 %: {low:.1%} to {high:.1%})" if n else ""))
if all(n for _, n in failed.values()):
    low, high = newcombe(*failed["not asked"], *failed["approved"])
    print(
        f"Difference: {low:+.1%} to {high:+.1%} (95 %). "
        + (
            "Even what people approved fails more often than what guard lets pass: it asks about the right ones."
            if low > 0
            else "This much data does not show that what guard asks about fails more often."
        )
    )
else:
    print("One of the two has no action that ended, so they cannot be compared.")
refused = asked.filter(pl.col("state").is_in(["denied", "expired", "withdrawn"])).height
print(f"{refused} actions that were stopped have no outcome: what they would have done cannot be known from this.")

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
None if by_operator.is_empty() else charts.estimates(
    by_operator.with_columns(name=pl.col("operator"), value=pl.col("share")),
    title="Share denied, by operator",
    axis="share denied",
    n=answered.height,
    what="answers",
    simulated=answered.filter(pl.col("source") == "simulated").height,
    width=560,
)

# %%
enough = by_operator.filter(pl.col("n") >= 20).sort("share")
if enough.height > 1:
    lenient, strict = enough.row(0, named=True), enough.row(-1, named=True)
    # The two that lie furthest apart were picked out of all pairs, so the interval has to hold for all pairs.
    pairs = enough.height * (enough.height - 1) // 2
    low, high = newcombe(lenient["denied"], lenient["n"], strict["denied"], strict["n"], 1 - 0.05 / pairs)
    print(
        f"{strict['operator']} denies {strict['share']:.0%}, {lenient['operator']} {lenient['share']:.0%}: "
        f"a difference of {low:+.0%} to {high:+.0%} (95 % for all pairs). "
        + (
            "The answer depends on who is asked."
            if low > 0
            else "This much data does not show that the answer depends on who is asked."
        )
    )
else:
    print("Fewer than two operators answered twenty times: whether the answer depends on who is asked cannot be known.")

# %% [markdown]
# ## 5. Real transcripts
#
# Conversations of an airline's customer-service agent (50 tasks, each tried twice), whose reward says whether the
# conversation ended right. They are imported once, if the file is there; `ASSENT_TRANSCRIPTS` says where.

# %%
TRANSCRIPTS = Path(os.environ.get("ASSENT_TRANSCRIPTS", "../../shared/data/transcripts/airline.jsonl"))
THERE = TRANSCRIPTS.is_file()
if THERE and not client.get_actions(agent_id="airline", limit=1).total:
    command = [Path(sys.executable).with_name("assent"), "import", "transcripts", TRANSCRIPTS]
    reach = {**os.environ, "ASSENT_BASE_URL": client.base_url, "ASSENT_API_KEY": key}
    subprocess.run(command, check=True, env=reach, capture_output=True)

calls = talks = pl.DataFrame()
if THERE:
    said = pl.Struct({"episode": pl.String, "reward": pl.Float64})
    calls = (
        client.frame("actions", window="60d", agent_id="airline")
        .with_columns(pl.col("metadata").str.json_decode(said).struct.unnest())
        .with_columns(trial=pl.col("episode").str.split("/").list.last(), wrong=pl.col("reward") == 0)
        .sort("timestamp_start")
    )
    print(f"{calls.height} tool calls in {calls['episode'].n_unique()} conversations")

# %% [markdown]
# Nobody was asked then. What would it cost to ask before every call that changes something, and what would it have
# stopped? The backtest decides all recorded calls again.

# %%
ASKING = {
    "name": "Ask before a change",
    "policy_type": "require_approval",
    "rules": {
        "action_types": [
            *("book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages"),
            *("update_reservation_flights", "update_reservation_passengers"),
        ]
    },
}
if THERE:
    again = client.backtest([ASKING], window="60d", agent_id="airline", include="verdicts", limit=10_000)
    stops = [each.decision_id for each in again.verdicts if each.after.value == "require_approval"]
    k, n = again.after.require_approval, again.n
    low, high = wilson(k, n)
    print(f"{k} of {n} calls would have waited: {k / n:.1%} (95 %: {low:.1%} to {high:.1%}).")
    talks = calls.group_by("episode", "wrong").agg(asked=pl.col("decision_id").is_in(stops).any()).sort("episode")

# %% [markdown]
# An interruption is worth it where the conversation was about to end wrong. So: which share of the wrong ones would
# somebody have seen, and which share of the right ones would have been interrupted?

# %%
shares = []
if THERE:
    caught = sessions.caught(talks, talks["asked"])
    for words, (k, n, low, high) in (("ended wrong", caught.wrong), ("ended right", caught.right)):
        shares.append((words, k / n, low, high, n))
charts.estimates(
    pl.DataFrame(shares, schema=["name", "value", "low", "high", "n"], orient="row"),
    title="Conversations with an interruption",
    axis="share that would have been interrupted",
    n=talks.height,
    what="conversations",
    width=560,
) if THERE else None

# %%
if THERE:
    apart, low, high = caught.difference
    print(
        f"{caught.wrong[0]} of {caught.wrong[1]} wrong conversations and {caught.right[0]} of {caught.right[1]} right "
        f"ones would have been interrupted: {apart:+.0%} (95 %: {low:+.0%} to {high:+.0%}). "
        + (
            "Asking before a change finds more wrong ones than right ones."
            if low > 0
            else "This much data does not show that asking before a change finds the wrong ones."
        )
    )
client.close()
