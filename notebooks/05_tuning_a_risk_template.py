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
# 2. Make a template of it, on the first two thirds of the days only.
# 3. Backtest it on the last third, which it has not seen, and choose a threshold.
# 4. Publish it, observing, and watch it.
# 5. The same on real transcripts, if they are there.
#
# It runs on any organization: also on an empty one, and then says what cannot be known.

# %%
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

from assent import Client
from assent.contract.analysis.backtest import Costs
from assent_analytics import calibration, charts, drift, sessions
from assent_analytics.backtest import backtest, cost_curve, curve_frame
from assent_analytics.bootstrap import interval
from assent_analytics.rates import wilson, wilson_band

pl.Config(tbl_rows=40, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=2, tbl_width_chars=140)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %%
key = os.environ.get("ASSENT_API_KEY") or Path("../.assent/admin.key").read_text().strip()
client = Client(api_key=key)
ws = client.workspace(window="30d", tables=["actions", "decisions"])

# Transcripts come in the last part, and what a notebook does is no agent's work.
mine = (pl.col("source") != "import") & (pl.col("action_type") != "notebook_check")
actions, decisions = ws.actions.filter(mine).collect(), ws.decisions.filter(mine).collect()
made_up = decisions.filter(pl.col("source") == "simulated").height
FEWEST = 30  # ended actions, and 5 of them failed, on either side
first, last = decisions["occurred_at"].min(), decisions["occurred_at"].max()
SPLIT = first + (last - first) * 2 / 3 if decisions.height else datetime.now(UTC)
ended = actions.filter(pl.col("status").is_in(["completed", "failed"]), pl.col("risk_score").is_not_null())
sides = [ended.filter(side) for side in (pl.col("timestamp_start") < SPLIT, pl.col("timestamp_start") >= SPLIT)]
ENOUGH = ended["risk_score"].n_unique() > 2 and all(
    each.height >= FEWEST and (each["status"] == "failed").sum() >= 5 for each in sides
)
print(
    f"{decisions.height} decisions ({made_up} of them simulated); tuning until {SPLIT:%b %-d}"
    if ENOUGH
    else f"{decisions.height} decisions, {ended.height} actions with a risk that ended, "
    f"{(ended['status'] == 'failed').sum()} of them failed: too few on both sides of a date to learn from one and to test "
    "on the other. Nothing can be said of a template from this."
)

# %% [markdown]
# ## 1. Calibrate
#
# Of the actions that ran and ended, which share failed, by risk?

# %%
if ENOUGH:
    training = ended.filter(pl.col("timestamp_start") < SPLIT)
    bins = calibration.reliability(training, "risk_score")
(charts.reliability_diagram(bins, width=520)) if ENOUGH else None

# %%
if ENOUGH:
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
if ENOUGH:
    SLOPE, INTERCEPT = np.polyfit(bins["mean_predicted"], bins["observed"], 1, w=np.sqrt(bins["n"]))
    by_agent = (
        training.with_columns(expected=(INTERCEPT + SLOPE * pl.col("risk_score") / 100).clip(0, 1))
        .group_by("agent_id")
        .agg(n=pl.len(), failed=(pl.col("status") == "failed").sum(), expected=pl.col("expected").mean())
        .sort("agent_id")
    )
    low, high = wilson_band(pl.col("failed"), pl.col("n"))
    share, expected = pl.col("failed") / pl.col("n"), pl.col("expected")
    excess = by_agent.select(
        "n", "failed", name="agent_id", value=share - expected, low=low - expected, high=high - expected
    ).sort("value", descending=True)
(
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
) if ENOUGH else None

# %% [markdown]
# ## 2. A template
#
# A template can only raise a risk, so it takes up what an agent adds: the risk that was recorded, in steps of five,
# plus the points that its excess of failures is worth on the line above. Few actions exaggerate, so each excess is
# first drawn toward zero by as much as chance alone would scatter them (James and Stein's estimator, positive part).
# Whether that was wise is for the days to say that the template has not seen.
#
# All of this was learned from released actions: what was stopped has no outcome, and the lines below say how much that is.

