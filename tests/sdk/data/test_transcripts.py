"""Reading transcript files: names, bad lines, and counts over a real file worked out without our code."""

import json
from collections import Counter
from pathlib import Path

import pytest

from assent.data.transcripts import BadLine, TranscriptError, read_episodes, survey

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "transcripts" / "airline.jsonl"


def write(path: Path, *lines: object) -> Path:
    path.write_bytes(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
    return path


def one_call(**more: object) -> dict[str, object]:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    return {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}], **more}


def test_episodes_are_named_by_task_and_trial_or_by_line(tmp_path: Path) -> None:
    file = write(
        tmp_path / "t.jsonl",
        one_call(task_id=3, trial=1),
        b"\n",
        one_call(),
        one_call(task_id="x"),
        one_call(task_id=3, trial=1),
        one_call(task_id=3, trial=1),
        one_call(task_id="3/1~2"),
    )
    names = [(episode.name, episode.line) for episode in read_episodes(file)]
    assert names == [("3/1", 1), ("line-3", 3), ("x", 4), ("3/1~2", 5), ("3/1~3", 6), ("3/1~2~2", 7)]
    for episode in read_episodes(file):
        assert [call.key.episode for call in episode.calls] == [episode.name]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{\n", "truncated"),
        (b"[]\n", "Expected `object`, got `array`"),
        (b"{}\n", "missing required field `messages`"),
        (b'{"messages": 3}\n', r"Expected `array`, got `int` - at `\$.messages`"),
        (b'{"messages": [{"role": "assistant", "tool_calls": [{}]}]}\n', "missing required field `function`"),
        (b'{"messages": [], "reward": "good"}\n', r"\$\.reward"),
        (b'{"messages": [{"role": "user", "content": "\xff"}]}\n', "not UTF-8"),
        (json.dumps(one_call(task_id="x" * 90)).encode() + b"\n", "90 characters"),
    ],
)
def test_a_bad_line_says_where_and_what_and_what_to_do(tmp_path: Path, line: bytes, reason: str) -> None:
    file = write(tmp_path / "t.jsonl", one_call(task_id=1), line, one_call(task_id=2))
    with pytest.raises(TranscriptError, match=rf"t\.jsonl, line 2: .*{reason}.*--skip-bad") as error:
        survey(file)
    assert error.value.line == 2
    found = survey(file, skip_bad=True)
    assert (found.episodes, found.calls) == (2, 2)
    assert [bad.line for bad in found.bad] == [2]


def test_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl", one_call(task_id=1), b"broken\n")
    episodes = read_episodes(file)
    assert next(episodes).name == "1"
    with pytest.raises(TranscriptError):
        next(episodes)


def test_skipped_lines_are_reported_as_they_are_met(tmp_path: Path) -> None:
    skipped: list[BadLine] = []
    file = write(tmp_path / "t.jsonl", b"broken\n", one_call(task_id=1))
    assert [episode.name for episode in read_episodes(file, skipped=skipped)] == ["1"]
    assert [bad.line for bad in skipped] == [1]


def test_episodes_without_calls_take_no_part(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl", {"messages": [{"role": "user", "content": "hi"}]}, one_call())
    found = survey(file)
    assert (found.episodes, found.calls, found.tools) == (1, 1, {"f": 1})


@pytest.mark.skipif(not REAL.exists(), reason="the shared transcripts are not beside this checkout")
def test_a_real_file_gives_the_calls_that_plain_json_shows() -> None:
    calls: Counter[str] = Counter()
    errors = 0
    answers: dict[tuple[int, int], str] = {}
    with REAL.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            messages = json.loads(line)["messages"]
            for at, message in enumerate(messages):
                if message.get("tool_calls"):
                    (call,) = message["tool_calls"]  # this agent made one call at a time
                    calls[call["function"]["name"]] += 1
                    answers[number, at] = messages[at + 1]["content"]
                if message["role"] == "tool" and message["content"].startswith("Error"):
                    errors += 1
    assert calls.total() == 572
    assert errors == 33
    found = survey(REAL)
    assert (found.episodes, found.calls, Counter(found.tools), found.bad) == (
        len({number for number, _ in answers}),
        572,
        calls,
        [],
    )
    ours = {(episode.line, call.key.message_index): call for episode in read_episodes(REAL) for call in episode.calls}
    assert {key: call.answer for key, call in ours.items()} == answers
    assert sum(call.failed for call in ours.values()) == errors
    assert all(isinstance(call.arguments, dict) and call.told for call in ours.values())
    assert len({call.key for call in ours.values()}) == 572
