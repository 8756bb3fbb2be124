# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Tuning a risk template from history
#
# Can history say better than the risk score alone which actions a person should see?
#
# 1. Calibrate: what does risk say about failure, and for which agents does it say too little?
# 2. Make a template of it, on the first 20 days only.
# 3. Backtest it on the last 10 days, which it has not seen, and choose a threshold.
# 4. Publish it, observing, and watch it.
# 5. The same on real transcripts, if they are there: which tools drift between trials, which predict that a
#    conversation ends wrong, and what a template tuned on trial 0 does on trial 1.

# %%
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

from assent import Client
from assent.contract.backtest import Costs
from assent_analytics import calibration, charts, drift
from assent_analytics.backtest import backtest, cost_curve, curve_frame
from assent_analytics.bootstrap import interval, totals
from assent_analytics.rates import wilson
from assent_analytics.shrinkage import prior, shrunk

pl.Config(tbl_rows=40, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2, tbl_width_chars=140)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %%
key_file = Path("../.assent/admin.key")
key = os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip()
client = Client(api_key=key)
ws = client.workspace(window="30d", tables=["actions", "decisions"])

# Transcripts come in the last part, and what a notebook does is no agent's work.
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions, decisions = ws.actions.filter(mine).collect(), ws.decisions.filter(mine).collect()
made_up = decisions.filter(pl.col("source") == "simulated").height
SPLIT = decisions["occurred_at"].min() + timedelta(days=20)
print(
    f"{decisions.height} decisions ({made_up} of them simulated), {actions.height} actions; tuning until {SPLIT:%b %-d}"
)

# %% [markdown]
# ## 1. Calibrate
#
# Of the actions that ran and ended, which share failed, by risk?

# %%
ended = actions.filter(pl.col("status").is_in(["completed", "failed"]))
training = ended.filter(pl.col("timestamp_start") < SPLIT)
bins = calibration.reliability(training, "risk_score")
charts.reliability_diagram(bins, width=520)

# %%
quality = calibration.quality(training, "risk_score").row(0, named=True)
stated = (bins["n"] * bins["mean_predicted"]).sum() / bins["n"].sum()
print(
    f"Risk is no probability: it says {stated:.0%} on average where {quality['base_rate']:.1%} failed "
    f"(95 %: {quality['base_low']:.1%} to {quality['base_high']:.1%}); calibration error {quality['ece']:.2f} "
    f"({quality['ece_low']:.2f} to {quality['ece_high']:.2f}). What matters is whether it ranks actions rightly."
)

# %% [markdown]
# A line through the bins says how often actions of a given risk fail. Against it, agent by agent: how many more of its
# actions failed than their risks would have it?

# %%
SLOPE, INTERCEPT = np.polyfit(bins["mean_predicted"], bins["observed"], 1, w=np.sqrt(bins["n"]))
by_agent = (
    training.with_columns(expected=(INTERCEPT + SLOPE * pl.col("risk_score") / 100).clip(0, 1))
    .group_by("agent_id")
    .agg(n=pl.len(), failed=(pl.col("status") == "failed").sum(), expected=pl.col("expected").mean())
    .sort("agent_id")
)
bands = [wilson(row["failed"], row["n"]) for row in by_agent.iter_rows(named=True)]
excess = by_agent.with_columns(
    name=pl.col("agent_id"),
    value=pl.col("failed") / pl.col("n") - pl.col("expected"),
    low=pl.Series([low for low, _ in bands]) - pl.col("expected"),
    high=pl.Series([high for _, high in bands]) - pl.col("expected"),
).sort("value", descending=True)
charts.estimates(
    excess,
    title="Failures beyond what risk says",
    axis="share failed, less what its risks say",
    n=training.height,
    what="ended actions",
    reference=0,
    simulated=training.filter(pl.col("source") == "simulated").height,
    width=560,
)

