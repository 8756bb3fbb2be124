# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Drift, found and dated
#
# Did an agent change, when, and what would we miss?
#
# 1. Fetch, and make episodes.
# 2. Look back: the last days against those before, over every agent, action type and metric at once.
# 3. Look as it comes: the sequential detector, which says when.
# 4. The truth: what the simulator planted, what was found of it, and what was missed.
# 5. How often is that so? The same in other workspaces.
# 6. The same on real transcripts, if they are there.
#
# It runs on any organization: also on an empty one, and then says what cannot be known.

# %%
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import charts, drift
from assent_analytics.charts.metrics import named
from assent_analytics.detector import Grid
from assent_analytics.ecdf import ecdf
from assent_analytics.episodes import episodes
from assent_analytics.evidence import evidence
from assent_analytics.rates import wilson
from assent_analytics.simulate import CHANGES, Metric, simulate

pl.Config(tbl_rows=40, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2, tbl_width_chars=140)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch

# %%
key_file = Path("../.assent/admin.key")
key = os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip()
client = Client(api_key=key)
ws = client.workspace(window="30d", tables=["actions", "decisions", "assumptions", "loops"])

# Transcripts come in the last part, and what a notebook does is no agent's work.
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions, decisions = ws.actions.filter(mine).collect(), ws.decisions.filter(mine).collect()
done = episodes(actions, ws.assumptions, ws.loops).collect()
made_up = done.filter(pl.col("source") == "simulated").height
print(f"{done.height} episodes ({made_up} of them simulated), {decisions.height} decisions")

# %% [markdown]
# ## 2. Looking back
#
# The last twelve days against everything before. Every comparison is a chance to be fooled, so p-values are adjusted
# for all of them together (Benjamini-Hochberg at 5 %), and an effect has to be large enough to matter besides.

# %%
moments = [each for of in (done["ended_at"], decisions["occurred_at"]) for each in (of.min(), of.max()) if each]
end = max(moments, default=datetime.now(UTC)) + timedelta(seconds=1)
split = end - timedelta(days=12)
begin = min([*moments, split - timedelta(days=1)])
compared = drift.compare(done, decisions, baseline=(begin, split), recent=(split, end))
charts.drift_overview(compared, width=680) if compared.height else None

# %%
found = compared.filter(pl.col("drifted"))
tested = compared.filter(pl.col("status") == "ok")
print(
    f"{tested.height} comparisons with enough values, {found.height} drifted; "
    f"{compared.height - tested.height} had too few values to say anything."
)
found.sort("p_adjusted").select(
    *(
        "agent_id",
        "action_type",
        "metric",
        "n_baseline",
        "n_recent",
        "effect",
        "effect_low",
        "effect_high",
        "p_adjusted",
    )
)

# %% [markdown]
# That says who and what, not when: the twelve days were our guess.
#
# ## 3. As it comes
#
# The service watches every stream (one agent, one action type, one metric) value by value, and raises an alert when a
# bet against "nothing changed" has won 100 to 1. There are two bets. The first takes each value by itself: a stream of
# independent values that does not change raises such a *hint* with probability 1 % at most, however long it runs. The
# second takes the values of a session as one and counts them less the more they depend on those before; its alert is
# *established*, comes later, and not of every change. Both say where the change began.

# %%
deadline = time.monotonic() + 30
while not client.get_drift_stats().caught_up and time.monotonic() < deadline:
    time.sleep(0.2)  # it reads the history behind our back
raised = [each for each in client.list_drift_alerts(limit=200).alerts if each.source.value != "import"]
TIME = pl.Datetime("us", "UTC")
alerts = pl.DataFrame(
    [
        (a.agent_id, a.action_type, a.metric, a.direction.value, a.baseline_mean, a.recent_mean,
         a.change_estimated_at, a.detected_at, a.established)
        for a in raised
    ],  # fmt: skip
    schema={"agent_id": pl.String, "action_type": pl.String, "metric": pl.String, "direction": pl.String,
            "before": pl.Float64, "since": pl.Float64, "estimated": TIME, "alarm": TIME, "established": pl.Boolean},
    orient="row",
).sort("alarm")  # fmt: skip
by_metric = alerts["metric"].value_counts(sort=True, name="n")
print(f"{alerts.height} alerts: {', '.join(f'{n} of {metric}' for metric, n in by_metric.iter_rows())}")
print(f"{alerts['established'].sum()} of them are established, the others are hints.")
shown = alerts.filter(pl.col("metric") != "confidence")
shown.with_columns(pl.col("estimated", "alarm").dt.strftime("%b %d %H:%M"))

# %% [markdown]
# ## 4. The truth
#
# In a simulated workspace it is known: the simulator moves one metric of an agent from one moment on, in all its action
# types. (In a workspace of your own there is nothing planted, and this part stays empty.)

