"""The rules of `assent.data.calls`, on chats written by hand."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.data.calls import (
    CallKey,
    ChatMessage,
    find_calls,
    match_answers,
    read_arguments,
    reports_error,
    shorten,
    text_of,
)


def chat(*messages: dict[str, object]) -> list[ChatMessage]:
    return msgspec.convert(list(messages), list[ChatMessage])


def asks(*calls: tuple[str | None, str, str]) -> dict[str, object]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id_, "function": {"name": name, "arguments": arguments}} for id_, name, arguments in calls
        ],
    }


def tells(id_: str | None, content: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def test_ids_repeated_across_messages_still_name_different_calls() -> None:
    messages = chat(
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "book it"},
        asks(("x", "book", "{}")),
        tells("x", "Error: no seat"),
        {"role": "user", "content": "another one, então"},
        asks(("x", "book", '{"seat": "7Ä"}')),
        tells("x", "done"),
    )
    first, second = find_calls("0/0", messages, 1.0)
    assert first.key == CallKey(episode="0/0", message_index=2, call_index=0)
    assert second.key == CallKey(episode="0/0", message_index=5, call_index=0)
    assert (first.told, first.answer, first.failed) == ("book it", "Error: no seat", True)
    assert (second.told, second.answer, second.failed) == ("another one, então", "done", False)
    assert second.arguments == {"seat": "7Ä"}


def test_parallel_calls_are_matched_by_id_in_whatever_order_answers_come() -> None:
    messages = chat(asks(("a", "one", "{}"), ("b", "two", "{}")), tells("b", "of two"), tells("a", "of one"))
    assert [call.answer for call in find_calls("e", messages, None)] == ["of one", "of two"]


def test_repeated_and_missing_ids_are_matched_by_position() -> None:
    assert match_answers(["x", "x"], [("x", "1"), ("x", "2")]) == ["1", "2"]
    assert match_answers([None, None], [(None, "1"), (None, "2")]) == ["1", "2"]
    assert match_answers(["a", "b"], [(None, "1"), ("b", "2")]) == ["1", "2"]
    assert match_answers([None, "b"], [("b", "2"), ("z", "1")]) == ["1", "2"]


def test_a_missing_answer_is_missing_and_not_somebody_elses() -> None:
    assert match_answers(["a", "b"], [("b", "2")]) == [None, "2"]
    assert match_answers(["a"], [("other", "1")]) == [None]
    assert match_answers(["a"], []) == [None]


def test_answers_stop_at_the_next_message_that_is_none() -> None:
    messages = chat(asks(("a", "one", "{}")), {"role": "user", "content": "well?"}, tells("a", "late"))
    (call,) = find_calls("e", messages, None)
    assert call.answer is None
    assert not call.failed
    assert call.told is None


def test_the_older_single_form_of_a_call_is_a_call() -> None:
    messages = chat(
        {"role": "assistant", "function_call": {"name": "f", "arguments": "[1]"}},
        {"role": "function", "name": "f", "content": "ok"},
    )
    (call,) = find_calls("e", messages, 0.5)
    assert (call.name, call.arguments, call.answer, call.reward) == ("f", [1], "ok", 0.5)


def test_a_call_without_a_name_is_refused_by_place() -> None:
    with pytest.raises(ValueError, match=r"messages\[0\]\.tool_calls\[1\]\.function\.name"):
        list(find_calls("e", chat(asks(("a", "f", ""), ("b", "", ""))), None))


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ("Error: x", True),
        ("  ERROR 7", True),
        ("error", True),
        ('{"error": "gone"}', True),
        (' {"error": {"code": 1}}', True),
        ('{"error": null}', False),
        ('{"error": ""}', False),
        ('{"error": false, "ok": 1}', False),
        ('["error"]', False),
        ('{"errors": 1}', False),
        ("{error: yes", False),
        ("No error", False),
        ("", False),
    ],
)
def test_what_counts_as_an_error(answer: str, failed: bool) -> None:
    assert reports_error(answer) is failed


@pytest.mark.parametrize(
    "text",
    ["", "{", "not json", '{"a": NaN}', '{"a": 9007199254740992}', '"\\ud83d"', "[" * 40 + "]" * 40, "[" * 100_000],
)
def test_arguments_that_not_every_reader_reads_alike_stay_the_text_they_were(text: str) -> None:
    assert read_arguments(text) == text


def test_arguments_that_are_data_already_stay_data() -> None:
    assert read_arguments({"a": [1, 2.5, None, True]}) == {"a": [1, 2.5, None, True]}
    assert read_arguments({"a": 2**60}) == '{"a":1152921504606846976}'


@given(
    st.recursive(st.none() | st.booleans() | st.text() | st.integers(-(2**53) + 1, 2**53 - 1), st.lists, max_leaves=5)
)
def test_arguments_are_what_their_json_says(data: object) -> None:
    assert read_arguments(json.dumps({"a": data}, ensure_ascii=False)) == {"a": data}


def test_content_in_parts_is_joined_and_other_content_kept_as_json() -> None:
    assert text_of([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]) == "a\nb"
    assert text_of({"rows": 3}) == '{"rows":3}'
    assert text_of([]) == "[]"
    assert text_of(None) is None


@given(st.text(max_size=30), st.integers(1, 20))
def test_shortened_text_fits_and_says_that_it_was_cut(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text if len(text) <= limit else short == text[: limit - 1] + "…"
