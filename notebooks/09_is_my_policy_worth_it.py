# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Is my policy worth its interruptions?
#
# A policy that asks costs people's minutes. What does it buy, and what can these data not say?
#
# 1. Fetch, and choose the policy that asks most.
# 2. What it costs: interruptions and minutes of waiting.
# 3. What it changed: how often people said no.
# 4. What that may be worth: bounds, because nobody knows what the denied actions would have done.
# 5. Before and after: what moved when the policy came, or changed.
# 6. The answer.
# 7. The same on real transcripts, if they are there.

# %%
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import approvals, charts
from assent_analytics.before_after import outcome_bounds
from assent_analytics.clusters import cluster_keys, clustered_mean, clustered_proportion

pl.Config(tbl_rows=30, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2, fmt_str_lengths=60)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch
#
# `POLICY` is the id of the policy in question; without one, that which asked most in the window.

# %%
WINDOW, POLICY = "30d", os.environ.get("ASSENT_POLICY")
key = os.environ.get("ASSENT_API_KEY") or Path("../.assent/admin.key").read_text().strip()
client = Client(api_key=key)
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions = client.frame("actions", WINDOW).filter(mine)
asked_all = approvals.with_source(client.frame("approvals", WINDOW), actions).filter(mine).collect()
policies = client.get_policies().policies
names = {each.policy_id: each.name for each in policies}
asking = [
    each.policy_id
    for each in policies
    if "require_approval" in (each.policy_type, each.rules.get("action")) and each.mode.value == "enforce"
]
listed = asked_all.with_columns(policy_id=pl.col("matched_policies").str.json_decode(pl.List(pl.String))).explode(
    "policy_id", empty_as_null=False
)
by_policy = (
    listed.filter(pl.col("policy_id").is_in(asking))
    .group_by("policy_id")
    .len("asked")
    .sort("asked", "policy_id", descending=[True, False])
)
policy_id = POLICY or (by_policy["policy_id"][0] if by_policy.height else None)
name = names.get(policy_id, policy_id)
asked = listed.filter(pl.col("policy_id") == policy_id) if policy_id else listed.head(0)
made_up = asked.filter(pl.col("source") == "simulated").height
ENOUGH = asked.height > 0
print(
    f"{actions.height} actions, {asked_all.height} approvals asked in {WINDOW} ({by_policy.height} of today's policies asked)"
)
print(
    f"The policy: {name}. It asked {asked.height} times ({made_up} of them simulated)."
    if ENOUGH
    else "None of today's policies asked anybody here, so nothing was interrupted, and nothing can be said of what asking is worth."
)

# %% [markdown]
# ## 2. What it costs
#
# The agent waits from asking to the answer. A request that expired or was taken back has no answer: how long it stood
# says how long requests may stand, and not what an answer takes, so those are counted apart. Waits within a session go
# together, so the interval counts sessions (`clusters` says what a cluster is where there is none).

# %%
minutes_total, per_ask = 0.0, None
if ENOUGH:
    with_session = (
        asked.join(actions.select(pl.col("action_id").cast(pl.String), "session_id"), on="action_id", how="left")
        .with_columns(
            stood=(pl.col("decided_at") - pl.col("requested_at")).dt.total_seconds(fractional=True) / 60,
            state=pl.col("state").cast(pl.String),
        )
        .with_columns(minutes=pl.when(pl.col("state").is_in(["approved", "denied"])).then("stood"))
    )
    keys = cluster_keys(with_session, time="requested_at")
    waited = with_session["minutes"].to_numpy()
    per_ask = clustered_mean(waited, keys.codes)
    minutes_total = with_session["minutes"].sum()
    days = max((asked["requested_at"].max() - asked["requested_at"].min()) / timedelta(days=1), 1.0)
    still = with_session["stood"].null_count()
    over = with_session.filter(pl.col("state").is_in(["expired", "withdrawn"]))
    print(f"{asked.height} interruptions, {asked.height / days:.1f} a day, {minutes_total:.0f} minutes of waiting.")
    interval = (
        f"95 %: {max(per_ask.low, 0):.1f} to {per_ask.high:.1f}"
        if per_ask.low is not None
        else f"no interval: {per_ask.clusters} clusters"
    )
    print(
        f"A wait takes {per_ask.estimate or 0:.1f} minutes on average ({interval}; n {per_ask.n} in {per_ask.clusters} "
        f"clusters: {keys.basis}). {over.height} expired or were taken back after {over['stood'].sum():.0f} minutes together; "
        f"{still} still wait."
    )

# %%
charts.approval_latency(approvals.times_to_decide(asked), width=640) if ENOUGH and per_ask.n else None

# %% [markdown]
# ## 3. What it changed
#
# Asking changes an action only where a person says no, or does not answer in time. If nobody ever does, it costs
# minutes and buys nothing but the chance to say no.

# %%
shares, no = [], None
answered = denied = unanswered = 0
if ENOUGH:
    replies = with_session.filter(pl.col("state").is_in(["approved", "denied"]))
    answered, denied = replies.height, replies.filter(pl.col("state") == "denied").height
    unanswered = with_session.filter(pl.col("state") == "expired").height
    if answered:
        no = clustered_proportion(
            (replies["state"] == "denied").cast(pl.Int8).to_numpy(), cluster_keys(replies, time="requested_at").codes
        )
        interval = f"95 %: {no.low:.1%} to {no.high:.1%}" if no.low is not None else "no interval: one cluster"
        print(f"{denied} of {answered} answers were no: {denied / answered:.1%} ({interval}; {no.clusters} clusters).")
    print(f"{unanswered} requests expired without an answer, which stopped the action too.")
    for kind, of in replies.group_by("action_type", maintain_order=True):
        each = clustered_proportion(
            (of["state"] == "denied").cast(pl.Int8).to_numpy(), cluster_keys(of, time="requested_at").codes
        )
        if each.low is not None:
            shares.append((str(kind[0]), each.estimate, each.low, each.high, each.n))