# %% [markdown]
# ## 2. A template
#
# A template can only raise a risk, so it takes up what an agent adds: the risk that was recorded, in steps of five,
# plus the points that its excess of failures is worth on the line above. Few actions exaggerate, so each excess is
# first drawn toward zero by as much as chance alone would scatter them (James and Stein's estimator, positive part).
# Whether that was wise is for the days to say that the template has not seen.

# %%
rate = pl.col("failed") / pl.col("n")
chance = excess.select((rate * (1 - rate) / pl.col("n")).mean()).item()
scatter = (excess["value"] ** 2).sum()
KEPT = max(0.0, 1 - (excess.height - 2) * chance / scatter) if excess.height > 2 and scatter else 0.0
rules = [{"condition": f"risk_score >= {step}", "add": 5} for step in range(5, 100, 5)]
for row in excess.iter_rows(named=True):
    points = min(100, round(100 * KEPT * row["value"] / SLOPE))
    if points > 0:
        rules.append({"condition": f'agent_id == "{row["agent_id"]}"', "add": points})
        print(f"{row['agent_id']}: + {points} points")
print(f"{KEPT:.0%} of each excess is kept; {len(rules) - 19} agents get a rule.")
TEMPLATE = {"name": "Risk and what history adds", "base_risk": 0, "rules": rules}

# %% [markdown]
# ## 3. Backtest, and choose
#
# Say that a missed failure costs as much as ten interruptions. Every decision of the first 20 days is made again with
# the template, for each threshold from which a person is asked; the dashed line is the one with the least cost.

# %%
COSTS = {"interruption": 1.0, "failure": 10.0}


def replayed(frame, templates, policies=(), **more):
    """What policies and templates would have done in one part of the history."""
    return backtest(frame, actions, list(policies), templates=templates, costs=Costs(**COSTS), **more)


before, after = decisions.filter(pl.col("occurred_at") < SPLIT), decisions.filter(pl.col("occurred_at") >= SPLIT)
tuned = replayed(before, [TEMPLATE])
plain = replayed(before, [])
CHOSEN = tuned.costs.best
charts.cost_curve(curve_frame(tuned.costs), n=tuned.n, chosen=CHOSEN, simulated=tuned.simulated, width=640)

# %%
print(
    f"Least cost from risk {CHOSEN} on, with the template; in 95 % of resamples between {tuned.costs.best_low} and "
    f"{tuned.costs.best_high}. Without it: {plain.costs.best} ({plain.costs.best_low} to {plain.costs.best_high})."
)

# %% [markdown]
# Now the ten days that it has not seen: what happens there at the chosen thresholds, and what happened?

# %%


def asking_from(threshold):
    return {"name": "Ask", "policy_type": "risk_threshold",
            "rules": {"threshold": threshold, "action": "require_approval"}}  # fmt: skip


def costs_of(frame, templates, threshold):
    """Each decision's cost under asking from a risk on: one interruption, or a failure that nobody was asked about."""
    said = replayed(frame, templates, [asking_from(threshold)], include="verdicts", limit=frame.height)
    verdicts = pl.DataFrame(
        [(each.decision_id, each.after.value) for each in said.verdicts], schema=["decision_id", "after"], orient="row"
    )
    asked = pl.col("after") == "require_approval"
    failed = (pl.col("status") == "failed").fill_null(False)
    return (
        frame.select("decision_id")
        .join(verdicts, on="decision_id", how="left", maintain_order="left")
        .join(actions.select("decision_id", "status"), on="decision_id", how="left", maintain_order="left")
        .select(
            asked=asked,
            missed=~asked & failed,
            cost=pl.when(asked).then(COSTS["interruption"]).when(failed).then(COSTS["failure"]).otherwise(0.0),
        )
    )


ways = {
    f"template, from {CHOSEN}": costs_of(after, [TEMPLATE], CHOSEN),
    f"risk alone, from {plain.costs.best}": costs_of(after, [], plain.costs.best),
    "nobody asked": costs_of(after, [], 100).with_columns(asked=pl.lit(False)),
}
for name, way in ways.items():
    per = interval(way["cost"])
    print(f"{name:24} asks {way['asked'].sum():4}, misses {way['missed'].sum():3} failures; "
          f"cost per decision {per.estimate:.2f} ({per.low:.2f} to {per.high:.2f})")  # fmt: skip
