"""What of a text is a command that somebody orders with it, word for word, or forbids.

    list(said_commands("Please run `make test`, then rm -rf build."))   # "make test", "rm -rf build", the whole text
    list(said_commands("The mail says: run `make test`."))              # the whole text alone
    list(barred_commands("Never run `make clean` again."))              # "make clean"

A command does what it says as a whole: a part of one, or one with more behind it, is another command. So it is compared
as it is written. What is said around it may make it anything but an order (forbidden, for later, told of others), in
more ways than a program knows. So a text orders commands only if all of it does, in English words that are known:

1. Each of its sentences is an order, leads to what stands behind it, or is a word of politeness. Where one is anything
   else, or the text is longer than `LONGEST_SAID`, nothing but the text as a whole counts.
2. An order is `run`, `rerun` or `execute`, behind words such as `please`, `you can` or `then`, and commands: each
   between backticks, or one between quotes, or one up to the end of the sentence. Behind them may stand when (`now`),
   thanks, what is to be told (`and tell me the result`), and further orders (`, then`). An order that asks is one with
   `can you`.
3. What leads to something is an order of `this` or `the following`, or a heading such as `Steps:`. What stands behind
   it is a command: a paragraph, what stands between two fences, or each line behind a bullet or a number. A piece of
   several lines is one command, and none of its lines is one by itself.
4. A block of code alone, or lines behind a prompt (`$`), are commands where no other words are.

What is forbidden (`never run ...`) counts as said nowhere else in the session (`assent.flows.provenance`).

What is called by its name, and is no command, is compared by `said_names`: what stands between quotes, and words with
signs in them.

Whether a text orders an entry in a calendar or a list of tasks, whatever is in it, is told by `orders_entry`: "Read the
guide and put a plan into my calendar". It is so in a sentence that asks nothing and forbids nothing, in which such a
list is named behind a verb that begins an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from textwrap import dedent
from typing import Literal, NamedTuple, TypeAlias

LONGEST_COMMAND = 2_000
"""Characters of a command that is looked for in what was said."""
LONGEST_SAID = 8_000
"""Characters of a text that orders or forbids commands; and at the beginning of a text, and at its end, in which names
are looked for."""
MOST_COMMANDS, MOST_NAMES = 1_000, 200
"""Of one text."""
MOST_STARTS, LONGEST_TAIL = 16, 120
"""Places of a sentence, or of a text, that are looked at; characters of the words behind a command."""

_Kind: TypeAlias = Literal["text", "mark", "prompt", "block", "other"]

_MARK = re.compile(r"[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ \t]+(?:\[ \][ \t]+)?")
_PROMPT = re.compile(r"(?m)^[ \t]*(?:[$%\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})[ \t]*\w*[ \t]*\Z")
_OTHERS_LINE = re.compile(r"[ \t]{0,3}>")
_SENTENCE_END = re.compile(r"(?<=[\w`'\")\]])[.!?](?=\s)")
_ENDED = re.compile(r"[\w`'\")\]][.!?,:;]\Z")
_CODE = re.compile(r"(?<!`)(`{1,2})(?P<code>[^`\n]+)\1(?!`)")
_QUOTES = {"'": "'", '"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_QUOTED = re.compile(
    r"(?<!\w)(?:"
    + "|".join(f"{begin}[^{begin}{end}\\n]{{1,{LONGEST_COMMAND}}}{end}" for begin, end in _QUOTES.items())
    + r")(?!\w)"
)

_POLITE = (
    r"(?:(?:please|pls|plz|kindly|ok|okay|yes|great|thanks|thank you|hi|hello|hey|now|then|next|first|"
    r"second|finally|also|"
    r"again|and|and then|just|after that|afterwards|at last|go ahead and|go on and|let['\u2019]?s|let us|"
    r"(?:can|could|will|would) you(?: please| kindly| now| also| just)?|you (?:can|may|should|must|have to|need to)|"
    r"i (?:need|want|would like) you to|i['\u2019]d like you to|feel free to|(?:make|be) sure to|remember to|"
    r"(?:do not|don['\u2019]t) forget to|try to)[,:]? )"
)
_RUN = r"(?:re-?run|run|execute|try running)"
_ORDER = re.compile(
    rf"{_POLITE}{{0,6}}(?:{_RUN}(?:(?: the)? (?:following commands?|following|commands?|this|it))?(?:: ?|"
    rf" )|do (?:it|this): ?)"
    r"(?=\S)",
    re.I,
)
_FURTHER = re.compile(
    rf"[,;]? (?:and |and then |then )(?:please |also )?{_RUN} (?=\S)|[,;] (?:and )?then (?!stop\b|go on\b)(?=\S)", re.I
)
"""Before the next order of a sentence."""
_LIST_OF = re.compile(rf"(?:,|;|,? and|,? then|,? and then) (?:{_RUN} )?(?=`)", re.I)
_WHAT = (
    r"(?:the |its )?(?:results?|output|errors?)|about it|about them|what (?:it |they )?(?:says?|prints?|fails?|breaks?|"
    r"happens?)|whether it (?:works|passes|fails)|when (?:it is|it['\u2019]s|you are|you['\u2019]re) (?:done|ready)"
)
_HEDGED = re.compile(
    r"(?<!\S)#|(?<![\w'-])(?:only|unless|except|but|not|never|nothing|don['\u2019]?t|if|when|until|before|after|while|"
    r"hangs?|fails?|failed)(?![\w'-])",
    re.I,
)
"""What says, behind a command, that it is none, or not as it stands: a condition, an exception, a comment."""
_TAIL = re.compile(
    r"(?:,? (?:please|pls|thanks|thank you|thx|now|again|first|once more|one more time|twice|right away|right now|"
    r"immediately|for me|today|at once|at last|quickly|as well|too))*"
    rf"(?:[,;]? (?:and |then |and then )?(?:please )?(?:(?:tell|show|send|give) (?:me|us) (?:{_WHAT})|"
    r"report(?: back)?(?: to me)?|let me know|fix what (?:fails|breaks)|stop|go on))?[ ]*\Z",
    re.I,
)
_WHEN = re.compile(r" (?:first|now|again)", re.I)
_GAP = re.compile(r",? (?=\w)|; ")
_OR = re.compile(r"(?:,|,? (?:or|and|nor)) (?=`)")
_POLITE_BEGIN = re.compile(rf"(?:{_POLITE}){{0,3}}", re.I)
_ASKED = re.compile(r"\b(?:can|could|will|would) you\b", re.I)
_LEAD = re.compile(
    rf"(?:{_POLITE}{{0,6}}(?:{_RUN}|do) (?:this|these|it|them|all of (?:this|these|them)|the following)"
    r"(?: (?:commands?|lines?|steps?))?(?: in (?:this |that )?order| one by one| for me| now| please)*"
    rf"|{_POLITE}{{0,6}}(?:{_RUN})|(?:the )?(?:next )?(?:steps|to ?do|commands to run|as follows|then|"
    rf"first|next|now|finally))"
    r"[:.]?\Z",
    re.I,
)
_POLITE_ALONE = re.compile(
    r"(?:(?:hi|hello|hey|dear)(?: \w{1,20})?|(?:many |and )?(?:thanks|thank you|thx|cheers)(?: a lot|"
    r" very much| in advance)?|"
    r"please|great|ok|okay|(?:and )?(?:then )?(?:stop|go on)|and no more|that(?:['\u2019]s| is) all)[,.! ]*\Z",
    re.I,
)
_BARS = re.compile(
    r"(?:\bnever(?:,? ever)?|\bnot to|(?:\bnot|n['\u2019]t) want(?: you| anybody| anyone)? to|"
    r"\b(?:no ?one|nobody)(?: should| may| must| can)?|\bdo not(?: ever)?|\bdon['\u2019]?t(?: ever)?|"
    r"\b(?:must|should|may|can|will|shall)(?: not| never|n['\u2019]t)|\bcannot|\bno longer|\bstop|\bavoid|"
    r"\brefrain from|\bunder no circumstances)"
    r" (?:again |ever )?(?:run|running|execute|executing|use|using|call|calling|invoke|"
    r"start)(?: the command)?(?:: ?| |\n)",
    re.I,
)
_BARRED_END = re.compile(
    r"[,;:!?.]?\s(?=(?:again|any ?more|ever|on|in|at|for|to|from|until|unless|without|before|while|when|"
    r"if|by|please|or|"
    r"and|but|as|because|since|there|here|today|now|with|under|whatever|[-\u2013\u2014(])(?:\s|\Z|[,.!?]|\w))|"
    r"[,;!?.](?=\s|\Z)",
    re.I,
)
_IS_BARRED = re.compile(
    r" (?:(?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|banned|off limits|not allowed|not permitted)|"
    r"(?:must|may|should|can)(?: never| not|n['\u2019]t) be (?:run|used|called|executed))\b",
    re.I,
)
_LIST_BARRED = re.compile(
    r"(?:.{0,80}\b)?(?:never|do not|don['\u2019]?t|must not|forbidden|prohibited|denied|off limits)\b.{0,80}", re.I
)

ENTRIES = frozenset(
    ["calendar", "calendars", "agenda", "diary"]
    + [each + end for each in ("appointment", "event", "meeting", "reminder", "task", "todo") for end in ("", "s")]
)
"""What entries are, and where they stand, in names of tools and in what a user says."""
_ENTRY = re.compile(
    rf"(?:\A|[,;:] |\b(?:and|then|also) )(?:{_POLITE}){{0,6}}"
    r"(?:add|put|create|make|enter|schedule|set up|set|save|note|book|block|mark|insert|write|record|plan|organi[sz]e)"
    rf" (?:[^\n]{{0,160}} )?(?:{'|'.join(sorted(ENTRIES))}|to-dos?)\b",
    re.I,
)
_NO_ORDER = re.compile(
    r"\A(?:and |but )?(?:what|who|whom|whose|when|where|which|why|how|did|do|does|is|are|was|were|has|have|had|if)\b"
    r"|n['\u2019]t\b|\b(?:not|never|no|without|nothing|cannot|instead)\b",
    re.I,
)
_WHERE = re.compile(r"\bwhere\s", re.I)
_SIGNED = re.compile(r"[*?$%&;|<>=!^{}()\[\]]")
_AROUND = "\"'`.,:;!?()[]{}\u201c\u201d\u2018\u2019\u00ab\u00bb"


class _Piece(NamedTuple):
    """`other` is a line that somebody else wrote."""

    text: str
    kind: _Kind


class _Sentence(NamedTuple):
    """`end` is the sign that it ends with, where it has one."""

    text: str
    end: str


def said_commands(text: str) -> Iterator[str]:
    """Those that a text orders, each once, without the spaces around it; and the text as a whole."""
    pieces = list(_pieces(text)) if len(text) <= LONGEST_SAID else []
    orders = _orders(pieces)
    # A line alone may be a command, and may be what somebody says of one.
    whole = [] if len(pieces) == 1 and pieces[0].kind == "text" and _HEDGED.search(text) else [text]
    return _bounded(iter([*whole, *(orders or ())]), MOST_COMMANDS)


def barred_commands(text: str) -> Iterator[str]:
    """Those that a text forbids to run, each once: rather a few more than too few."""
    return _bounded(_barred(text[:LONGEST_SAID]), MOST_COMMANDS)


def said_names(text: str) -> Iterator[str]:
    """What a text may call by its name, as it is written: between quotes or backticks, or one word with signs."""
    long = len(text) > 2 * LONGEST_SAID
    found = _names(f"{text[:LONGEST_SAID]}\n\n{text[-LONGEST_SAID:]}" if long else text)
    # A bullet, and the sign of a product, name nothing: `*` would be everything.
    return _bounded((each for each in found if any(map(str.isalnum, each))), MOST_NAMES)


def orders_entry(text: str) -> bool:
    """Whether a text orders an entry in a calendar or a list of tasks."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", text[:LONGEST_SAID], maxsplit=MOST_COMMANDS)
    return any(_ENTRY.search(each.strip()) and not _NO_ORDER.search(each.strip()) for each in sentences)