# %%
if ENOUGH:
    chance = excess.select((share * (1 - share) / pl.col("n")).mean()).item()
    scatter = (excess["value"] ** 2).sum()
    KEPT = max(0.0, 1 - (excess.height - 2) * chance / scatter) if excess.height > 2 and scatter else 0.0
    rules = [{"condition": f"risk_score >= {step}", "add": 5} for step in range(5, 100, 5)]
    for row in excess.iter_rows(named=True):
        points = min(100, round(100 * KEPT * row["value"] / SLOPE)) if SLOPE > 0 else 0
        if points > 0:
            rules.append({"condition": f'agent_id == "{row["name"]}"', "add": points})
            print(f"{row['name']}: + {points} points")
    print(f"{KEPT:.0%} of each excess is kept; {len(rules) - 19} agents get a rule.")
    TEMPLATE = {"name": "Risk and what history adds", "base_risk": 0, "rules": rules}
    before_split = actions.filter(pl.col("timestamp_start") < SPLIT)
    bounds = calibration.bounds(before_split, "risk_score", bins=1)
    base, basis = calibration.clustered_base(before_split, "risk_score")
    for row in bounds.iter_rows(named=True):
        print(
            f"n = {row['n']} released actions in {base.clusters} clusters ({basis}); {row['stopped']} were stopped: with them "
            f"the share of failures would lie between {row['least']:.1%} and {row['most']:.1%}."
        )

# %% [markdown]
# A logistic regression over what the actions touch, offered as what it is: is it accepted, and what would it add?

# %%
if ENOUGH:
    suggested = calibration.suggest_template(before_split)
    print(suggested.note)
    print(f"{'Accepted' if suggested.accepted else 'Not accepted'}; base {suggested.regression_base}, and:")
    for each in suggested.evidence:
        print(
            f"    {each.described}: {each.add:+.1f} points (95 % for all: {each.low:+.1f} to {each.high:+.1f}), n = {each.n}"
        )

# %% [markdown]
# ## 3. Backtest, and choose
#
# Say that a missed failure costs as much as ten interruptions. Every decision of the first days is made again with
# the template, for each threshold from which a person is asked; the dashed line is the one with the least cost.

# %%
COSTS = {"interruption": 1.0, "failure": 10.0}


def replayed(frame, templates, policies=(), **more):
    return backtest(frame, actions, list(policies), templates=templates, costs=Costs(**COSTS), **more)


if ENOUGH:
    before, after = decisions.filter(pl.col("occurred_at") < SPLIT), decisions.filter(pl.col("occurred_at") >= SPLIT)
    tuned, plain = replayed(before, [TEMPLATE]), replayed(before, [])
    CHOSEN = tuned.costs.best
(
    charts.cost_curve(curve_frame(tuned.costs), n=tuned.n, chosen=CHOSEN, simulated=tuned.simulated, width=640)
) if ENOUGH else None

# %%
if ENOUGH:
    print(
        f"Least cost from risk {CHOSEN} on, with the template; in 95 % of resamples between {tuned.costs.best_low} and "
        f"{tuned.costs.best_high}. Without it: {plain.costs.best} ({plain.costs.best_low} to {plain.costs.best_high})."
    )
    if not tuned.costs.identified:
        print(
            f"Not identified: {tuned.costs.unknown} of {tuned.n} decisions have no outcome, and count as good here. Whatever "
            f"they would have come to, the best lies between {tuned.costs.possible_low} and {tuned.costs.possible_high}."
        )

# %% [markdown]
# Now the days that it has not seen: what happens there at the chosen thresholds, and what happened?

# %%


def stopped(said):
    """The ids of the decisions at which somebody would be asked."""
    return [each.decision_id for each in said.verdicts if each.after.value == "require_approval"]


def asking_from(threshold):
    rules = {"threshold": threshold, "action": "require_approval"}
    return {"name": "Ask", "policy_type": "risk_threshold", "rules": rules}


fates = actions.select("decision_id", failed=pl.col("status") == "failed")


def costs_of(templates, *policies):
    """What each decision costs: one interruption, or a failure that nobody was asked about."""
    said = replayed(after, templates, policies, include="verdicts", limit=after.height)
    asked, failed = pl.col("decision_id").is_in(stopped(said)), pl.col("failed").fill_null(False)
    cost = pl.when(asked).then(COSTS["interruption"]).when(failed).then(COSTS["failure"]).otherwise(0.0)
    return after.join(fates, on="decision_id", how="left").select(asked=asked, missed=~asked & failed, cost=cost)