# %%
OF = {Metric.DURATION: "duration_ms", Metric.RISK: "risk_score"}
simulated = actions.filter(pl.col("source") == "simulated")
planted = pl.DataFrame(
    schema={"agent_id": pl.String, "metric": pl.String, "planted": pl.Datetime("us", "UTC"), "size": pl.Float64}
)
if simulated.height:
    first, last = simulated["timestamp_start"].min(), simulated["timestamp_start"].max()
    moments = [(c.agent_id, OF[c.metric], first + c.at * (last - first), c.size) for c in CHANGES]
    planted = pl.DataFrame(moments, schema=planted.schema, orient="row")

GRIDS = {"duration_ms": Grid.LOGARITHM, "risk_score": Grid.NUMBER}
STREAM = ["agent_id", "action_type", "metric"]


def beside_truth(streams, alarms, planted):
    """Each stream with its first alarm, with what was planted in it, and how far off the estimate is in days."""
    first = alarms.sort("alarm").unique(STREAM, keep="first", maintain_order=True)
    both = streams.join(first, on=STREAM, how="left").join(planted, on=["agent_id", "metric"], how="left")
    # An alarm before anything was planted found something else.
    found = pl.col("alarm").is_not_null() & (pl.col("alarm") >= pl.col("planted"))
    days_off = (pl.col("estimated") - pl.col("planted")).dt.total_seconds() / 86400
    return both.with_columns(found=found.fill_null(False), days_off=pl.when(found).then(days_off)).sort(STREAM)


def streams_of(episodes):
    counts = [episodes.group_by(STREAM[:2]).len("n").with_columns(metric=pl.lit(metric)) for metric in GRIDS]
    return pl.concat(counts)


truth = beside_truth(streams_of(done), alerts, planted)
changed = truth.filter(pl.col("planted").is_not_null())
as_day = pl.col("planted", "estimated").dt.strftime("%b %d %H:%M")
changed.select(*STREAM, "size", pl.col("n").alias("episodes"), "found", as_day, "days_off")

# %%
unchanged = truth.filter(pl.col("planted").is_null())
false = unchanged.filter(pl.col("alarm").is_not_null())
missed = changed.filter(~pl.col("found"))["action_type"].to_list()
low, high = wilson(false.height, unchanged.height) if unchanged.height else (0.0, 1.0)
print(
    f"Of {changed.height} streams with a planted change {changed['found'].sum()} were found, "
    f"{len(missed)} missed{': ' + ', '.join(missed) if missed else ''}.\n"
    f"Of {unchanged.height} streams without one {false.height} raised an alarm "
    f"({false.height / max(unchanged.height, 1):.1%}; 95 %: {low:.1%} to {high:.1%})."
    if truth.height
    else "No agent has finished anything, so no stream can have changed."
)
others = alerts.join(planted, on=["agent_id", "metric"], how="anti")
print(
    f"{others.height} alerts are of something else: {', '.join(sorted(set(others['metric']))) or 'nothing'}.\n"
    + (
        "(In the simulator, confidence follows learning, and scores follow duration and risk.)"
        if planted.height
        else ""
    )
)

# %% [markdown]
# How the evidence grew in the stream of a planted change that has most values, and where it was put:

# %%
shown = {**dict.fromkeys(STREAM, ""), "metric": "risk_score", "planted": None, "estimated": None}
if truth.height:
    shown = (changed if changed.height else truth).sort("found", "n").row(-1, named=True)
stream = done.filter(pl.col("agent_id") == shown["agent_id"], pl.col("action_type") == shown["action_type"])
# The service's own name of the stream, so that ties are broken as it breaks them.
org, real = client.get_own_key().org_id, made_up == 0
name = json.dumps([org, *(shown[part] for part in STREAM), not real], separators=(",", ":"))
seen = evidence(stream, shown["metric"], grid=GRIDS[shown["metric"]], key=name)
known = {"planted": shown["planted"]} if shown["planted"] else {}
print(f"{shown['metric']} of {shown['agent_id']} at {shown['action_type']}" if truth.height else "There is no stream.")
charts.detector_trace(seen, metric=shown["metric"], known=known, width=640) if truth.height else None

# %% [markdown]
# And the same values before and after the estimate. Where the bands part, the windows differ beyond doubt.

# %%
moment = shown["estimated"] or split
steps = ecdf(stream.filter(pl.col("ended_at") < moment), stream.filter(pl.col("ended_at") >= moment), shown["metric"])
charts.ecdf_comparison(steps, metric=shown["metric"], log=shown["metric"] == "duration_ms", width=640) if (
    steps.height
) else None

