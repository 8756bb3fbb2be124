"""The settings file is replaced whole, with a backup that is what was there, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assent.cli.failures import Failure
from assent.cli.hooks import configuration, files


def test_where_hosts_keep_their_hooks(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    assert files.find("claude", None, home) == home / ".claude" / "settings.json"
    assert files.find("claude", project, home) == project / ".claude" / "settings.local.json"
    assert files.find("codex", None, home) == home / ".codex" / "hooks.json"
    assert files.find("codex", project, home) == project / ".codex" / "hooks.json"


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"a": }', "\ufeff{}"])
def test_what_is_no_settings_file_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Failure, match="nothing was changed"):
        files.read(file)
    assert file.read_text(encoding="utf-8") == text


def test_bytes_that_are_no_text_and_folders(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for file in (tmp_path / "bytes", tmp_path):
        with pytest.raises(Failure, match="cannot be read"):
            files.read(file)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_file_is_an_empty_document(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    assert files.read(file) == (text, {})
    assert files.read(tmp_path / "none") == ("", {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n    "a": 1\n}\n', '{\n    "b": 2\n}\n'),
        ('{\n\t"a": 1\n}', '{\n\t"b": 2\n}\n'),
        ('{"a":1}', '{\n  "b": 2\n}\n'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "b": 2\r\n}\r\n'),
    ],
)
def test_indentation_and_line_ends_stay(before: str, after: str) -> None:
    assert files.written({"b": 2}, before) == after


def test_letters_stay_letters_and_half_a_pair_can_be_written(tmp_path: Path) -> None:
    assert '"ä"' in files.written({"a": "ä"}, "")
    file = tmp_path / "x"
    files.replace(file, "", files.written({"a": "\ud800"}, ""))
    assert files.read(file)[1] == {"a": "\ud800"}


def test_a_backup_is_what_was_there_and_the_mode_stays(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    original = b'{\r\n "a": "\xc3\xa4"}\r\n'
    file.write_bytes(original)
    file.chmod(0o640)
    before, _ = files.read(file)
    backup = files.replace(file, before, "{}\n")
    assert backup is not None
    assert backup.read_bytes() == original
    assert file.read_bytes() == b"{}\n"
    assert {each.stat().st_mode & 0o777 for each in (file, backup)} == {0o640}
    assert sorted(tmp_path.iterdir()) == sorted([file, backup])


def test_a_new_file_is_its_owners_and_has_no_backup(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "settings.json"
    assert files.replace(file, "", "{}\n") is None
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    backup = files.replace(link, "{}", '{"a": 1}')
    assert link.is_symlink()
    assert real.read_text() == '{"a": 1}'
    assert backup is not None
    assert backup.parent == real.parent


def test_changed_meanwhile_it_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"theirs": 1}')
    for before in ("{}", ""):
        with pytest.raises(Failure, match="changed by somebody else"):
            files.replace(file, before, '{"ours": 1}')
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]
    assert file.read_text() == '{"theirs": 1}'


def test_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    file.chmod(0o444)
    with pytest.raises(Failure, match="read-only"):
        files.replace(file, "{}", '{"a": 1}')
    assert file.read_text() == "{}"


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Failure, match="cannot be written"):
        files.replace(tmp_path / "file" / "settings.json", "", "{}")


def test_the_configuration_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "claude.json"
    for mode in ("enforce", "observe"):
        configuration.write(file, {"mode": mode})
        assert configuration.read(file) == {"mode": mode}
        assert file.stat().st_mode & 0o777 == 0o600
        file.chmod(0o644)
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]
    configuration.restore(file, {})
    assert configuration.read(file) == {}
    (tmp_path / "list").write_text("[]")
    assert configuration.read(tmp_path / "list") == {}


def test_a_configuration_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Failure, match="nothing was installed"):
        configuration.write(tmp_path / "file" / "claude.json", {})


def test_each_settings_file_has_its_own_configuration(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    places = {configuration.place(tmp_path / name, host, environment) for name in "ab" for host in ("claude", "codex")}
    assert len(places) == 4
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert configuration.place(tmp_path / "link", "claude", environment) in places


def test_only_an_enforcing_question_turns_every_failure_into_a_no() -> None:
    program, file = Path("/a b/assent-hook"), Path("/c d/$x.json")
    line = configuration.command(program, "pre-tool", file, "claude", enforce=True)
    assert line == "'/a b/assent-hook' pre-tool --config '/c d/$x.json' --host claude || exit 2"
    for event, enforce in (("pre-tool", False), ("post-tool", True)):
        assert "exit" not in configuration.command(program, event, file, "claude", enforce=enforce)


def test_the_program_is_beside_the_one_that_runs(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="install the package assent again"):
        configuration.program(tmp_path / "assent")
    (tmp_path / "assent-hook").touch()
    assert configuration.program(tmp_path / "assent") == tmp_path / "assent-hook"
    assert os.fspath(configuration.program(tmp_path / "anything")) == str(tmp_path / "assent-hook")