with_template, alone, nobody = ways.values()
worth = interval(nobody["cost"] - with_template["cost"])
saved = interval(alone["cost"] - with_template["cost"])
if saved.low == saved.high:
    verdict = "nothing differs"
elif saved.low > 0:
    verdict = "the template saves"
else:
    verdict = "the template costs more" if saved.high < 0 else "this much data cannot say whether the template helps"
print(
    f"\nOn {after.height} decisions that neither has seen, the template saves {saved.estimate:.3f} a decision "
    f"(95 %: {saved.low:.3f} to {saved.high:.3f}): {verdict}.\n"
    f"Asking at all saves {worth.estimate:.3f} ({worth.low:.3f} to {worth.high:.3f}): "
    + (
        "worth it."
        if worth.low > 0
        else "not shown to be worth it."
        if worth.high > 0
        else "it costs more than it saves."
    )
)

# %% [markdown]
# ## 4. Publish, and watch
#
# The template goes live; the policy is only observing, so it interrupts nobody, and its verdicts stand beside the real
# ones as `would_decide`.

# %%
template = client.create_risk_template(**TEMPLATE)
policy = client.create_policy(
    f"Trial: ask from risk {CHOSEN}",
    "risk_threshold",
    {"threshold": CHOSEN, "action": "require_approval"},
    mode="observe",
).policy
print(f"{template.name!r}, version {template.version}; policy {policy.name!r}, mode {policy.mode.value}")

# %% [markdown]
# Three actions of the riskiest agent, to see it at work. They ask guard and do nothing.

# %%
subject = excess["agent_id"][0]
seen = []
for risk in (10, 45, 80):
    verdict = client.guard(
        {"action_type": "notebook_check", "declared_goal": "See what the template says", "agent_id": subject,
         "risk_score": risk}
    )  # fmt: skip
    would = verdict.would_decide.value if verdict.would_decide else verdict.decision.value
    seen.append((risk, verdict.risk_template_score, verdict.risk_score, verdict.decision.value, would))
pl.DataFrame(
    seen, schema=["agent says", "template says", "risk", "decision", f"with asking from {CHOSEN}"], orient="row"
)

# %% [markdown]
# In a week: `client.backtest()` without policies asks those in force, and the decisions say by which template, in which
# version, they were rated. Here the trial ends, so that the notebook can be run again.

# %%
watched = client.frame("decisions", window="1d").filter(pl.col("risk_template_id") == template.id)
print(f"{watched.height} decisions rated by the template, in version {watched['risk_template_version'].max()}")
client.delete_policy(policy.policy_id)
_ = client.delete_risk_template(template.id)

# %% [markdown]
# ## 5. Real transcripts
#
# 100 conversations of an airline's customer-service agent (50 tasks, each tried twice), whose reward says whether the
# conversation ended right. They are imported once, if the file is there; `ASSENT_TRANSCRIPTS` says where. A
# conversation is what succeeds or fails here, not a call. So conversations are what is counted, and those without a
# single call do not show: there was nothing to govern.

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
        .with_columns(
            pl.col("episode").str.split("/").list.to_struct(fields=["task", "trial"]).struct.unnest(),
            tool=pl.col("action_type"),
            wrong=pl.col("reward") == 0,
        )
        .sort("timestamp_start")
    )
    talks = (
        calls.group_by("task", "trial", "wrong", maintain_order=True)
        .agg(calls=pl.len(), tools=pl.col("tool").unique().sort())
        .with_columns(pl.col("tools").list.contains(tool).alias(tool) for tool in sorted(set(calls["tool"])))
    )
TOOLS = sorted(set(calls["tool"])) if THERE else []
if THERE:
    for trial, of in talks.partition_by("trial", as_dict=True).items():
        low, high = wilson(of["wrong"].sum(), of.height)
        print(
            f"trial {trial[0]}: {of.height} conversations with {of['calls'].sum()} calls; "
            f"{of['wrong'].sum()} ended wrong, {of['wrong'].mean():.0%} (95 %: {low:.0%} to {high:.0%})"
        )