if ENOUGH:
    ways = {
        f"template, from {CHOSEN}": costs_of([TEMPLATE], asking_from(CHOSEN)),
        f"risk alone, from {plain.costs.best}": costs_of([], asking_from(plain.costs.best)),
        "nobody asked": costs_of([]),
    }
    for name, way in ways.items():
        asks, missed, per = way["asked"].sum(), way["missed"].sum(), interval(way["cost"])
        print(f"{name:24} asks {asks:4}, misses {missed:3}; {per.estimate:.2f} each ({per.low:.2f} to {per.high:.2f})")

# %%
if ENOUGH:
    with_template, alone, nobody = ways.values()
    for words, other in (("over risk alone", alone), ("over asking nobody", nobody)):
        saved = interval(other["cost"] - with_template["cost"])
        verdict = "it saves" if saved.low > 0 else "it costs more" if saved.high < 0 else "this much data cannot say"
        print(
            f"On {after.height} decisions that it has not seen, the template saves {saved.estimate:+.3f} a decision "
            f"{words} (95 %: {saved.low:+.3f} to {saved.high:+.3f}): {verdict}."
        )

# %% [markdown]
# ## 4. Publish, and watch
#
# The template goes live; the policy is only observing, so it interrupts nobody, and its verdicts stand beside the real
# ones as `would_decide`.

# %%
if ENOUGH:
    template = client.create_risk_template(**TEMPLATE)
    trial = asking_from(CHOSEN) | {"name": f"Trial: ask from risk {CHOSEN}", "mode": "observe"}
    policy = client.create_policy(**trial).policy
    print(f"{template.name!r}, version {template.version}; policy {policy.name!r}, mode {policy.mode.value}")

# %% [markdown]
# Three actions of the riskiest agent, to see it at work. They ask guard and do nothing.

# %%
if ENOUGH:
    subject, seen = excess["name"][0], []
    check = {"action_type": "notebook_check", "declared_goal": "See what the template says", "agent_id": subject}
    for risk in (10, 45, 80):
        said = client.guard({**check, "risk_score": risk})
        would = (said.would_decide or said.decision).value
        seen.append((risk, said.risk_template_score, said.risk_score, said.decision.value, would))
    columns = ["agent says", "template says", "risk", "decision", f"with asking from {CHOSEN}"]
(pl.DataFrame(seen, schema=columns, orient="row")) if ENOUGH else None

# %% [markdown]
# In a week: `client.backtest()` without policies asks those in force, and the decisions say by which template, in which
# version, they were rated. Here the trial ends, so that the notebook can be run again.

# %%
if ENOUGH:
    watched = client.frame("decisions", window="1d").filter(pl.col("risk_template_id") == template.id)
    print(f"{watched.height} decisions rated by the template, in version {watched['risk_template_version'].max()}")
    _ = client.delete_policy(policy.policy_id), client.delete_risk_template(template.id)

# %% [markdown]
# ## 5. Real transcripts
#
# 100 conversations of an airline's customer-service agent (50 tasks, each tried twice), whose reward says whether the
# conversation ended right. They are imported once, if the file is there; `ASSENT_TRANSCRIPTS` says where. What fails is
# a conversation and not a call, so conversations are counted; those without a single call do not show.

# %%
TRANSCRIPTS = Path(os.environ.get("ASSENT_TRANSCRIPTS", "../../shared/data/transcripts/airline.jsonl"))
THERE = TRANSCRIPTS.is_file()
if THERE and not client.get_actions(agent_id="airline", limit=1).total:
    command = [Path(sys.executable).with_name("assent"), "import", "transcripts", TRANSCRIPTS]
    reach = {**os.environ, "ASSENT_BASE_URL": client.base_url, "ASSENT_API_KEY": key}
    subprocess.run(command, check=True, env=reach, capture_output=True)


def around(estimate, low, high):
    return f"{estimate:+.0%} (95 %: {low:+.0%} to {high:+.0%})"


calls = talks = first = second = pl.DataFrame()
if THERE:
    said = pl.Struct({"episode": pl.String, "reward": pl.Float64})
    named = pl.col("episode").str.split("/").list.to_struct(fields=["task", "trial"]).struct.unnest()
    calls = (
        client.frame("actions", window="60d", agent_id="airline")
        .with_columns(pl.col("metadata").str.json_decode(said).struct.unnest())
        .with_columns(named, wrong=pl.col("reward") == 0)
        .sort("timestamp_start")
    )
    talks = sessions.sessions(calls, by=["task", "trial"])
    first, second = (talks.filter(pl.col("trial") == trial) for trial in ("0", "1"))
