"""When OpenTelemetry is on: the variables of its specification, and nothing of our own.

Traces and metrics are on when `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and
`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` turn on one of them alone. `OTEL_TRACES_EXPORTER=none` and
`OTEL_METRICS_EXPORTER=none` turn one off, `OTEL_SDK_DISABLED=true` both. Everything else (headers, certificates,
compression, timeouts, sampler, resource) is read by OpenTelemetry itself, in the exporter.

A collector may be named for every program of a machine, so a service that cannot speak to it says so and runs on.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from assent.extras import to_install

EVERYWHERE = "OTEL_EXPORTER_OTLP"
NEEDED = "opentelemetry.exporter.otlp.proto.http"
SHORTEST_MS, USUAL_MS = 100, 60_000

log = logging.getLogger("assent.telemetry")


@dataclass(frozen=True)
class Otel:
    """`interval` is in seconds, between two exports of metrics."""

    traces: bool
    metrics: bool
    interval: float


def configured(environment: Mapping[str, str]) -> Otel | None:
    """What the environment asks for, None for nothing, and for what cannot be done, which is logged."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    traces, metrics = (_wanted(environment, signal) for signal in ("TRACES", "METRICS"))
    if not (traces or metrics):
        return None
    if not _installed():
        log.warning("OpenTelemetry is configured but not installed, so it is off; run: %s", to_install("otel"))
        return None
    return Otel(traces, metrics, _interval(environment))


def _wanted(environment: Mapping[str, str], signal: str) -> bool:
    endpoint = environment.get(f"{EVERYWHERE}_{signal}_ENDPOINT") or environment.get(f"{EVERYWHERE}_ENDPOINT")
    if not endpoint:
        return False
    exporter = environment.get(f"OTEL_{signal}_EXPORTER", "otlp").strip().lower()
    if exporter == "none":
        return False
    protocol = environment.get(f"{EVERYWHERE}_{signal}_PROTOCOL") or environment.get(f"{EVERYWHERE}_PROTOCOL")
    if exporter != "otlp" or protocol not in (None, "", "http/protobuf"):
        log.warning(
            "OpenTelemetry's %s are off: the exporter %s by %s is not there; OTEL_%s_EXPORTER=otlp and "
            "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf are.",
            *(signal.lower(), exporter, protocol or "http/protobuf", signal),
        )
        return False
    return True


def _installed() -> bool:
    try:
        return find_spec(NEEDED) is not None
    except ModuleNotFoundError:
        return False


def _interval(environment: Mapping[str, str]) -> float:
    said = environment.get("OTEL_METRIC_EXPORT_INTERVAL", "")
    if said and not said.isdecimal():
        log.warning("OTEL_METRIC_EXPORT_INTERVAL is %r, not milliseconds; taking %d.", said[:40], USUAL_MS)
    return max(SHORTEST_MS, int(said) if said.isdecimal() else USUAL_MS) / 1000