# %% [markdown]
# **Which tools drift between trials?** The share of conversations that use each tool, in trial 0 and in trial 1; how
# many calls a conversation takes; and the mix of all calls (`tool`), whose test takes calls for independent.

# %%


def around(estimate, low, high):
    return f"{estimate:+.0%} (95 %: {low:+.0%} to {high:+.0%})"


drifts = pl.DataFrame()
if THERE:
    first, second = talks.filter(pl.col("trial") == "0"), talks.filter(pl.col("trial") == "1")
    of_talks = drift.compare_columns(first, second, [*TOOLS, "calls"])
    of_calls = drift.compare_columns(
        calls.filter(pl.col("trial") == "0"), calls.filter(pl.col("trial") == "1"), ["tool"]
    )
    drifts = pl.concat([of_talks, of_calls])
charts.drift_overview(drifts, width=640) if THERE else None

# %%
if THERE:
    tested = drifts.filter(pl.col("status") == "ok")
    drifted = tested.filter(pl.col("drifted"))["metric"].to_list()
    widest = tested.sort(pl.col("effect").abs()).row(-1, named=True)
    print(
        f"Drifted: {', '.join(drifted) or 'none'}, of {tested.height} that could be tested. The largest effect is that "
        f"of {widest['metric']}: {around(widest['effect'], widest['effect_low'], widest['effect_high'])}, "
        f"p adjusted {widest['p_adjusted']:.2f}."
    )

# %% [markdown]
# **Which tools predict that a conversation ends wrong?** For each tool: the share that ended wrong among conversations
# that used it, less the share among those that did not, over both trials. The intervals are Newcombe's at a confidence
# that holds for all tools together (Bonferroni); tools with fewer than ten conversations on either side are left out.

# %%
FEWEST = 10


def apart(of, tool, confidence=0.95):
    """Share wrong with the tool less share wrong without it."""
    used, not_used = of.filter(pl.col(tool)), of.filter(~pl.col(tool))
    k1, n1, k0, n0 = used["wrong"].sum(), used.height, not_used["wrong"].sum(), not_used.height
    low, high = drift.newcombe(k0, n0, k1, n1, confidence)
    return k1 / max(n1, 1) - k0 / max(n0, 1), low, high, n1, k1


def by_task(tool):
    """The bootstrap's interval of the same, over whole tasks: a task's two conversations stay together."""
    used, wrong = pl.col(tool).cast(pl.Int64), pl.col("wrong").cast(pl.Int64)
    sums = talks.group_by("task", maintain_order=True).agg(
        wrong_used=(wrong * used).sum(), used=used.sum(), wrong_not=(wrong * (1 - used)).sum(), unused=(1 - used).sum()
    )
    k1, n1, k0, n0 = totals(np.ones(sums.height, np.int64), sums.drop("task").to_numpy().astype(float)).T
    return np.quantile(k1 / n1 - k0 / n0, [0.025, 0.975])


predictors = pl.DataFrame()
if THERE:
    judged = [tool for tool in TOOLS if FEWEST <= talks[tool].sum() <= talks.height - FEWEST]
    found = [(tool, *apart(talks, tool, 1 - 0.05 / len(judged))) for tool in judged]
    schema = ["name", "value", "low", "high", "n", "wrong"]
    predictors = pl.DataFrame(found, schema=schema, orient="row").sort("value", descending=True)
said = {"title": "What goes with a wrong ending", "axis": "share wrong with the tool, less without it"}
charts.estimates(
    predictors,
    n=talks.height,
    what="conversations",
    form="+.0%",
    reference=0,
    intervals="95% for all",
    width=600,
    **said,
) if THERE else None

