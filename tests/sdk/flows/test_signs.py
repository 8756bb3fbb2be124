"""Signs of commands and targets, and what an approval counts for. Quick: pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.flows import Digester, fold_result, shipped_pack
from assent.flows.digests import LONGEST_SIGNED
from tests.sdk.flows.test_decide import Story

READ = "The weather was fine on most of the days, so people had some patience with all of it."


def after_reading(said: str) -> Story:
    return Story(said).file(READ)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Run rm -rf build", "rm -rf build"),
        ("Run rm -rf build.", "rm -rf build"),
        ("Please run `rm -rf build`, then go on.", "rm -rf build"),
        ("run:\n\n    rm -rf build\n", "rm -rf build"),
        ("Can you run rm -rf build?", "rm -rf build"),
        ("Run rm -rf build/", "rm -rf build"),
        ("Run rm -rf build", "rm -rf build/"),
        ("Run  rm  -rf   build", "rm -rf build"),
        ("Run git log --oneline -n 5 | head", "git log --oneline -n 5 | head"),
        ("Run 'cd /srv/app && make test' for me", "cd /srv/app && make test"),
        ("Delete them: DELETE FROM t WHERE id <> 5;", "DELETE FROM t WHERE id <> 5;"),
        ("run python3 -c 'print(1, 2)'", "python3 -c 'print(1, 2)'"),
        ("run echo $HOME > out.txt please", "echo $HOME > out.txt"),
        ("run ＲＭ", "RM"),
        ("Do it: make (all)", "make (all)"),
    ],
)
def test_a_command_that_the_user_said_is_the_users(said: str, command: str) -> None:
    assert after_reading(said).asks("run_command", command=command) == []


@pytest.mark.parametrize(
    ("said", "command"),
    [
        *(("Run rm -rf build", f"rm -rf {end}") for end in ("build /", "build *", "build ~", "build .", "build ..")),
        *(
            ("Run rm -rf build", f"rm -rf {end}")
            for end in ("$build", "build/*", "build/..", "build/../..", "build//..")
        ),
        *(
            ("Run rm -rf build", f"rm -rf {end}")
            for end in ("build?", "build;", "build &", "{build}", "*build", "build}")
        ),
        ("Run rm -rf build", "rm -rf / build"),
        ("Run rm -rf build", "rm -Rf build"),
        ("Run rm -rf build", "(rm -rf build)"),
        ("Run rm -rf build", "`rm -rf build`"),
        ("Run rm -rf build", "rm -rf < build"),
        ("Run rm -rf build", "rm\n-rf build"),
        ("Run rm build src", "rm build\nsrc"),
        ("Run git log 'rm -r src'", "git log; rm -r src"),
        ("Run git log 'rm -r src'", "git log $(rm -r src)"),
        ("Run cat notes out", "cat notes > out"),
        ("Run cat notes tee", "cat notes | tee"),
        ("Run sh | cat notes", "cat notes | sh"),
        ("Run DELETE FROM t WHERE id = 5", "DELETE FROM t WHERE id <> 5"),
        ("Run DELETE FROM t WHERE id = 5", "DELETE FROM t WHERE id >= 5"),
        ("Run DELETE FROM t WHERE id < 5", "DELETE FROM t WHERE id > 5"),
        ("Run DELETE FROM t WHERE a = 1", "DELETE FROM t -- WHERE a = 1"),
        ("Run DELETE FROM t WHERE a = 1", "DELETE FROM t; WHERE a = 1"),
        ("Run chmod 644 notes", "chmod 6,44 notes"),
        ("Run wget x.com", "wget https://x.com"),
    ],
)
def test_signs_make_another_command(said: str, command: str) -> None:
    # The session had a text of somebody else, so what the user did not say asks.
    assert after_reading(said).asks("run_command", command=command) == ["blind"]


@pytest.mark.parametrize(
    ("said", "target", "asked"),
    [
        ("Delete Old stuff", "Old stuff", False),
        ("Delete 'Old stuff', please.", "Old stuff", False),
        ("Delete report.pdf", "report.pdf", False),
        ("Delete /srv/./a/b.txt", "/srv/a/b.txt", False),
        ("Delete the rows where id <> 5", "id <> 5", False),
        ("Delete the rows where id = 5", "id <> 5", True),
        ("Delete the rows where id = 5", "id != 5", True),
        ("Delete build", "build /", True),
        ("Delete build", "$build", True),
        ("Delete build src", "build, /, src", True),
        ("Delete build", "build ..", True),
    ],
)
def test_signs_make_another_target(said: str, target: str, asked: bool) -> None:
    assert after_reading(said).asks("delete_file", target=target) == (["unknown"] if asked else [])


WORDS = st.sampled_from(["rm", "-rf", "build", "a/b", "./x", "$HOME", "'a b'", "x=1", "|", ";", ">", "*"])
BETWEEN = st.sampled_from(
    ["|", ";", "&&", "||", ">", ">>", "<", "*", "/", "..", ".", "~", "&", "$", "()", "!", "#", "--", "%"]
)
TEXTS = st.text(st.sampled_from("ab B./-_$;|&<>(){}'\"`=,:!?#@~%^*+\\ \n"), max_size=40)


@given(TEXTS)
def test_a_text_has_its_own_signs(text: str) -> None:
    digester = Digester(bytes(32))
    assert set(digester.signed(text).signs) <= set(digester.signs(f"Please run this now {text}\nand then stop"))


@given(st.lists(WORDS, min_size=2, max_size=6), st.integers(0, 6), BETWEEN)
def test_a_command_with_one_more_word_of_signs_asks(words: list[str], at: int, more: str) -> None:
    command = " ".join([*words[:at], more, *words[at:]])
    said = " ".join(words)
    if more not in said:
        assert after_reading(f"Run {said}").asks("run_command", command=command) == ["blind"]


def test_a_command_that_is_too_long_to_be_said_is_approved_as_it_is() -> None:
    long = "echo " + "a " * LONGEST_SIGNED
    story = after_reading(f"Run {long}")
    assert story.asks("run_command", command=long) == ["blind"]
    story.session.fold(story.digest("run_command", {"command": long}).approved())
    assert story.asks("run_command", command=long) == []
    assert story.asks("run_command", command=long + "; rm") == ["blind"]


APPROVED = [
    ("run_command", {"command": "git log 'rm -r src'"}, "run_command", {"command": "git log; rm -r src"}),
    ("run_command", {"command": "rm -rf build"}, "run_command", {"command": "rm -rf build /"}),
    ("run_command", {"command": "rm -rf build"}, "run_command", {"command": "rm -rf BUILD"}),
    ("delete_rows", {"where": "id = 5"}, "delete_rows", {"where": "id <> 5"}),
    ("get_page", {"url": "https://x.example/a"}, "post_page", {"url": "https://x.example/a"}),
    ("get_page", {"url": "https://x.example/a"}, "send_message", {"to": "https://x.example/a"}),
    ("send_message", {"to": "dora@x.example"}, "delete_user", {"user": "dora@x.example"}),
    ("send_message", {"to": "bob@x.example", "body": "ask eve@x.example"}, "send_message", {"to": "eve@x.example"}),
    ("send_message", {"to": "blue fish seven"}, "login", {"password": "blue fish seven"}),
]


@pytest.mark.parametrize(("tool", "arguments", "other", "others"), APPROVED)
def test_an_approval_counts_for_its_use_alone(
    tool: str, arguments: dict[str, object], other: str, others: dict[str, object]
) -> None:
    text = (
        "Somebody wrote https://x.example/a and dora@x.example and eve@x.example and the blue fish seven, all of them."
    )
    story = Story("Go on and write to bob@x.example").page(text)
    before = story.asks(other, **others)
    assert before
    assert story.asks(tool, **arguments)
    story.session.fold(story.digest(tool, arguments).approved())
    assert story.asks(tool, **arguments) == []
    assert story.asks(other, **others) == before


def test_an_approval_counts_for_what_does_less() -> None:
    text = "Somebody wrote https://x.example/a and dora@x.example and more of it, all of them on one page alone."
    story = Story("Go on").page(text)
    sent = {"url": "https://x.example/a", "to": "dora@x.example"}
    assert story.asks("post_page", **sent)
    assert story.asks("get_page", url="https://x.example/a") == ["page_links"]
    story.session.fold(story.digest("post_page", sent).approved())
    assert story.asks("get_page", url="https://x.example/a") == []
    assert story.asks("send_message", to="dora@x.example", body="write to dora@x.example again") == []


def test_what_was_told_without_signs_has_no_command() -> None:
    """As a client of before tells it: fewer digests, so that the same command asks."""
    digester, pack = Digester(bytes(32)), shipped_pack()
    story = Story("")
    story.session.user.update(digester.text("Run rm -rf build and ls").all())
    told = fold_result(READ, call=1, name="read_file", tool=pack.tool("read_file", {}), digester=digester, pack=pack)
    story.session.fold(told)
    assert story.asks("run_command", command="rm -rf build") == ["blind"]
    assert story.asks("run_command", command="ls") == []
