"""The numbers of a registry as they are handed to the exporter."""

from __future__ import annotations

import math

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.samples import Sample

from assent_service.telemetry.meters import NAMES
from assent_service.telemetry.spans import Metric, Point


def taken(registry: CollectorRegistry) -> list[Metric]:
    """Every metric that has a name in OpenTelemetry, as it stands. Those of the process itself have none: whoever runs
    a collector has them from the machine."""
    return [_metric(family) for family in registry.collect() if family.name in NAMES]


def _metric(family: Family) -> Metric:
    name, unit = NAMES[family.name]
    if family.type != "histogram":
        points = [Point(dict(sample.labels), sample.value) for sample in family.samples]
        return Metric(name, family.documentation, unit, family.type, points)
    by_labels: dict[tuple[tuple[str, str], ...], list[Sample]] = {}
    for sample in family.samples:
        labels = tuple((key, value) for key, value in sample.labels.items() if key != "le")
        by_labels.setdefault(labels, []).append(sample)
    bounds: list[float] = []
    points = []
    for labels, samples in by_labels.items():
        under = [(float(each.labels["le"]), int(each.value)) for each in samples if each.name.endswith("_bucket")]
        bounds = [bound for bound, _ in under if not math.isinf(bound)]
        # Prometheus counts everything under each bound, OpenTelemetry what lies between two.
        counts = [count for _, count in under]
        buckets = [count - before for before, count in zip([0, *counts], counts, strict=False)]
        total = next(each.value for each in samples if each.name.endswith("_sum"))
        points.append(Point(dict(labels), 0.0, total, buckets))
    return Metric(name, family.documentation, unit, "histogram", points, bounds)