# %%
if THERE:
    named = predictors.filter((pl.col("low") > 0) | (pl.col("high") < 0))
    for row in named.iter_rows(named=True):
        tool, low, high = row["name"], row["low"], row["high"]
        print(f"{tool}, n = {row['n']}: {row['value']:+.0%} ({low:+.0%} to {high:+.0%}, for all tools together)")
        for trial, of in (("0", first), ("1", second)):
            print(f"    trial {trial} alone: {around(*apart(of, tool)[:3])}")
        print(f"    drawing tasks instead of conversations: {around(row['value'], *by_task(tool))}")
    print(f"Shown to go with the ending: {', '.join(named['name']) or 'no tool'}, of {predictors.height} judged.")
    wrong, right = talks.filter(pl.col("wrong")), talks.filter(~pl.col("wrong"))
    print(
        "A tool that goes with failure need not be its cause: hard tasks ask for more tools. Wrong conversations have "
        f"{wrong['calls'].mean():.1f} calls on average, right ones {right['calls'].mean():.1f}."
    )

# %% [markdown]
# **A template from trial 0.** A tool's risk is the share of trial 0's conversations with it that ended wrong, in
# percent, drawn toward that of all tools where it is rarely used (beta-binomial). A conversation is as risky as the
# riskiest call in it. With an interruption at 1 and a conversation that ends wrong at 2, asking pays where more than
# half of them do; the threshold is the cheapest on trial 0.

# %%
AIRLINE_COSTS = Costs(interruption=1.0, failure=2.0)


def tuned_on(talks):
    """The points of each tool, how sure they are of each other (the prior), and the cheapest threshold."""
    counts = {tool: (int(talks.filter(pl.col(tool))["wrong"].sum()), int(talks[tool].sum())) for tool in TOOLS}
    group = prior(list(counts.values()))
    points = {tool: round(100 * shrunk(wrong, n, group).rate) for tool, (wrong, n) in counts.items()}
    risk = rated(talks, points)
    wrong = np.bincount(risk.filter(talks["wrong"]), minlength=101)
    return points, group, cost_curve(np.bincount(risk, minlength=101), wrong, AIRLINE_COSTS, days=1)


def rated(talks, points):
    """The risk of each conversation's riskiest call."""
    risk = pl.max_horizontal(pl.when(pl.col(tool)).then(points[tool]).otherwise(0) for tool in TOOLS)
    return talks.select(risk=risk.cast(pl.Int64))["risk"]


if THERE:
    points, group, curve = tuned_on(first)
    LINE, base = curve.best, min(points.values())
    rules = [{"condition": f'action_type == "{tool}"', "add": n - base} for tool, n in points.items() if n > base]
    AIRLINE = {"name": "Airline, from trial 0", "base_risk": base, "rules": rules}
    print(f"All tools together: {group.mean:.0%} wrong, which is worth {group.strength:.0f} conversations. Risks:")
    print(", ".join(f"{tool} {n}" for tool, n in sorted(points.items(), key=lambda each: -each[1])))
    print(f"Cheapest on trial 0: asking from {LINE} on; in 95 % of resamples {curve.best_low} to {curve.best_high}.")
charts.cost_curve(
    curve_frame(curve), n=first.height, what="conversations", chosen=LINE, per="per_1000", width=640
) if THERE else None

# %% [markdown]
# **What it does on trial 1.** First with the backtest itself, on the recorded decisions; then counted by conversations.

