"""What of a text may be a command that somebody says with it, word for word: a guess at where one begins and ends.

    list(said_commands("Run `make test`, then rm -rf build."))      # "make test", "rm -rf build", and the whole text

A command does what it says as a whole: a part of one, or one with more behind it, is another command. So it is compared
as it is written, and counts as said only from a place where one may begin to the next place where it may end:

1. A text has pieces: paragraphs, what stands between two fences, and lines behind a bullet, a number or a prompt (`$`).
   A piece of several lines is one, and none of its lines is one by itself.
2. A command begins with a piece, with a sentence, behind a colon, or behind a word that leads to one (`please run`). It
   ends with the piece or with the sentence, and before words that thank for it (`please`), say that the sentence goes
   on (`, then`) or say where (`in /srv/app`).
3. What stands between backticks, or between quotes where one may begin, is one, unless what follows adds to it.
4. Behind a word that forbids or asks (`never`, `what`) none is said; nor in a list that such words lead to.

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
MOST_STARTS, LONGEST_BEFORE = 16, 300
"""In a piece, and characters before one that are looked at."""

_BEFORE = (
    r"please|to|can|could|will|would|and|then|just|now|you|we|i|also|first|must|should|always|again|me|it|that|this"
)
_LEADING = r"(?:re)?run|execute|try|call|use|type|enter"
_START = re.compile(
    rf"(?:\A|(?<=[.!?:,(])\s|(?<!\S)(?:{_BEFORE})\s)(?:{_LEADING})(?:\s+(?:the\s)?(?:command|this|following))?:?\s"
    r"|(?:\A|(?<=,)\s|(?<!\S)and\s)(?:then|please)\s|(?<=\S):\s|(?<=[\w`'\")\]])[.!?]\s",
    re.I,
)
_MARKED = re.compile(
    r"[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*(?:[$%\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+"
)
_PROMPT = re.compile(r"(?m)^[ \t]*(?:[$%\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+")
_SENTENCE_END = re.compile(r"(?<=[\w`'\")\]])[.!?](?=\s)")
_GOES_ON = re.compile(
    r",? (?:please|now|again|first|thanks|for me)(?=[.!?]{0,3}\Z|[.!?,]\s)|, (?=(?:then|so|please)\b)"
    r"| in (?=(?:\.{0,2}/|~/)\S{0,200}\Z)",
    re.I,
)
_ENDED = re.compile(r"[\w`'\")\]][.!?,:;]\Z")
_NOT_SAID = re.compile(
    r"\b(?:not|never|no|cannot|avoid|without|instead|rather|except|unless|stop|forbid\w*|prohibit\w*|what|why|how|explain|"
    r"whether|wonder\w*|happens?|review|diff|log|logs|output|safe|confirm\w*|tomorrow|later|said)\b|n['\u2019]t\b",
    re.I,
)
_ADDS = re.compile(r"\s(?:-|(?:with|using|plus|and|on|as|inside)\s+(?:the\s)?[`'\"-])")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_CODE = re.compile(r"(?<!`)(`{1,2})(?P<code>[^`\n]+)\1(?!`)")
_QUOTES = {"'": "'", '"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_QUOTED = re.compile(
    r"(?<!\w)(?:"
    + "|".join(f"{begin}[^{begin}{end}\\n]{{1,{LONGEST_COMMAND}}}{end}" for begin, end in _QUOTES.items())
    + r")(?!\w)"
)
_WHERE = re.compile(r"\bwhere\s", re.I)
_SIGNED = re.compile(r"[*?$%&;|<>=!^{}()\[\]]")
_AROUND = "\"'`.,:;!?()[]{}\u201c\u201d\u2018\u2019\u00ab\u00bb"


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
    return text if len(text) <= 2 * LONGEST_SAID else f"{text[:LONGEST_SAID]}\n\n{text[-LONGEST_SAID:]}"


def _bounded(found: Iterator[str], most: int) -> Iterator[str]:
    kept = (each for each in map(str.strip, found) if each and len(each) <= LONGEST_COMMAND)
    return islice(dict.fromkeys(islice(kept, 4 * most)), most)


def _commands(text: str) -> Iterator[str]:
    yield text
    forbidden = False
    for piece, marked in _pieces(text):
        # A list goes on with what leads to it.
        forbidden = (forbidden and marked) or (not marked and piece.endswith(":") and _is_forbidden(piece, len(piece)))
        if forbidden and marked:
            continue
        yield from _of_piece(piece)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text, and whether a mark stands before each; prompts in front of all lines of one are gone."""
    lines, fenced = list[str](), False
    piece_marked = False
    for line in [*text.split("\n"), ""]:
        fence = _FENCE.match(line) is not None
        mark = None if fenced else _MARKED.match(line)
        if fence or mark or (not fenced and not line.strip()):
            if lines:
                yield _joined(lines), piece_marked
            lines, piece_marked = [], mark is not None
            fenced ^= fence
            if mark:
                lines.append(line[mark.end() :])
        else:
            lines.append(line)
    if lines:
        yield _joined(lines), piece_marked


def _joined(lines: list[str]) -> str:
    whole = dedent("\n".join(lines)).strip()
    return _PROMPT.sub("", whole) if all(map(_PROMPT.match, whole.split("\n"))) else whole


def _of_piece(piece: str) -> Iterator[str]:
    yield from _ends(piece, whole=True)
    for each in islice(_START.finditer(piece), MOST_STARTS):
        if not _is_forbidden(piece, each.start()):
            yield from _ends(piece[each.end() :].lstrip(), whole=":" in each[0])
    for each in _CODE.finditer(piece):
        if not _is_forbidden(piece, each.start()) and not _ADDS.match(piece, each.end()):
            yield each["code"]
            yield _PROMPT.sub("", each["code"])


def _is_forbidden(piece: str, at: int) -> bool:
    """Whether what stands before a place in its sentence says that nothing is run there."""
    first = max(0, at - LONGEST_BEFORE)
    for end in _SENTENCE_END.finditer(piece, first, at):
        first = end.end()
    return _NOT_SAID.search(piece, first, at) is not None


def _ends(rest: str, *, whole: bool) -> Iterator[str]:
    """What begins here, up to each place where it may end: the sentence's, and that of a `whole` piece."""
    rest = rest[: LONGEST_COMMAND + 1]
    quoted = _QUOTED.match(rest)
    if quoted and not _ADDS.match(rest, quoted.end()):
        yield quoted[0][1:-1]
    sentence = _SENTENCE_END.search(rest)
    first = rest[: sentence.start()] if sentence else rest
    for each in dict.fromkeys((rest, first) if whole else (first,)):
        if len(each) > LONGEST_COMMAND or ("\n" in each and not whole):
            continue
        more = _GOES_ON.search(each)
        if more:
            yield each[: more.start()]
        if _ENDED.search(each):
            yield each[:-1]
            if each[-1] != ";":
                continue
        yield each


def _names(text: str) -> Iterator[str]:
    for each in _CODE.finditer(text):
        yield each["code"]
    for each in _QUOTED.finditer(text):
        yield each[0][1:-1]
    for piece, _ in _pieces(text):
        for each in islice(_WHERE.finditer(piece), MOST_STARTS):
            yield from _ends(piece[each.end() :].lstrip(), whole=False)
    for word in text.split():
        bare = word.strip(_AROUND)
        if _SIGNED.search(bare):
            yield bare
