# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Learning curves across agents
#
# Do agents get better at what they do, and would this much data show it?
#
# 1. Make episodes of the actions: one for each that ran and ended, with a score.
# 2. Success by experience, agent by agent.
# 3. The trend over time, with its interval.
# 4. What the simulator planted: does the picture tell the truth?
# 5. The same on real transcripts, if they are there.
#
# It runs on any organization: also on an empty one, and then says what cannot be known.

# %%
import os
import subprocess
import sys
from pathlib import Path

import altair as alt
import polars as pl

from assent import Client
from assent_analytics import charts, curves
from assent_analytics.drift import newcombe
from assent_analytics.episodes import episodes
from assent_analytics.means import mean_interval
from assent_analytics.simulate import AGENTS, Curve
from assent_analytics.velocity import velocity

pl.Config(tbl_rows=40, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Episodes
#
# What was blocked never ran, and what still runs is none yet. The score (0 to 100) is the one that the service keeps.

# %%
key_file = Path("../.assent/admin.key")
key = os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip()
client = Client(api_key=key)
ws = client.workspace(window="30d", tables=["actions", "assumptions", "loops"])

# Transcripts come in the last part, and what a notebook does is no agent's work.
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions = ws.actions.filter(mine).collect()
done = episodes(actions, ws.assumptions, ws.loops).collect()
made_up = done.filter(pl.col("source") == "simulated").height
ENOUGH = done.height > 0
print(f"{done.height} episodes of {done['agent_id'].n_unique()} agents ({made_up} of them simulated)")
if not ENOUGH:
    print("No action of an agent ran and ended here: whether anybody learns cannot be known from this.")

# %% [markdown]
# ## 2. Success by experience
#
# Learning is a matter of ratios, so each step has as many episodes as all before it. All action types of an agent
# together:

# %%
if ENOUGH:
    together = curves.by_exposure(done.with_columns(action_type=pl.lit("all work"))).collect()
(charts.learning_curve(together, width=680, height=340)) if ENOUGH else None

# %% [markdown]
# The wide bands on the left are the honest part: ten episodes say little about a share. So, for each agent, its first
# 40 episodes against the rest, and what the difference leaves open (Newcombe's 95 % interval):

# %%
if ENOUGH:
    FIRST = 40
    numbered = done.with_columns(pl.col("ended_at").rank("ordinal").over("agent_id").alias("number"))
    early = pl.col("number") <= FIRST
    halves = numbered.group_by("agent_id").agg(
        pl.col("success").filter(early).sum().alias("early"),
        early.sum().alias("n_early"),
        pl.col("success").filter(~early).sum().alias("late"),
        (~early).sum().alias("n_late"),
    )
    gains = pl.DataFrame(
        [
            (agent, late / n_late - first / n_early, *newcombe(first, n_early, late, n_late), n_early, n_late)
            for agent, first, n_early, late, n_late in halves.filter(pl.col("n_late") > 0).iter_rows()
        ],
        schema=["agent", "gain", "low", "high", "n_early", "n_late"],
        orient="row",
    ).sort("gain", descending=True)
(gains) if ENOUGH else None

# %%
if ENOUGH:
    better = gains.filter(pl.col("low") > 0)["agent"].to_list()
    worse = gains.filter(pl.col("high") < 0)["agent"].to_list()
    print(f"Shown to be better than in their first {FIRST} episodes: {', '.join(better) or 'nobody'}.")
    print(f"Shown to be worse: {', '.join(worse) or 'nobody'}.")
    few = halves.height - gains.height
    print(
        f"{few} agents did no more than {FIRST}, so there is nothing to compare." if few else "",
        end="\n" if few else "",
    )
    print(f"Of {gains.height - len(better) - len(worse)} agents this much data cannot say, taken one by one.")
    if gains.height > 1:
        average = gains["gain"].mean()
        low, high = mean_interval(average, gains["gain"].std(), gains.height, -1, 1)
        print(
            f"All {gains.height} together gained {100 * average:.1f} points on average "
            f"(95 %: {100 * low:.1f} to {100 * high:.1f})"
            + (": agents like these do learn." if low > 0 else ", which may be nothing.")
        )
    else:
        print("Of agents like it nothing can be said: there is only one that did more than that.")

# %% [markdown]
# ## 3. The trend
#
# What the mean score gains a week *at the same work*: action types, whether they can be taken back and stated risks are
# compared with themselves. What easier or harder work adds is told apart, and so are other hours of the day and days of
# the week, where these changed. Learned from released actions only: what was stopped has no outcome.

# %%
if ENOUGH:
    PARTS = ("standardized", "standardized_low", "standardized_high", "velocity", "mix")
    trend = velocity(done).with_columns((pl.col(PARTS) * 7).name.suffix("_week"))
(
    charts.estimates(
        trend.filter(pl.col("standardized_low").is_not_null())
        .select(name="agent_id", value="standardized_week", low="standardized_low_week", high="standardized_high_week")
        .sort("value", descending=True),
        title="Score gained a week at the same work",
        axis="points of score a week",
        form="+.1f",
        reference=0,
        n=done.height,
        what="episodes",
        simulated=made_up,
        width=560,
    )
) if ENOUGH else None

# %%
if ENOUGH:
    rising = trend.filter(pl.col("direction") == "improving")["agent_id"].to_list()
    print(f"Rising at the same work, beyond chance: {', '.join(rising) or 'nobody'}, of {trend.height} agents.")
    for row in trend.filter(pl.col("standardized_low").is_not_null()).iter_rows(named=True):
        work = "easier" if row["mix"] > 0 else "harder"
        print(
            f"{row['agent_id']}: of {row['velocity_week']:+.2f} a week, {row['mix_week']:+.2f} is {work} work "
            f"(n = {row['n']}, {row['clusters']} blocks of {row['basis']})"
        )
    stopped = actions.filter(pl.col("status") == "blocked").height
    print(f"{stopped} actions were blocked and teach nothing here; nobody knows how they would have ended.")
(
    trend.select("agent_id", "n", "avg_score", "success_rate", "success_low", "success_high", "maturity_level")
) if ENOUGH else None

# %% [markdown]
# ## 4. What was planted
#
# In a simulated workspace the truth is known: the simulator drew every failure from a learning curve of its own. Of a
# fair 95 % band we expect that it holds the planted value at about 95 % of the steps, and not at all of them.

# %%
curve = Curve()
planted = pl.DataFrame({"agent_id": [a.agent_id for a in AGENTS], "skill": [a.skill for a in AGENTS],
                        "learning": [a.learning for a in AGENTS]})  # fmt: skip
if made_up:
    # What a step is expected to show, from the risks of its own actions; `k` counts earlier actions of the type.
    k = pl.col("started_at").rank("ordinal").over("agent_id", "action_type") - 1
    failing = curve.intercept + curve.slope * pl.col("risk_score") / 100 - pl.col("skill")
    # What somebody denied was cancelled, and never came to the draw.
    drawn = actions.filter(pl.col("status").is_in(["completed", "failed"]), pl.col("source") == "simulated")
    ran = done.join(drawn, on="action_id", how="semi")
    likely = (
        ran.join(planted, on="agent_id")
        .with_columns(expected=1 / (1 + (failing - pl.col("learning") * (1 + k).log()).exp()))
        .with_columns(action_type=pl.lit("all work"))
    )
    observed = curves.by_exposure(likely).collect()
    expected = curves.by_exposure(likely.with_columns(score=pl.col("expected"))).collect()
    compared = observed.with_columns(expected=expected["avg_score"]).filter(pl.col("status") == "ok")
    inside = compared.filter(pl.col("expected").is_between("success_low", "success_high")).height
    print(
        f"The planted curve lies in the band at {inside} of {compared.height} steps ({inside / compared.height:.0%})."
    )

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
# Calls that ended without an error, as the agent makes more of them; of the tools with at least one that did not:

# %%
steps = None
if THERE:
    failing = pl.col("action_type").is_in(calls.filter(pl.col("status") == "failed")["action_type"].unique().to_list())
    steps = curves.by_exposure(episodes(calls.filter(failing))).collect()
charts.learning_curve(steps, width=680, height=300) if THERE else None

# %% [markdown]
# A model without a memory should be no better at the second try of the same tasks than at the first:

# %%
if THERE:
    talks = calls.unique("episode").group_by("trial").agg(n=pl.len(), right=(~pl.col("wrong")).sum()).sort("trial")
    (_, n0, right0), (_, n1, right1) = talks.rows()
    low, high = newcombe(right0, n0, right1, n1)
    print(
        f"Ended right: {right0} of {n0} conversations in trial 0, {right1} of {n1} in trial 1: "
        f"{right1 / n1 - right0 / n0:+.0%} (95 %: {low:+.0%} to {high:+.0%}). "
        + ("It changed." if low > 0 or high < 0 else "No learning is shown, and up to this much is not ruled out.")
    )
client.close()