# %%
if THERE:
    airline_decisions = client.frame("decisions", window="60d", agent_id="airline")
    made_again = backtest(
        airline_decisions, None, [asking_from(LINE)], templates=[AIRLINE], include="verdicts", limit=10_000
    )
    stops = {each.decision_id for each in made_again.verdicts if each.after.value == "require_approval"}
    stopped = pl.col("decision_id").is_in(list(stops))
    asked = calls.group_by("task", "trial").agg(asked=stopped.any())
    talks = talks.join(asked, on=["task", "trial"], how="left", maintain_order="left")
    by_template = rated(talks, points) >= LINE
    more, fewer = (talks["asked"] & ~by_template).sum(), (~talks["asked"] & by_template).sum()
    print(
        f"Asking from {LINE} on stops {talks['asked'].sum()} of {talks.height} conversations: {by_template.sum()} by "
        f"the template, {more} more because guard itself adds risk after recent failures; {fewer} fewer."
    )
    shares = []
    for trial in ("0", "1"):
        of = talks.filter(pl.col("trial") == trial)
        caught, interrupted = of.filter(pl.col("wrong")), of.filter(~pl.col("wrong"))
        for words, part in (("wrong ones, stopped", caught), ("right ones, interrupted", interrupted)):
            k, n = int(part["asked"].sum()), part.height
            shares.append((f"trial {trial}: {words}", k / n, *wilson(k, n), n, k))
    shares = pl.DataFrame(shares, schema=["name", "value", "low", "high", "n", "k"], orient="row")
charts.estimates(
    shares,
    title="What the template stops",
    axis="share of conversations",
    n=talks.height,
    what="conversations",
    width=600,
) if THERE else None

# %%
if THERE:
    for row in shares.iter_rows(named=True):
        print(
            f"{row['name']:32} {row['k']:3} of {row['n']:3}: {row['value']:.0%} ({row['low']:.0%} to {row['high']:.0%})"
        )
    for trial in ("0", "1"):
        of = talks.filter(pl.col("trial") == trial)
        wrong, right = of.filter(pl.col("wrong"))["asked"], of.filter(~pl.col("wrong"))["asked"]
        lift = wrong.mean() - right.mean()
        low, high = drift.newcombe(right.sum(), right.len(), wrong.sum(), wrong.len())
        price = np.where(of["asked"], AIRLINE_COSTS.interruption, np.where(of["wrong"], AIRLINE_COSTS.failure, 0.0))
        never, always = (
            np.where(of["wrong"], AIRLINE_COSTS.failure, 0.0),
            np.full(of.height, AIRLINE_COSTS.interruption),
        )
        over_never, over_always = interval(never - price), interval(always - price)
        print(
            f"trial {trial}: wrong ones are stopped more often than right ones by {around(lift, low, high)}.\n"
            f"    Saved a conversation, over never asking: {over_never.estimate:+.2f} "
            f"(95 %: {over_never.low:+.2f} to {over_never.high:+.2f}); over always asking: {over_always.estimate:+.2f} "
            f"({over_always.low:+.2f} to {over_always.high:+.2f})"
        )
    print(
        "\nOn trial 1, which it has not seen, the template "
        + (
            "is shown to tell wrong from right: the interval of the difference stays above zero."
            if low > 0
            else "is not shown to tell wrong from right: the interval of the difference reaches below zero."
        )
    )

# %% [markdown]
# Trial 1 has the tasks of trial 0 again, so this may be memory of tasks rather than knowledge of tools. The stricter
# question: tuned on trial 0 *without* a fifth of the tasks, what does the template do on trial 1 of just these? Once
# for each fifth.

# %%
if THERE:
    FIFTHS = 5
    fold = pl.col("task").cast(pl.Int64) % FIFTHS
    unseen = []
    for left_out in range(FIFTHS):
        their_points, _, their_curve = tuned_on(first.filter(fold != left_out))
        held = second.filter(fold == left_out)
        unseen.append(held.select("wrong", asked=rated(held, their_points) >= their_curve.best))
    unseen = pl.concat(unseen)
    wrong, right = unseen.filter(pl.col("wrong"))["asked"], unseen.filter(~pl.col("wrong"))["asked"]
    low, high = drift.newcombe(right.sum(), right.len(), wrong.sum(), wrong.len())
    print(
        f"On tasks that it has never seen it stops {wrong.sum()} of {wrong.len()} wrong conversations and interrupts "
        f"{right.sum()} of {right.len()} right ones: {around(wrong.mean() - right.mean(), low, high)}. "
        + (
            "So it knows something about tools, not only about tasks."
            if low > 0
            else f"{unseen.height} conversations are too few to say that it knows tools and not only tasks."
        )
    )
client.close()