def as_compared(command: str) -> str:
    """A command without the spaces and empty lines around it."""
    return command.strip(" \n")


def _bounded(found: Iterator[str], most: int) -> Iterator[str]:
    kept = (each for each in map(str.strip, found) if each and len(each) <= LONGEST_COMMAND)
    return islice(dict.fromkeys(islice(kept, 4 * most)), most)


def _orders(pieces: list[_Piece]) -> list[str] | None:
    """The commands of a text that orders, and does nothing else; None for any other text."""
    kinds = {each.kind for each in pieces}
    if "other" in kinds:
        return None
    found, led = list[str](), kinds == {"prompt"} or (kinds == {"block"} and len(pieces) == 1)
    for at, piece in enumerate(pieces):
        if piece.kind != "text":
            order = _of_text(piece.text) if piece.kind == "mark" and not led else None
            if order is None and not led:
                return None
            found += _whole(piece.text) if order is None else order
            continue
        *before, last = _sentences(piece.text)
        leads = _LEAD.match(last.text + last.end) is not None
        orders = list(map(_of_sentence, before if leads else [*before, last]))
        if all(each is not None for each in orders):
            found += [command for order in orders for command in order or ()]
        elif led and not leads and pieces[at - 1].kind == "text":
            # A paragraph behind what leads to it.
            found += _whole(piece.text)
        else:
            return _alone(piece.text) if len(pieces) == 1 else None
        led = leads
    return found