charts.estimates(
    pl.DataFrame(shares, schema=["name", "value", "low", "high", "n"], orient="row"),
    title="Share denied, by action type",
    axis="share denied",
    n=answered,
    what="answers",
    simulated=made_up,
    width=560,
) if shares else None

# %% [markdown]
# ## 4. What that may be worth
#
# What was denied or expired never ran: it has no outcome. It may all have been good work, or all have failed. Between
# these two lies the number of failures that asking has stopped, and more of the same data makes the band no narrower.

# %%
stopped = denied + unanswered
if ENOUGH:
    outcomes = asked.select("action_id").join(
        actions.select(pl.col("action_id").cast(pl.String), pl.col("status").cast(pl.String)),
        on="action_id",
        how="left",
    )["status"]
    known = outcomes.replace_strict({"completed": 0.0, "failed": 1.0}, default=None, return_dtype=pl.Float64)
    band = outcome_bounds(known)
    ran = known.drop_nulls()
    print(
        f"Of {band.n} actions that it asked about {ran.len()} ran to an end, {int(ran.sum())} of them failed. "
        f"{band.unknown} have no outcome."
    )
    print(f"Had all run, between {band.low:.1%} and {band.high:.1%} would have failed.")
    print(f"So asking has stopped between 0 and {stopped} failures.")
    if stopped:
        print(
            f"At best it costs {minutes_total / stopped:.0f} minutes of waiting for each failure that it stops. Where a "
            "failure costs less than that, the policy is not worth it whatever the denied actions would have done."
        )
    else:
        print("Nobody said no in this time: the waiting bought no stopped action at all.")

# %% [markdown]
# ## 5. Before and after
#
# The service compares decisions before and after a change of the policy, standardised on season and on who did what,
# with what the change could not reach as controls where there is any, and tries earlier dates as placebos.

# %%
moved, change = None, None
if policy_id:
    history = client.get_rule_changes(id=policy_id).changes
    change = history[0] if history else None
if change is None:
    print("No change of this policy is on record, so there is no before and after.")
else:
    moved = client.before_after(change.change_id, window="28d")
    print(f"{change.kind.value} {change.name}, {change.what.value} on {change.at:%Y-%m-%d} by {change.by_name}:")
    print(f"it reaches {moved.reach}; {moved.n} decisions within 28 days on both sides.")
    for each in moved.measures:
        print("-", each.sentence)
    for other in moved.others:
        print("  in the same time:", other)

# %%
seen = [each for each in moved.measures if each.unit == "share" and each.low is not None] if moved else []
charts.estimates(
    pl.DataFrame(
        [(each.measure.value, each.estimate, each.low, each.high) for each in seen],
        schema=["name", "value", "low", "high"],
        orient="row",
    ),
    title="What moved with the change",
    axis="difference of shares",
    n=moved.n,
    what="decisions",
    reference=0.0,
    simulated=moved.simulated,
    width=560,
) if seen else None

# %% [markdown]
# ## 6. The answer

# %%
if not ENOUGH:
    print("It cannot be known: nothing was asked.")
else:
    failures = next((each for each in moved.measures if each.measure.value == "failed"), None) if moved else None
    told = failures is not None and failures.low is not None
    print(f"Cost: {minutes_total:.0f} minutes of agents waiting, {asked.height} interruptions of people.")
    print(f"Bought: {stopped} stopped actions, of which between 0 and {stopped} would have failed.")
    if told:
        print(
            f"Failures moved by {100 * failures.low:+.1f} to {100 * failures.high:+.1f} points with its last change"
            + (", but earlier dates move as well." if failures.placebo.value == "failed" else ".")
        )
    else:
        print("Whether failures became fewer cannot be known from these data: there is no before and after.")
    print("What cannot be said from this: what denied actions would have done, and what people's time is worth to you.")

# %% [markdown]
# ## 7. Real transcripts
#
# An airline's agent, imported once if the file is there; `ASSENT_TRANSCRIPTS` says where. Nobody was asked then, so
# the question is what asking would have cost, and what is known of what it would have stopped.

# %%
TRANSCRIPTS = Path(os.environ.get("ASSENT_TRANSCRIPTS", "../../shared/data/transcripts/airline.jsonl"))
THERE = TRANSCRIPTS.is_file()
if THERE and not client.get_actions(agent_id="airline", limit=1).total:
    command = [Path(sys.executable).with_name("assent"), "import", "transcripts", TRANSCRIPTS]
    reach = {**os.environ, "ASSENT_BASE_URL": client.base_url, "ASSENT_API_KEY": key}
    subprocess.run(command, check=True, env=reach, capture_output=True)
if THERE:
    kinds = client.frame("actions", "60d", agent_id="airline")["action_type"].cast(pl.String).value_counts(sort=True)
    changing = [each for each in kinds["action_type"] if each.split("_")[0] in {"book", "cancel", "send", "update"}]
    before_a_change = {
        "name": "Ask before a change",
        "policy_type": "require_approval",
        "rules": {"action_types": changing},
    }
    again = client.backtest([before_a_change], window="60d", agent_id="airline")
    of = again.outcomes
    print(f"{again.after.require_approval} of {again.n} calls would have waited.")
    print(
        f"Among them {of.failures_asked.n} failures and {of.work_asked.n} that completed are known; "
        f"{of.unknown_asked} have no outcome. A call that completes may still be the wrong one: notebook 02 looks at "
        "how conversations ended."
    )
    print("Minutes of waiting cannot be known here: nobody was asked, so nobody has answered.")
client.close()
