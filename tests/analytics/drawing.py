"""Pictures of so many rows each, for tests that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import numpy as np
import polars as pl

from assent.contract.control.flow_steps import FlowSteps
from assent.contract.control.flows import FlowTrace, FlowValue
from assent_analytics import approvals, charts, curves, decisions, pcaa, risk
from assent_analytics.charts.canvas import Chart, Width
from assent_analytics.detector import Grid
from assent_analytics.drivers import drivers
from assent_analytics.ecdf import ecdf
from assent_analytics.episodes import episodes
from assent_analytics.evidence import evidence
from assent_analytics.inclusion import Leaf, proving_tree
from assent_analytics.replay import timeline
from tests.analytics import tables
from tests.analytics.tables import NOW
from tests.analytics.traces import START, approval, trace

BEFORE, AFTER = (NOW - timedelta(days=14), NOW - timedelta(days=5)), (NOW - timedelta(days=5), NOW)
Draw = Callable[[int, Width], Chart]
"""A picture of so many rows, in this width; some of the rows are simulated."""


def funnel(rows: int, width: Width) -> Chart:
    acts = tables.actions(*({"action_id": str(at), "source": "simulated"} for at in range(rows)))
    states = pcaa.checkpoint_states(acts, tables.assumptions(), tables.approvals(), NOW)
    return charts.checkpoint_funnel(pcaa.checkpoint_counts(states), simulated=rows, width=width)


def mix(rows: int, width: Width) -> Chart:
    frame = tables.decisions(*({"occurred_at": NOW - timedelta(days=at % 3)} for at in range(rows)))
    return charts.decision_mix(decisions.mix_by_day(frame), simulated=rows, width=width)


def asked(rows: int) -> pl.DataFrame:
    ends = ({"decided_at": NOW + timedelta(minutes=at * at)} for at in range(rows))
    return tables.approvals(*ends).with_columns(source=pl.lit("simulated"))


def latency(rows: int, width: Width) -> Chart:
    return charts.approval_latency(approvals.times_to_decide(asked(rows)), width=width)


def backlog(rows: int, width: Width) -> Chart:
    steps = approvals.backlog(asked(rows), timedelta(minutes=5))
    return charts.approval_backlog(steps, asked=rows, simulated=rows, width=width)


def gantt(rows: int, width: Width) -> Chart:
    frame = timeline(trace("completed", "require_approval", approval=approval("approved", 12)), START)
    return charts.replay_gantt(frame.head(rows), simulated=True, width=width)


def inclusion(rows: int, width: Width) -> Chart:
    leaves = [Leaf(3 * at, "action.created", "", []) for at in range(rows)]
    tree = proving_tree(leaves, 4000) if leaves else pl.DataFrame()
    return charts.inclusion_tree(tree, simulated=True, width=width)


def risky(rows: int, width: Width) -> Chart:
    frame = tables.actions(*({"source": "simulated", "action_type": f"type {at % 3}"} for at in range(rows)))
    return charts.risk_map(risk.by_agent_and_type(frame), width=width)


def failing(rows: int, width: Width) -> Chart:
    frame = tables.actions(*({"source": "simulated", "agent_id": f"agent {at}"} for at in range(rows)))
    return charts.risk_map(risk.by_agent_and_type(frame), measure="failure_rate", width=width)


def episode_values(rows: int) -> pl.DataFrame:
    """Durations, some of them 0, which has no place on a log axis."""
    moments = [NOW + timedelta(minutes=at) for at in range(rows)]
    return pl.DataFrame(
        {"ended_at": moments, "duration_ms": [1000.0 * at for at in range(rows)], "source": ["simulated"] * rows},
        schema={"ended_at": tables.TIME, "duration_ms": pl.Float64, "source": pl.String},
    )


def distributions(rows: int, width: Width) -> Chart:
    values = episode_values(rows)
    steps = ecdf(values.head(rows // 2), values.tail(rows - rows // 2), "duration_ms")
    return charts.ecdf_comparison(steps, metric="duration_ms", log=True, width=width)


def reliability(rows: int, width: Width) -> Chart:
    bins = {
        "of": ["confidence", "confidence"],
        "low": [0.0, 0.5],
        "high": [0.5, 1.0],
        "n": [rows - rows // 2, rows // 2],
        "mean_predicted": [0.3, 0.8],
        "observed": [0.5, 1.0],
        "observed_low": [0.1, 0.4],
        "observed_high": [0.9, 1.0],
        "simulated": [rows - rows // 2, rows // 2],
    }
    return charts.reliability_diagram(pl.DataFrame(bins), width=width)


def costs(rows: int, width: Width) -> Chart:
    cost = [float((at - 40) ** 2 + 300) for at in range(101)]
    columns = {"threshold": list(range(101)), "interruptions": [100 - at for at in range(101)], "missed": [0] * 101}
    frame = pl.DataFrame(columns).with_columns(
        per_day=pl.Series(cost), per_day_low=pl.Series(cost) * 0.8, per_day_high=pl.Series(cost) * 1.2
    )
    frame = frame.with_columns(unknown=pl.lit(0), possible=pl.lit(False), per_day_most=pl.col("per_day"))
    frame = frame.with_columns(best=pl.col("per_day") == pl.col("per_day").min())
    return charts.cost_curve(frame, n=rows, chosen=60, simulated=rows, width=width)


def drifts(rows: int, width: Width) -> Chart:
    rng = np.random.default_rng(2)
    effect = rng.uniform(-0.6, 0.6, rows)
    frame = pl.DataFrame(
        {
            "agent_id": [f"agent {at}" for at in range(rows)],
            "action_type": [None if at % 2 else "refund" for at in range(rows)],
            "metric": [("duration_ms", "action_mix")[at % 2] for at in range(rows)],
            **{name: rng.uniform(size=rows) for name in ("baseline", "recent", "p_adjusted")},
            "effect": effect,
            "effect_low": effect - 0.2,
            "effect_high": effect + 0.2,
            "effect_name": ["cliffs_delta"] * rows,
            "n_baseline": [40] * rows,
            "n_recent": [20] * rows,
            "simulated": [60] * rows,
            "drifted": [at % 2 == 0 for at in range(rows)],
            "status": ["ok"] * rows,
        },
        schema_overrides={"action_type": pl.String, "effect_name": pl.String, "metric": pl.String},
    )
    return charts.drift_overview(frame, width=width)


def trace_of(rows: int, width: Width) -> Chart:
    found = evidence(episode_values(rows), "duration_ms", grid=Grid.LOGARITHM, alpha=0.9)
    return charts.detector_trace(found, metric="duration_ms", known={"planted": NOW}, width=width)


def by_day(rows: int, width: Width) -> Chart:
    """A day of one value for each row; a change in the middle."""
    days = [(NOW.date() + timedelta(days=at), 1, 30.0 + at, 20.0 + at, 40.0 + at, 1) for at in range(rows)]
    names = ["day", "n", "mean", "low", "high", "simulated"]
    frame = pl.DataFrame(days, schema=names, orient="row")
    changed = NOW + timedelta(days=rows // 2)
    return charts.daily(
        frame,
        title="Risk by day",
        axis={"format": "~s"},
        words="risk",
        marks={"changed": changed},
        levels=(charts.MeanLevel("mean before", 30.0, None, changed),),
        width=width,
    )


def learnt(rows: int, width: Width) -> Chart:
    """Two agents, one of which has too few episodes for a line."""
    acts = tables.actions(
        *({"agent_id": "new" if at == 0 else "old", "source": "simulated"} for at in range(rows)),
    ).with_columns(timestamp_end=pl.col("timestamp_start"))
    return charts.learning_curve(curves.by_exposure(episodes(acts), first=3), width=width)


def learnt_alone(rows: int, width: Width) -> Chart:
    acts = tables.actions(*({"source": "simulated"} for _ in range(rows)))
    return charts.learning_curve(curves.by_exposure(episodes(acts)), measure="avg_score", width=width)


def estimated(rows: int, width: Width) -> Chart:
    frame = pl.DataFrame(
        {
            "name": [f"tool {at}" for at in range(rows)],
            "value": [at / 10 for at in range(rows)],
            "low": [at / 10 - 0.1 for at in range(rows)],
            "high": [at / 10 + 0.2 for at in range(rows)],
            "n": [10 * at for at in range(rows)],
        },
        schema_overrides={"name": pl.String, "value": pl.Float64},
    )
    said: dict[str, Any] = {"title": "Failures by tool", "axis": "share that failed", "what": "calls"}
    return charts.estimates(frame, n=rows, simulated=rows, reference=0.0, width=width, **said)


def moved(rows: int, width: Width) -> Chart:
    """A bar for each of two tools, of so many rows."""
    some = pl.DataFrame(
        {
            "session_id": [f"s{at}" for at in range(40)],
            "tool": ["charge", "refund"] * 20,
            "status": ["completed"] * 30 + ["failed"] * 10,
            "occurred_at": [NOW - timedelta(days=10 - at / 5) for at in range(40)],
        }
    )
    found = drivers(some.head(40 if rows else 0), "failure_rate", baseline=BEFORE, recent=AFTER, by=["tool"])
    return charts.waterfall(found._replace(n=(rows, 0), simulated=rows), width=width)


def stepped(rows: int, width: Width) -> Chart:
    """A session that was told a text and asks for the same thing again and again."""
    value = FlowValue(
        path="to", role="destination", shape="value", origin="free", leaf_call=0, field="", free_call=1,
        from_page=False, host_named=False,
    )  # fmt: skip
    trace = FlowTrace(
        tool="send_money",
        effect="send",
        values=[value],
        labels=["untrusted_seen"],
        calls=1,
        tools={"1": "read_file"},
        told=True,
        complete=True,
        whole=True,
        withheld=False,
        version="2",
    )
    asked: dict[str, Any] = {"decision_id": "dec_1", "session_id": "s", "agent_id": "a", "action_type": "send_money"}
    asked |= {"decision": "require_approval", "risk_score": 10.0, "source": "simulated"}
    told: dict[str, Any] = {
        "number": 1,
        "kind": "result",
        "session_id": "s",
        "call": 1,
        "tool": "read_file",
        "text": True,
    }
    told |= {"page": False, "complete": True, "labels": ["untrusted_seen"], "reason": "", "by": "key"}
    nothing = dict.fromkeys(
        ("action_id", "declared_goal", "would_decide", "reason", "status", "approval", "decided_by", "context")
    )
    answer = {"at": NOW, "asked": None, "told": told | {"agent_id": None, "action_id": None}}
    call = {"at": NOW, "told": None, "asked": nothing | asked | {"flow": msgspec.to_builtins(trace)}}
    steps = [call, answer, *[call] * rows]
    flow: dict[str, Any] = {"org_id": "o", "flow_id": "f", "session_id": "s", "root_id": "f", "told": 1, "calls": 1}
    flow |= {"complete": True, "labels": ["untrusted_seen"], "created_by": "key", "created_at": NOW, "updated_at": NOW}
    found = {"flow": flow | {"parent_session_id": None, "agent_id": None}, "steps": steps[:rows], "total": rows}
    return charts.session_flow(
        msgspec.convert(found | {"before": 0, "missing": 0, "next_cursor": None, "lastUpdated": NOW}, FlowSteps),
        width=width,
    )


def redecided(rows: int, width: Width) -> Chart:
    pairs = [("allow", "allow"), ("allow", "require_approval"), ("block", "warn"), ("warn", "warn")]
    cells = [
        {"before": before, "after": after, "n": sum(at % 4 == place for at in range(rows))}
        for place, (before, after) in enumerate(pairs)
    ]
    return charts.verdict_changes(pl.DataFrame(cells), simulated=rows, width=width)


DRAWN: dict[str, Draw] = {
    "funnel": funnel,
    "mix": mix,
    "latency": latency,
    "backlog": backlog,
    "gantt": gantt,
    "inclusion": inclusion,
    "risk": risky,
    "failures": failing,
    "distributions": distributions,
    "reliability": reliability,
    "costs": costs,
    "verdicts": redecided,
    "drift": drifts,
    "evidence": trace_of,
    "by day": by_day,
    "drivers": moved,
    "session": stepped,
    "learning": learnt,
    "estimates": estimated,
    "learning alone": learnt_alone,
}
