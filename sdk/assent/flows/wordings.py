"""What of a text may be a command that somebody says with it, word for word: a guess at where one begins and ends.

    list(said_commands("Run `make test`, then rm -rf build."))      # "make test", "rm -rf build", and whole sentences

A command does what it says as a whole: a part of one, or one with more behind it, is another command. So it is compared
as it is written, and counts as said only from a place where one may begin to the next place where it may end:

1. It begins at the start of a line, behind its bullet and its prompt (`$`, `>`), at the start of a sentence, behind a
   colon, or behind a word that leads to one (`run`, `execute`). It ends with the line or with the sentence, and before
   words that say that the sentence goes on (`, then`), thank for it (`please`) or say where (`in /srv/app`).
2. What stands between backticks, or between quotes at a place where one may begin, is one.
3. So are the lines of a paragraph together, those between two fences, and the whole text.

What is called by its name, and is no command, is compared by `said_names`: what stands between quotes, and words with
signs in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from textwrap import dedent

LONGEST_COMMAND = 2_000
"""Characters of a command that is looked for in what was said."""
LONGEST_SAID = 8_000
"""Characters at the beginning of a text, and at its end, in which commands and names are looked for."""
MOST_COMMANDS, MOST_NAMES = 1_000, 200
"""Of one text."""
MOST_STARTS = 16
"""In a line."""

_LEADING = r"run|rerun|execute|exec|try|call|use|using|type|command|commands|then|please|enter|where"
_START = re.compile(rf"(?:\b(?:{_LEADING})|(?<=\S):|(?<=[\w`'\")\]])[.!?])\s+", re.I)
_MARK = re.compile(r"\s*(?:(?:[-*+>\u2022]|\d{1,3}[.)])\s+)?(?P<prompt>(?:[$%>\u276f\u279c]|PS [^>\n]{0,80}>)\s+)?")
_PROMPT = re.compile(r"(?m)^[ \t]*(?:[$%>\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+")
_SENTENCE_END = re.compile(r"(?<=[\w`'\")\]])[.!?](?=\s)")
_GOES_ON = re.compile(
    r",?\s+(?:please|now|again|first|thanks|for me)(?=[.!?]*$|[.!?,]\s)|,\s+(?=(?:then|and|but|so|please|which)\b)"
    r"|\s+in\s+(?=(?:\.{0,2}/|~/)\S*$)",
    re.I,
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_FENCED = re.compile(r"(?ms)^[ \t]*(`{3,9}|~{3,9})[^\n`]{0,40}\n(?P<code>.*?)\n?[ \t]*^[ \t]*\1")
_CODE = re.compile(r"(`{1,2})(?P<code>[^`\n]+)\1")
_QUOTES = {"'": "'", '"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_QUOTED = re.compile(
    "(?<![\\w])(?:"
    + "|".join(f"{begin}(?P<q{at}>[^{begin}{end}\n]+){end}" for at, (begin, end) in enumerate(_QUOTES.items()))
    + ")(?![\\w])"
)
_SIGNED = re.compile(r"[*?$%&;|<>=!^{}()\[\]]")
_AROUND = "\"'`.,:;!?()[]{}\u201c\u201d\u2018\u2019\u00ab\u00bb"
_ENDED = re.compile(r"[\w`'\")\]][.!?,:;]\Z")
_WHERE = re.compile(r"\bwhere\s+", re.I)


def said_commands(text: str) -> Iterator[str]:
    """Those that a text may say, each once, without the spaces around it."""
    return _bounded(_commands(_within(text)), MOST_COMMANDS)


def said_names(text: str) -> Iterator[str]:
    """What a text may call by its name, as it is written: between quotes or backticks, or one word with signs."""
    return _bounded(_names(_within(text)), MOST_NAMES)


def as_compared(command: str) -> str:
    """A command without the spaces and empty lines around it."""
    return command.strip(" \n")


def _within(text: str) -> str:
    """What is pasted between what is said is long, and says nothing."""
    return text if len(text) <= 2 * LONGEST_SAID else f"{text[:LONGEST_SAID]}\n{text[-LONGEST_SAID:]}"


def _bounded(found: Iterator[str], most: int) -> Iterator[str]:
    kept = (each for each in map(str.strip, found) if each and len(each) <= LONGEST_COMMAND)
    return islice(dict.fromkeys(islice(kept, 4 * most)), most)


def _commands(text: str) -> Iterator[str]:
    if len(text) <= LONGEST_COMMAND:
        yield text
    for block in [*_PARAGRAPH.split(text), *(each["code"] for each in _FENCED.finditer(text))]:
        if "\n" in block and len(block) <= 2 * LONGEST_COMMAND:
            whole = dedent(block)
            yield whole
            yield _PROMPT.sub("", whole)
    for each in _CODE.finditer(text):
        yield each["code"]
        yield _PROMPT.sub("", each["code"])
    for line in text.split("\n"):
        if line.strip():
            yield from _of_line(line)


def _of_line(line: str) -> Iterator[str]:
    mark = _MARK.match(line)
    begin = mark.end() if mark else 0
    prompt = mark.start("prompt") if mark and mark["prompt"] else begin
    for start in dict.fromkeys((0, prompt, begin)):
        yield from _ends(line[start:].strip(), line=True)
    for each in islice(_START.finditer(line, begin), MOST_STARTS):
        yield from _ends(line[each.end() :].strip(), line=":" in each[0])


def _ends(rest: str, *, line: bool) -> Iterator[str]:
    """What begins here, up to each place where it may end: the sentence's, and that of the `line`."""
    quoted = _QUOTED.match(rest)
    if quoted:
        yield quoted[0][1:-1]
    sentence = _SENTENCE_END.search(rest)
    first = rest[: sentence.start()] if sentence else rest
    for whole in dict.fromkeys((rest, first) if line else (first,)):
        more = _GOES_ON.search(whole)
        if more:
            yield whole[: more.start()]
        if _ENDED.search(whole):
            yield whole[:-1]
            if whole[-1] != ";":
                continue
        yield whole


def _names(text: str) -> Iterator[str]:
    for each in _CODE.finditer(text):
        yield each["code"]
    for each in _QUOTED.finditer(text):
        yield each[0][1:-1]
    for line in text.split("\n"):
        for each in islice(_WHERE.finditer(line), MOST_STARTS):
            yield from _ends(line[each.end() :].strip(), line=False)
    for word in text.split():
        bare = word.strip(_AROUND)
        if _SIGNED.search(bare):
            yield bare