for trial, of in enumerate((first, second) if THERE else ()):
    low, high = wilson(of["wrong"].sum(), of.height)
    print(
        f"trial {trial}: {of.height} conversations with {of['actions'].sum()} calls; "
        f"{of['wrong'].sum()} ended wrong, {of['wrong'].mean():.0%} (95 %: {low:.0%} to {high:.0%})"
    )

# %% [markdown]
# **Which tools drift between trials?** The share of conversations that use each tool, in trial 0 and in trial 1; how
# many calls a conversation takes; and the mix of all calls (`tool`), whose test takes calls for independent.

# %%
drifts = pl.DataFrame()
if THERE:
    tools = sessions.action_types(talks)
    using = [pl.col("types").list.contains(tool).alias(tool) for tool in tools]
    of_talks = drift.compare_columns(first.with_columns(using), second.with_columns(using), [*tools, "actions"])
    tried = [calls.filter(pl.col("trial") == trial).select(tool="action_type") for trial in ("0", "1")]
    drifts = pl.concat([of_talks, drift.compare_columns(*tried)])
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
predictors = sessions.associations(talks, cluster="task") if THERE else None
charts.estimates(
    predictors.rename({"action_type": "name", "difference": "value"}),
    title="What goes with a wrong ending",
    axis="share wrong with the tool, less without it",
    n=talks.height,
    what="conversations",
    form="+.0%",
    reference=0,
    intervals="95% for all",
    width=600,
) if THERE else None

# %%
if THERE:
    shown = predictors.filter((pl.col("low") > 0) | (pl.col("high") < 0))
    alone = [sessions.associations(of, fewest=1) for of in (first, second)]
    for row in shown.iter_rows(named=True):
        tool, found = row["action_type"], row["difference"]
        print(f"{tool}, n = {row['n']}: {found:+.0%} ({row['low']:+.0%} to {row['high']:+.0%}, for all tools together)")
        print(f"    drawing tasks, not conversations: {around(found, row['cluster_low'], row['cluster_high'])}")
        for trial, of in enumerate(alone):
            own = of.filter(pl.col("action_type") == tool).row(0, named=True)
            print(f"    trial {trial} alone: {around(own['difference'], own['alone_low'], own['alone_high'])}")
    print(f"Shown to go with the ending: {', '.join(shown['action_type']) or 'no tool'}, of {predictors.height}.")
    length = talks.group_by("wrong").agg(pl.col("actions").mean()).sort("wrong")["actions"]
    print(
        "A tool that goes with failure need not be its cause: hard tasks ask for more tools. Wrong conversations have "
        f"{length[1]:.1f} calls on average, right ones {length[0]:.1f}."
    )

# %% [markdown]
# **A template from trial 0.** A tool's risk is the share of trial 0's conversations with it that ended wrong, in
# percent, drawn toward that of all tools where it is rarely used (beta-binomial). A conversation is as risky as the
# riskiest call in it. With an interruption at 1 and a conversation that ends wrong at 2, asking pays where more than
# half of them do; the threshold is the cheapest on trial 0.

# %%
AIRLINE_COSTS = Costs(interruption=1.0, failure=2.0)


def tuned_on(talks):
    """The risk of each tool, and what each threshold would have cost."""
    risks = sessions.type_risks(talks)
    risk = sessions.rated(talks, risks.points)
    decided, wrong = (np.bincount(of, minlength=101) for of in (risk, risk.filter(talks["wrong"])))
    return risks, cost_curve(decided, wrong, AIRLINE_COSTS, days=1)


if THERE:
    risks, curve = tuned_on(first)
    LINE, base = curve.best, min(risks.points.values())
    rules = [{"condition": f'action_type == "{tool}"', "add": n - base} for tool, n in risks.points.items() if n > base]
    AIRLINE = {"name": "Airline, from trial 0", "base_risk": base, "rules": rules}
    print(", ".join(f"{tool} {n}" for tool, n in sorted(risks.points.items(), key=lambda each: -each[1])))
    print(f"Cheapest on trial 0: asking from {LINE} on; in 95 % of resamples {curve.best_low} to {curve.best_high}.")
