"""`python -m assent_service.telemetry.exporter`: takes frames from standard input and sends them by OTLP over HTTP.

The service starts it (`shipper`). Sampler, resource, address, headers, certificates, compression and timeouts come from
the variables of OpenTelemetry's specification, which its own packages read. It ends when its input does; signals that a
terminal sends to everybody are left to the service.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import BinaryIO

import msgspec
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter

from assent_service.base.release import release
from assent_service.telemetry.otlp import Translator
from assent_service.telemetry.shipper import LENGTH_BYTES
from assent_service.telemetry.spans import ExportBatch

NICENESS = 10

_decode = msgspec.msgpack.Decoder(ExportBatch).decode


def export(source: BinaryIO, translator: Translator, spans: SpanExporter, metrics: MetricExporter) -> None:
    """Everything that `source` holds, frame by frame, until its end, also where that is in the middle of one."""
    while len(size := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        length = int.from_bytes(size, "big")
        content = source.read(length)
        if len(content) < length:
            return
        frame = _decode(content)
        kept = list(translator.spans(frame.requests))
        if kept:
            spans.export(kept)
        if frame.metrics:
            metrics.export(translator.metrics(frame))


def main() -> None:
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    os.nice(NICENESS)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    ours = Resource({"service.name": "assent", "service.version": release()})
    # What the environment says of the resource counts more than what we say.
    provider = TracerProvider(resource=ours.merge(_from_environment()), shutdown_on_exit=False)
    translator = Translator(provider.resource, provider.sampler, release())
    spans, metrics = OTLPSpanExporter(), OTLPMetricExporter()
    export(sys.stdin.buffer, translator, spans, metrics)
    spans.shutdown()  # type: ignore[no-untyped-call]
    metrics.shutdown()


def _from_environment() -> Resource:
    """`Resource.create` calls a service that nobody named `unknown_service`; ours has a name."""
    found = Resource.create()
    named = {name: value for name, value in found.attributes.items() if not str(value).startswith("unknown_service")}
    return Resource(named, found.schema_url)


if __name__ == "__main__":
    main()