# %% [markdown]
# ## 5. How often is that so?
#
# One workspace is an anecdote. Twenty others, drawn with other seeds, the same changes planted in all:

# %%
until = datetime(2026, 6, 30, tzinfo=UTC)


def alarms_in(episodes):
    """The first alarm of each stream of duration and risk, found here as the service finds it."""
    rows = []
    for (agent, kind), stream in episodes.partition_by(STREAM[:2], as_dict=True).items():
        for metric, grid in GRIDS.items():
            for alarm in evidence(stream, metric, grid=grid, key=f"{agent}/{kind}/{metric}").alarms.iter_rows(
                named=True
            ):
                rows.append((agent, kind, metric, alarm["change_at"], alarm["at"]))
    schema = {**dict.fromkeys(STREAM, pl.String), "estimated": TIME, "alarm": TIME}
    return pl.DataFrame(rows, schema=schema, orient="row")


workspaces = []
for seed in range(100, 120):
    own = episodes(simulate(seed, until=until).with_text().actions).collect()
    begun = until - timedelta(days=30)
    there = [(c.agent_id, OF[c.metric], begun + c.at * timedelta(days=30), c.size) for c in CHANGES]
    known = pl.DataFrame(there, schema=planted.schema, orient="row")
    workspaces.append(beside_truth(streams_of(own), alarms_in(own), known))
every = pl.concat(workspaces)
of_changes, stable = every.filter(pl.col("planted").is_not_null()), every.filter(pl.col("planted").is_null())


def share_found(frame):
    k, n = int(frame["found"].sum()), frame.height
    return k / n, *wilson(k, n), n


found_by_n = [
    (f"{named(metric)}, {words} episodes", *share_found(part))
    for metric, of_metric in sorted(of_changes.partition_by("metric", as_dict=True).items())
    for metric in metric
    for words, part in (
        ("below 50", of_metric.filter(pl.col("n") < 50)),
        ("50 to 99", of_metric.filter(pl.col("n").is_between(50, 99))),
        ("100 or more", of_metric.filter(pl.col("n") >= 100)),
    )
    if part.height
]
rows = pl.DataFrame(found_by_n, schema=["name", "value", "low", "high", "n"], orient="row")
charts.estimates(
    rows,
    title="Planted changes found",
    axis="share of streams in which it was found",
    n=of_changes.height,
    what="changed streams",
    simulated=of_changes.height,
    width=640,
)

# %%
off = of_changes["days_off"].drop_nulls().abs()
k = stable["alarm"].is_not_null().sum()
low, high = wilson(k, stable.height)
some, least, most, n = share_found(of_changes)
print(
    f"Found: {some:.0%} of {n} changed streams (95 %: {least:.0%} to {most:.0%}); the rest is missed, "
    "mostly where there are few episodes.\n"
    f"Dated: half of them within {off.median():.1f} days, nine in ten within {off.quantile(0.9, 'linear'):.1f}.\n"
    f"False alarms: {k} of {stable.height} unchanged streams, {k / stable.height:.2%} (95 %: {low:.2%} to {high:.2%}); "
    f"the promise is 1 % at most{', and the interval excludes it' if low > 0.01 else ''}."
)

# %% [markdown]
# ## 6. Real transcripts
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
# The history is spread over 30 days in the file's order: all of trial 0, then all of trial 1. Nothing should have
# changed between them; the same model had the same tasks. What do the comparison and the detector say?

# %%
between = pl.DataFrame()
if THERE:
    moment = calls.filter(pl.col("trial") == "1")["timestamp_start"].min()
    ends = calls["timestamp_start"].min(), calls["timestamp_end"].max() + timedelta(seconds=1)
    made = client.frame("decisions", window="60d", agent_id="airline")
    windows = {"baseline": (ends[0], moment), "recent": (moment, ends[1])}
    between = drift.compare(episodes(calls).collect(), made, by=["action_type"], **windows)
charts.drift_overview(between, width=600) if THERE else None

# %%
if THERE:
    tested = between.filter(pl.col("status") == "ok")
    of = ", ".join(f"{a.metric} at {a.action_type}" for a in client.list_drift_alerts(agent_id="airline").alerts)
    print(
        f"{tested.height} comparisons had enough values; {tested['drifted'].sum()} drifted. "
        f"Alerts of the detector: {of or 'none'}."
    )
    rates = tested.filter(pl.col("metric") == "success_rate").sort(pl.col("effect").abs(), descending=True)
    for row in rates.iter_rows(named=True):
        print(
            f"calls of {row['action_type']} that succeeded: {row['baseline']:.0%} of {row['n_baseline']} in trial 0, "
            f"{row['recent']:.0%} of {row['n_recent']} in trial 1 "
            f"(difference {row['effect_low']:+.0%} to {row['effect_high']:+.0%})"
        )
client.close()