said = {"what": "conversations", "per": "per_1000", "width": 640}
charts.cost_curve(curve_frame(curve), n=first.height, chosen=LINE, **said) if THERE else None

# %% [markdown]
# **What it does on trial 1.** First with the backtest itself, on the recorded decisions; then counted by conversations.

# %%
shares = []
if THERE:
    recorded = client.frame("decisions", window="60d", agent_id="airline")
    every = {"include": "verdicts", "limit": recorded.height}
    again = backtest(recorded, None, [asking_from(LINE)], templates=[AIRLINE], **every)
    stops = calls.group_by("task", "trial").agg(asked=pl.col("decision_id").is_in(stopped(again)).any())
    talks = talks.join(stops, on=["task", "trial"], how="left", maintain_order="left")
    rated = sessions.rated(talks, risks.points) >= LINE
    print(
        f"Asking from {LINE} on stops {talks['asked'].sum()} of {talks.height} conversations: {rated.sum()} by the "
        f"template, {(talks['asked'] & ~rated).sum()} more because guard itself adds risk after recent failures; "
        f"{(~talks['asked'] & rated).sum()} fewer."
    )
    tried = [talks.filter(pl.col("trial") == trial) for trial in ("0", "1")]
    caught = [sessions.caught(of, of["asked"]) for of in tried]
    for trial, each in enumerate(caught):
        for words, (k, n, low, high) in (("wrong ones, stopped", each.wrong), ("right ones, interrupted", each.right)):
            shares.append((f"trial {trial}: {words}", k / n, low, high, n))
            print(f"{shares[-1][0]:32} {k:3} of {n:3}: {k / n:.0%} ({low:.0%} to {high:.0%})")
charts.estimates(
    pl.DataFrame(shares, schema=["name", "value", "low", "high", "n"], orient="row"),
    title="What the template stops",
    axis="share of conversations",
    n=talks.height,
    what="conversations",
    width=600,
) if THERE else None

# %%
for trial, of in enumerate(tried if THERE else ()):
    wrong, asked = of["wrong"].cast(float), of["asked"]
    missed = wrong * AIRLINE_COSTS.failure
    price = pl.select(pl.when(asked).then(AIRLINE_COSTS.interruption).otherwise(missed)).to_series()
    never, always = interval(missed - price), interval(AIRLINE_COSTS.interruption - price)
    print(
        f"trial {trial}: wrong ones are stopped more often than right ones by {around(*caught[trial].difference)}.\n"
        f"    Saved a conversation, over never asking: {never.estimate:+.2f} (95 %: {never.low:+.2f} to "
        f"{never.high:+.2f}); over always asking: {always.estimate:+.2f} ({always.low:+.2f} to {always.high:+.2f})"
    )
if THERE:
    shown = "shown" if caught[1].difference[1] > 0 else "not shown"
    print(f"On trial 1, which it has not seen, the template is {shown} to tell wrong from right.")

# %% [markdown]
# Trial 1 has the tasks of trial 0 again, so this may be memory of tasks rather than knowledge of tools. The stricter
# question: tuned on trial 0 *without* a fifth of the tasks, what does the template do on trial 1 of just these? Once
# for each fifth. And since wrong conversations are longer: would counting calls do as well?

# %%
if THERE:
    fold = pl.col("task").cast(pl.Int64) % 5
    held, asked = [], []
    for left_out in range(5):
        learnt, costs = tuned_on(first.filter(fold != left_out))
        held.append(second.filter(fold == left_out))
        asked.append(sessions.rated(held[-1], learnt.points) >= costs.best)
    unseen = sessions.caught(pl.concat(held), pl.concat(asked))
    print(
        f"On tasks that it has never seen it stops {unseen.wrong[0]} of {unseen.wrong[1]} wrong conversations and "
        f"interrupts {unseen.right[0]} of {unseen.right[1]} right ones: {around(*unseen.difference)}."
    )
    # And a rule that knows no tools at all: ask at the n-th call, n being the cheapest on trial 0.
    long = [of["actions"].clip(0, 100) for of in (first, second)]
    decided, wrong = (np.bincount(of, minlength=101) for of in (long[0], long[0].filter(first["wrong"])))
    at = cost_curve(decided, wrong, AIRLINE_COSTS, days=1).best
    simple = sessions.caught(second, long[1] >= at)
    print(f"Asking at call {at} instead, whatever it is: {around(*simple.difference)} on trial 1.")
client.close()