def _of_text(text: str) -> list[str] | None:
    """The commands of a paragraph whose sentences are orders or polite; None where one is neither."""
    orders = [_of_sentence(each) for each in _sentences(text)]
    return None if any(each is None for each in orders) else [command for order in orders for command in order or ()]


def _of_sentence(sentence: _Sentence) -> list[str] | None:
    text = sentence.text
    if _POLITE_ALONE.match(text):
        return []
    order = _ORDER.match(text)
    if order is None or (sentence.end == "?" and not _ASKED.search(order[0])):
        return None
    found = _in_backticks(text, order.end())
    if found is None:
        found = _in_quotes(text, order.end())
    return _to_the_end(text[order.end() :], sentence.end) if found is None else found


def _in_backticks(text: str, at: int) -> list[str] | None:
    """Commands between backticks, one behind the other, with nothing else behind them."""
    found = list[str]()
    for _ in range(MOST_STARTS):
        code = _CODE.match(text, at)
        if code is None:
            return None
        found += [code["code"], _PROMPT.sub("", code["code"])]
        if _TAIL.match(text, code.end()):
            return found
        further = _LIST_OF.match(text, code.end())
        if further is None:
            further = _LIST_OF.match(text, _when(text, code.end()))
        if further is None:
            return None
        at = further.end()
    return None


