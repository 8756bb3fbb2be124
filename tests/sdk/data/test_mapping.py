"""Tool mappings: what they may say, and errors that name the place."""

import sys
from pathlib import Path

import pytest

from assent.data.mapping import MappingError, ToolMeaning, load_mapping, meaning_of, read_mapping
from assent.errors import MissingExtra


def test_a_mapping_is_read_as_written(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text(
        "cancel:\n  action_type: cancellation\n  systems: [bookings, payments]\n  reversible: false\n  risk: 70\n"
        "look:\n"
        "é:\n  risk: 1.5\n",
        encoding="utf-8",
    )
    assert load_mapping(file) == {
        "cancel": ToolMeaning(action_type="cancellation", systems=["bookings", "payments"], reversible=False, risk=70),
        "look": ToolMeaning(),
        "é": ToolMeaning(risk=1.5),
    }


def test_a_tool_without_an_entry_has_its_name_as_type() -> None:
    assert meaning_of("cancel", {}) == ToolMeaning(action_type="cancel")
    assert meaning_of("cancel", {"cancel": ToolMeaning(risk=3)}) == ToolMeaning(action_type="cancel", risk=3)
    assert meaning_of("x" * 200, {}).action_type == "x" * 127 + "…"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cancel": {"risk": 101}}, r"t\.yaml: cancel\.risk is 101: Expected `float` <= 100"),
        ({"cancel": {"risk": "high"}}, r"cancel\.risk is 'high': .*got `str`"),
        ({"cancel": {"reversible": "no"}}, r"cancel\.reversible is 'no'"),
        ({"cancel": {"systems": ["a", 3]}}, r"cancel\.systems\[1\] is 3"),
        ({"cancel": {"rsk": 3}}, r"cancel: .*`rsk`.*members are action_type, systems, reversible, risk"),
        ({"cancel": {"action_type": ""}}, r"cancel\.action_type is ''"),
        ({"cancel": [1]}, r"cancel: Expected `object`, got `array`"),
        ({7: {}}, r"7 is no tool name"),
        ([], r"is a list, expected tools by name"),
    ],
)
def test_errors_name_the_place_and_the_value(data: object, message: str) -> None:
    with pytest.raises(MappingError, match=message):
        read_mapping(data, "t.yaml")


def test_what_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_bytes(b"a: [")
    with pytest.raises(MappingError, match="is no YAML"):
        load_mapping(file)


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assent\[service\]'"):
        load_mapping(tmp_path / "tools.yaml")
