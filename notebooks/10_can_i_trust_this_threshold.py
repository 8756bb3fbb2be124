# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Can I trust this threshold?
#
# A policy warns, asks a person, or blocks, from a risk on. Is that the right risk, and what can these data not say?
#
# 1. Fetch, and find the threshold in question.
# 2. Does risk tell failures apart at all?
# 3. What lies on either side of it, and what of that has no outcome.
# 4. What each threshold would have cost, for several prices of a failure.
# 5. Would the first half of the time have chosen as the second does?
# 6. The answer.
#
# It runs on any organization: also on an empty one, and then says what cannot be known.

# %%
import os
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

from assent import Client
from assent.contract.analysis.backtest import Costs
from assent_analytics import calibration, charts
from assent_analytics.backtest import backtest, curve_frame
from assent_analytics.clusters import cluster_keys, clustered_bootstrap, clustered_difference, clustered_proportion

pl.Config(tbl_rows=40, tbl_cols=12, tbl_hide_dataframe_shape=True, float_precision=3, tbl_width_chars=140)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Fetch
#
# `THRESHOLD` is the risk in question (`ASSENT_THRESHOLD`); without one, the lowest of the enforced policies that go by
# a risk. Live, imported and simulated history are not mixed: the source with most rows is looked at.

# %%
WINDOW = "90d"
key = os.environ.get("ASSENT_API_KEY") or Path("../.assent/admin.key").read_text().strip()
client = Client(api_key=key)
everything = client.frame("actions", WINDOW).filter(pl.col("action_type") != "notebook_check")
sources = everything["source"].cast(pl.String).value_counts(sort=True)
source = sources["source"][0] if sources.height else "none"
actions = everything.filter(pl.col("source") == source)
decisions = client.frame("decisions", WINDOW).filter(
    pl.col("source") == source, pl.col("action_type") != "notebook_check"
)
simulated = actions.height if source == "simulated" else 0

asking = {
    int(each.rules["threshold"]): each.name
    for each in client.get_policies().policies
    if each.policy_type == "risk_threshold" and each.mode.value == "enforce"
}
given = os.environ.get("ASSENT_THRESHOLD")
THRESHOLD = int(given) if given else min(asking, default=None)
left_out = everything.height - actions.height
print(f"{actions.height} actions of source {source}; {left_out} of other sources are left out.")
print(
    f"The threshold in question: {THRESHOLD}, {asking.get(THRESHOLD, 'as given')}."
    if THRESHOLD is not None
    else "No enforced policy goes by a risk: the question is whether one should, and from where."
)

# %% [markdown]
# ## 2. Does risk tell failures apart?
#
# Of a failure and a success drawn at random, how often does the failure have the higher risk (the area under the ROC
# curve)? One half is a coin. Its interval draws whole sessions, since what happens in one session goes together.

# %%
rated = actions.filter(pl.col("risk_score").is_not_null(), pl.col("agent_id").is_not_null())
ended = rated.filter(pl.col("status").is_in(["completed", "failed"]))
failed = (ended["status"] == "failed").to_numpy()
risks = ended["risk_score"].cast(pl.Float64).to_numpy()
FAILURES = int(failed.sum())
ENOUGH = FAILURES >= 10 and len(failed) - FAILURES >= 10
keys = cluster_keys(ended, time="timestamp_start")


def area(rows):
    bad = failed[rows]
    if bad.all() or not bad.any():
        return float("nan")
    ranks = pl.Series(risks[rows]).rank("average").to_numpy()
    n = int(bad.sum())
    return (ranks[bad].sum() - n * (n + 1) / 2) / (n * (len(bad) - n))


apart = clustered_bootstrap(area, keys.codes) if ENOUGH else None
if apart is None:
    print(
        f"{FAILURES} failures and {len(failed) - FAILURES} successes with a risk ended in {WINDOW}: fewer than ten of one "
        "kind, so nothing can be said of any threshold."
    )
elif apart.low is None:
    print(f"{apart.estimate:.3f}, without an interval: {apart.clusters} clusters ({keys.basis}) are too few.")
else:
    print(
        f"{apart.estimate:.3f} (95 %: {apart.low:.3f} to {apart.high:.3f}; n {apart.n}, {FAILURES} failures, "
        f"{apart.clusters} clusters: {keys.basis}). "
        + (
            "Risk tells failures apart."
            if apart.low > 0.5
            else "This much data does not show that risk tells anything."
        )
    )

# %%
charts.reliability_diagram(calibration.reliability(rated, "risk_score"), width=520) if ENOUGH else None

# %% [markdown]
# ## 3. On either side
#
# A threshold earns its place where more fails above it than below. But what was stopped above it has no outcome: it may
# all have been good, or all have failed. The bounds say what both would make of the share (Manski).

# %%
AT = THRESHOLD
if AT is None and ENOUGH:
    AT = round(float(np.median(risks)))
