"""When OpenTelemetry is on."""

import importlib.util
import subprocess
import sys

import pytest

from assent_service.telemetry import Otel, configured

HERE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        (HERE, Otel(traces=True, metrics=True, interval=60.0)),
        (HERE | {"OTEL_SDK_DISABLED": " TRUE "}, None),
        (HERE | {"OTEL_SDK_DISABLED": "false"}, Otel(traces=True, metrics=True, interval=60.0)),
        (HERE | {"OTEL_TRACES_EXPORTER": "none"}, Otel(traces=False, metrics=True, interval=60.0)),
        (HERE | {"OTEL_METRICS_EXPORTER": "none"}, Otel(traces=True, metrics=False, interval=60.0)),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, Otel(traces=True, metrics=False, interval=60.0)),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://x"}, Otel(traces=False, metrics=True, interval=60.0)),
        (HERE | {"OTEL_METRIC_EXPORT_INTERVAL": "1500"}, Otel(traces=True, metrics=True, interval=1.5)),
        (HERE | {"OTEL_METRIC_EXPORT_INTERVAL": "0"}, Otel(traces=True, metrics=True, interval=0.1)),
        (HERE | {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, Otel(traces=True, metrics=True, interval=60.0)),
    ],
)
def test_the_specification_s_variables_turn_it_on(environment: dict[str, str], expected: Otel | None) -> None:
    assert configured(environment) == expected


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "by grpc is not there"),
        ({"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "none"}, "the exporter zipkin by"),
    ],
)
def test_what_cannot_be_done_is_off_and_said(
    more: dict[str, str], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert configured(HERE | more) is None
    assert words in caplog.text


def test_an_interval_that_is_no_number_is_said(caplog: pytest.LogCaptureFixture) -> None:
    assert configured(HERE | {"OTEL_METRIC_EXPORT_INTERVAL": "soon"}) == Otel(traces=True, metrics=True, interval=60.0)
    assert "'soon'" in caplog.text


@pytest.mark.parametrize("error", [ModuleNotFoundError, None])
def test_without_the_extra_the_service_says_so_and_runs(
    error: type[Exception] | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def find(name: str) -> None:
        if error is not None:
            raise error(name)

    monkeypatch.setattr("assent_service.telemetry.configuration.find_spec", find)
    assert configured(HERE) is None
    assert "pip install 'assent[otel]'" in caplog.text


def test_the_service_never_loads_opentelemetry() -> None:
    assert importlib.util.find_spec("opentelemetry.sdk"), "the extra is needed to know"
    look = (
        "import sys, assent_service.serve, assent_service.telemetry.configuration as c;"
        f"c.configured({HERE!r});"
        "print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    printed = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True, timeout=60)
    assert printed.stdout.strip() == "[]"
