"""The header `traceparent`."""

import pytest

from assent_service.telemetry.trace import Parent, new_span_id, new_trace_id, parent_of, read

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.mark.parametrize(
    ("flags", "sampled"), [("01", True), ("00", False), ("03", True), ("fe", False)], ids=lambda each: str(each)
)
def test_a_good_header_is_taken_over(flags: str, sampled: bool) -> None:
    assert read(f"00-{TRACE}-{SPAN}-{flags}".encode()) == Parent(TRACE, SPAN, sampled)


def test_a_later_version_may_say_more() -> None:
    assert read(f"01-{TRACE}-{SPAN}-01-more".encode()) == Parent(TRACE, SPAN, sampled=True)


@pytest.mark.parametrize(
    "value",
    [
        "",
        TRACE,
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{TRACE}-{SPAN}-01\n",
        f"00-{TRACE}x{SPAN}-01",
    ],
)
def test_a_bad_header_begins_a_new_trace(value: str) -> None:
    assert read(value.encode()) is None


def test_it_is_found_among_the_headers() -> None:
    headers = [(b"host", b"x"), (b"traceparent", f"00-{TRACE}-{SPAN}-01".encode())]
    assert parent_of(headers) == Parent(TRACE, SPAN, sampled=True)
    assert parent_of(headers[:1]) is None


def test_new_ids_are_of_the_right_length_and_differ() -> None:
    traces, spans = {new_trace_id() for _ in range(1000)}, {new_span_id() for _ in range(1000)}
    assert len(traces) == len(spans) == 1000
    assert {len(each) for each in traces} == {32}
    assert {len(each) for each in spans} == {16}


def test_two_headers_are_none() -> None:
    headers = [(b"traceparent", f"00-{trace}-{SPAN}-01".encode()) for trace in (TRACE, "1" * 32)]
    assert parent_of(headers) is None