def _when(text: str, at: int) -> int:
    """Where the words end that say when, such as `first`."""
    found = _WHEN.match(text, at)
    return at if found is None else found.end()


def _in_quotes(text: str, at: int) -> list[str] | None:
    quoted = _QUOTED.match(text, at)
    return [quoted[0][1:-1], quoted[0]] if quoted and _TAIL.match(text, quoted.end()) else None


def _to_the_end(rest: str, end: str) -> list[str] | None:
    """A command as it stands, up to the end of the sentence, to words that add nothing, and to the next order."""
    if "`" in rest or "\n" in rest or _HEDGED.search(rest):
        return None
    if len(rest) > LONGEST_COMMAND:
        return []
    found = list[str]()
    for part in _FURTHER.split(rest, maxsplit=MOST_STARTS):
        found.append(part)
        if _ENDED.search(part):
            found.append(part[:-1])
        tail = _tail_of(part)
        if tail:
            found.append(part[:tail])
    return [*found, rest, rest + end]


def _tail_of(part: str) -> int:
    """Where the words begin that add nothing to the command before them; 0 where there are none."""
    for gap in _GAP.finditer(part, max(1, len(part) - LONGEST_TAIL)):
        if _TAIL.match(part, gap.start()):
            return gap.start()
    return 0


def _whole(piece: str) -> list[str]:
    """A piece that is one command."""
    piece = piece.strip()
    code = _CODE.fullmatch(piece)
    return [code["code"] if code else piece, *([piece[:-1]] if _ENDED.search(piece) else [])]


def _alone(text: str) -> list[str]:
    """A text of one sentence that is no order may be the command itself, and polite words."""
    text = text.strip()
    if text.endswith("?") or _HEDGED.search(text):
        return []
    rest = text[begin.end() :] if (begin := _POLITE_BEGIN.match(text)) else text
    code = _CODE.match(rest) or _QUOTED.match(rest)
    found = _whole(rest) if "\n" not in rest else []
    if code and _TAIL.match(rest.rstrip(".!"), code.end()):
        found.append(rest[code.start() : code.end()].strip("`\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"))
    tail = _tail_of(rest.rstrip(".!"))
    return [*found, rest[:tail]] if tail and "\n" not in rest else found


