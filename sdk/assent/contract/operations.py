"""Every operation there is, in the order of the documentation: that of the modules here, and in each that in which it
declares its endpoints."""

from __future__ import annotations

from typing import Any

from assent.contract import events, health
from assent.contract.analysis import (
    asking,
    backtest,
    calibration,
    changes,
    data,
    drift,
    evaluations,
    grant_previews,
    insight,
    learning,
    lessons,
    observed,
    policy_value,
    profile_scores,
    readiness,
    scorers,
    scoring,
    weekly,
)
from assent.contract.control import (
    actions,
    assignments,
    assumptions,
    claims,
    comments,
    erasure,
    escalations,
    flow_steps,
    flows,
    grants,
    guard,
    halt,
    inbox,
    injection,
    loops,
    outcomes,
    policies,
    questions,
    risk_templates,
    secrets,
    signals,
    snoozes,
    triage,
)
from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.evidence import (
    activity,
    compliance,
    compliance_exports,
    graphs,
    log,
    pcaa,
    pcaa_actions,
    pcaa_gaps,
    proofs,
    traces,
    wallet,
)
from assent.contract.exchange import (
    attachments,
    feedback,
    handoffs,
    key_points,
    message_threads,
    messages,
    prompts,
    records,
    routing,
    sync,
    threads,
    webhooks,
)
from assent.contract.people import agents, identities, keys, organizations, pairings, rota

MODULES = (
    *(guard, actions, inbox, questions, claims, grant_previews, grants, erasure, outcomes, traces, graphs),
    *(comments, snoozes, assignments, escalations, triage, flows, flow_steps, assumptions, loops, signals),
    *(agents, handoffs, threads, key_points, messages, message_threads, attachments),
    *(policies, backtest, changes, observed, policy_value, scorers, evaluations, learning, lessons, drift, scoring),
    *(profile_scores, risk_templates, calibration, events, halt, keys, rota, organizations, feedback, prompts),
    *(data, pcaa, pcaa_gaps, pcaa_actions, insight, asking, weekly, sync, activity, compliance, compliance_exports),
    *(pairings, identities, readiness, injection, secrets, webhooks, proofs, log, wallet),
    *(*records.MODULES, routing, health),
)
"""A module may take an endpoint of another one for its own purposes; it counts where it stands first."""

ENDPOINTS: tuple[AnyEndpoint[Any], ...] = tuple(
    {
        each.operation: each for module in MODULES for each in vars(module).values() if isinstance(each, Endpoint)
    }.values()
)