difference = None
if ENOUGH:
    print(
        f"From risk {AT} on, and below" + (" (the median, since there is no threshold)." if THRESHOLD is None else ".")
    )
    sides = {}
    for words, side in (("from it on", pl.col("risk_score") >= AT), ("below", pl.col("risk_score") < AT)):
        every, there = rated.filter(side), ended.filter(side)
        stopped = every.filter(pl.col("status").is_in(["blocked", "cancelled", "withdrawn"])).height
        values = (there["status"] == "failed").cast(pl.Int8).to_numpy()
        codes = keys.codes[ended.select(side.alias("side"))["side"].to_numpy()]
        sides[words] = (values, codes)
        share = clustered_proportion(values, codes)
        known = f"{share.estimate:.1%} failed" if share.estimate is not None else "none ended"
        interval = f" (95 %: {share.low:.1%} to {share.high:.1%})" if share.low is not None else ""
        least, most = (
            values.sum() / max(len(values) + stopped, 1),
            (values.sum() + stopped) / max(len(values) + stopped, 1),
        )
        print(
            f"{words:10} {known}{interval}, n {share.n} in {share.clusters} clusters; {stopped} were stopped: with them "
            f"between {least:.1%} and {most:.1%}."
        )
    difference = clustered_difference(sides["below"], sides["from it on"])
    print(
        f"Difference: {difference.low:+.1%} to {difference.high:+.1%} (95 %) among what ran."
        if difference.low is not None
        else "The two sides cannot be compared: one has too few clusters, or all of its actions ended alike."
    )

# %% [markdown]
# ## 4. What each threshold would have cost
#
# An interruption costs 1, a missed failure as many times that as the first column says. `best` is the cheapest risk to
# ask from, counting what has no outcome as good; from `possible_low` to `possible_high` it lies whatever that would have
# come to. Where the two differ, the outcomes alone do not identify a threshold.

# %%
curves = {}
if ENOUGH and decisions.height:
    for price in (2, 5, 10, 25, 50):
        curves[price] = backtest(decisions, actions, [], costs=Costs(interruption=1.0, failure=float(price))).costs
names = ("best", "best_low", "best_high", "possible_low", "possible_high", "identified", "unknown", "failures")
table = pl.DataFrame(
    [(price, *(getattr(curve, name) for name in names)) for price, curve in curves.items()],
    schema={"failure costs": pl.Int64}
    | dict.fromkeys(names[:5], pl.Int64)
    | {"identified": pl.Boolean, "unknown": pl.Int64, "failures": pl.Int64},
    orient="row",
)
table

# %%
charts.cost_curve(
    curve_frame(curves[10]), n=curves[10].n, chosen=THRESHOLD or curves[10].best, simulated=simulated, width=640
) if curves and curves[10].best is not None else None

# %%
PRICES = [price for price, curve in curves.items() if curve.best_low is not None]
right = []
if THRESHOLD is not None:
    right = [price for price in PRICES if curves[price].best_low <= THRESHOLD <= curves[price].best_high]
    could = [
        price
        for price in PRICES
        if curves[price].possible_low is not None
        and curves[price].possible_low <= THRESHOLD <= curves[price].possible_high
    ]
    if PRICES:
        words = ", ".join(map(str, right)) or "none of those"
        print(f"{THRESHOLD} is among the cheapest if a failure costs this many interruptions: {words}.")
        words = ", ".join(map(str, could)) or "none of those"
        print(f"Whatever had come of what has no outcome, it can be the very best for: {words}.")
    else:
        print("No cost curve can be drawn from this: too few known failures.")
elif PRICES:
    print(f"Cheapest to ask from, if a failure costs ten interruptions: {curves[10].best}, as far as outcomes tell.")
else:
    print("No cost curve can be drawn from this.")

# %% [markdown]
# ## 5. Does it stay?
#
# A threshold that the first half of the decisions would have chosen, and the second would not, is of the past.

# %%
halves = []
TOLD = apart is not None and apart.low is not None
if curves and TOLD:
    middle = decisions["occurred_at"].median()
    for words, half in (("first", pl.col("occurred_at") < middle), ("second", pl.col("occurred_at") >= middle)):
        of = decisions.filter(half)
        if of.height:
            found = backtest(of, actions, [], costs=Costs(interruption=1.0, failure=10.0)).costs
            halves.append(found)
            print(
                f"{words:6} half: {found.best} ({found.best_low} to {found.best_high}), {found.failures} known failures."
                if found.best_low is not None
                else f"{words:6} half: too few known failures to choose."
            )
stays = len(halves) == 2 and all(each.best_low is not None for each in halves)
if stays:
    stays = max(each.best_low for each in halves) <= min(each.best_high for each in halves)
    print("The two overlap." if stays else "The two do not overlap: what is cheapest has moved.")
else:
    print("Whether it stays cannot be known from this.")

# %% [markdown]
# ## 6. The answer

# %%
identified = bool(curves) and curves[10].identified
if not ENOUGH:
    print("It cannot be known: too few actions with a risk have failed, or too few have ended well.")
elif apart.low is None:
    print(
        f"It cannot be known: what ended went together in {apart.clusters} clusters ({keys.basis}), and ten are needed."
    )
elif apart.low <= 0.5:
    print("No: these data do not show that risk tells failures apart, so no threshold on it is better than another.")
elif THRESHOLD is None:
    print("There is no threshold to trust. Risk tells failures apart; part 4 says from where asking would be cheapest.")
else:
    price = (
        "for a failure that costs " + ", ".join(map(str, right)) + " interruptions" if right else "at no price tried"
    )
    print(f"Among the cheapest thresholds: {price}.")
    print("It stays over the time that was seen." if stays else "That it stays over time is not shown.")
    print(
        "What was stopped does not change that."
        if identified
        else "What was stopped, and so has no outcome, could change that."
    )
unknown = curves[10].unknown if curves else rated.height - ended.height
print(f"Cannot be said from this: how the {unknown} without an outcome would have ended, and what a failure costs you.")
if not identified:
    print(
        "To find out, let a policy explore: it lets a small share of reversible requests pass, and says how likely that was."
    )
client.close()