def _pieces(text: str) -> Iterator[_Piece]:
    """The pieces of a text; prompts in front of all lines of one are gone."""
    lines, fenced = list[str](), False
    kind: _Kind = "text"
    for line in [*text.split("\n"), ""]:
        fence = _FENCE.match(line) is not None
        prompt = None if fenced else _PROMPT.match(line)
        mark = None if fenced or prompt else _MARK.match(line)
        other = not fenced and _OTHERS_LINE.match(line) is not None
        if fence or mark or prompt or other or (not fenced and not line.strip()):
            if lines:
                yield _Piece(_joined(lines), kind)
            fenced ^= fence
            lines, kind = [], "block" if fenced else "mark" if mark else "prompt" if prompt else "text"
            if other:
                yield _Piece(line, "other")
            elif mark or prompt:
                lines.append(line[(mark or prompt).end() :])  # type: ignore[union-attr]  # one of them
        else:
            lines.append(line)
    if lines:
        yield _Piece(_joined(lines), "block" if fenced else "text")


def _joined(lines: list[str]) -> str:
    whole = dedent("\n".join(lines)).strip()
    return _PROMPT.sub("", whole) if all(map(_PROMPT.match, whole.split("\n"))) else whole


def _sentences(text: str) -> list[_Sentence]:
    """At least one."""
    found, first = list[_Sentence](), 0
    for end in _SENTENCE_END.finditer(text):
        found.append(_Sentence(text[first : end.start()].strip(), end[0]))
        first = end.end()
    rest = text[first:].strip()
    if rest and _ENDED.search(rest) and rest[-1] in ".!?":
        return [*found, _Sentence(rest[:-1], rest[-1])]
    return [*found, _Sentence(rest, "")] if rest or not found else found


def _barred(text: str) -> Iterator[str]:
    lead = ""
    for piece in _pieces(text):
        if piece.kind in ("mark", "block", "prompt"):
            if _LIST_BARRED.fullmatch(lead):
                yield from _whole(piece.text)
        else:
            lead = piece.text.rpartition("\n")[2]
        for bar in islice(_BARS.finditer(piece.text), MOST_STARTS):
            yield from _barred_behind(piece.text[bar.end() : bar.end() + LONGEST_COMMAND])
        for each in islice(_IS_BARRED.finditer(piece.text), MOST_STARTS):
            before = piece.text[max(0, each.start() - LONGEST_COMMAND) : each.start()]
            yield before
            yield from (code["code"] for code in _CODE.finditer(before))


def _barred_behind(rest: str) -> Iterator[str]:
    """What is forbidden, up to each place where it may end; between backticks one behind the other."""
    at = 0
    for _ in range(MOST_STARTS):
        code = _CODE.match(rest, at) or (_QUOTED.match(rest, at) if not at else None)
        if code is None:
            break
        yield rest[code.start() : code.end()].strip("`\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb")
        next_one = _OR.match(rest, code.end())
        at = next_one.end() if next_one else len(rest)
    sentence = _SENTENCE_END.search(rest)
    first = rest[: sentence.start()] if sentence else rest
    yield from (rest, first)
    for cut in islice(_BARRED_END.finditer(first), MOST_STARTS):
        yield first[: cut.start()]


def _names(text: str) -> Iterator[str]:
    for each in _CODE.finditer(text):
        yield each["code"]
    for each in _QUOTED.finditer(text):
        yield each[0][1:-1]
    for piece in _pieces(text):
        for each in islice(_WHERE.finditer(piece.text), MOST_STARTS):
            yield from _condition(piece.text[each.end() :].lstrip())
    for word in text.split():
        bare = word.strip(_AROUND)
        if _SIGNED.search(bare):
            yield bare


def _condition(rest: str) -> Iterator[str]:
    """What begins here, up to the end of its sentence."""
    rest = rest[: LONGEST_COMMAND + 1]
    quoted = _QUOTED.match(rest)
    if quoted:
        yield quoted[0][1:-1]
    sentence = _SENTENCE_END.search(rest)
    first = rest[: sentence.start()] if sentence else rest
    if "\n" not in first:
        yield first
        yield first[: _tail_of(first)]
        if _ENDED.search(first):
            yield first[:-1]
