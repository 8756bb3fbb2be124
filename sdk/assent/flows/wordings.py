"""What of a text may be a command that somebody says with it, word for word: a guess that goes by what asks for it.

    list(said_commands("Run `make test`, then rm -rf build."))      # "make test", "rm -rf build", and the whole text
    list(barred_commands("Never run `make clean` again."))          # "make clean"

A command does what it says as a whole: a part of one, or one with more behind it, is another command. So it is compared
as it is written, and counts as said only where English words ask the reader to run it, from a place where one may begin
to a place where it may end:

1. A text has pieces: paragraphs, what stands between two fences, and lines behind a bullet, a number or a prompt (`$`).
   A piece of several lines is one, and none of its lines is one by itself. Lines behind `>` are somebody else's.
2. A sentence asks where it, or what follows a comma, a semicolon, a dash or `and` in it, begins with a word that runs
   something (`run`, `please use`, `you can execute`, `let's try`), or with work to be done `with` one. The command
   stands right behind that word, between backticks or quotes, or up to the end of the sentence.
3. It ends before words that thank for it, that say when (`now`, `first`), or that go on with what comes after it (`,
   then`, `and tell me`). Before any other words, such as `in ./tmp` or `with --dry-run`, it is not cut off.
4. A sentence asks for nothing that forbids, doubts, sets a condition, asks a question, or tells what somebody else said
   (`never`, `only`, `if`, `who`, `wrote`), before or behind the command; nor one that the next sentence takes back.
   `Can you run it?` is no question.
5. A paragraph, a block, or lines of a list are commands where what leads to them asks (`Run this:`, `Steps:`), and
   where nothing else is said. So is what stands behind a colon that such words lead to.
6. What is said behind words that show something around (`summarize`, `I pasted a mail`) is no command of the user's.

What somebody forbids to run (`never run ...`) is barred: it counts as said nowhere else.

What is called by its name, and is no command, is compared by `said_names`: what stands between quotes, and words with
signs in them.
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
"""Characters at the beginning of a text, and at its end, in which commands and names are looked for."""
MOST_COMMANDS, MOST_NAMES = 1_000, 200
"""Of one text."""
MOST_STARTS, MOST_ENDS = 16, 8
"""Places of a sentence where a command may begin, and where it may end."""
LONGEST_SENTENCE, LONGEST_ASKING, LONGEST_BEHIND = 4_000, 240, 400
"""Characters of a sentence that may say one, of the words that ask for it, and of what follows it."""
LONGEST_BETWEEN = 60
"""Characters between what asks and a command between backticks."""

_Kind: TypeAlias = Literal["text", "mark", "block"]

_MARKED = re.compile(
    r"[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*(?:[$%\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+"
)
_PROMPT = re.compile(r"(?m)^[ \t]*(?:[$%\u276f\u279c]|PS [^>\n]{0,80}>)[ \t]+")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
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
    r"please|pls|plz|kindly|ok|okay|yes|yep|sure|great|perfect|thanks|thank you|hi|hello|hey|now|then|"
    r"next|first|firstly|"
    r"second|secondly|finally|lastly|also|again|and|so|just|after that|afterwards|this time|at last|go ahead and|"
    r"go and|go on and|let['\u2019]?s|let us|(?:can|could|will|would) you(?: please| kindly| now| also| just)?|"
    r"you (?:can|may|should|must|have to|need to|are to)|i(?: need|(?: want| would like|['\u2019]d like)) you to|"
    r"feel free to|make sure to|be sure to|remember to|(?:do not|don['\u2019]?t) (?:forget|hesitate) to|try to|"
    r"all you (?:have|need) to do is"
)
_RUNS = (
    r"(?:try (?:to )?)?(?:(?:re-?)?run(?:ning)?|execut(?:e|ing))|exec|do|use|try|call|type|enter|invoke|launch|issue"
)
_WORKS = (
    r"clean|install|build|compile|format|lint|deploy|restart|stop|reload|upgrade|commit|push|pull|fetch|rebase|merge|"
    r"publish|release|migrate|reset|initiali[sz]e|init|sync|restore|download|kill|package|revert|undo|do|run|execute|"
    r"start the (?:server|app|application|service|container|database|cluster)"
)
_BEHIND = r"(?:(?:the|a|this|that|these|following|command|commands|it|both)\s+)*"
_ASKS = re.compile(
    rf"(?:(?:{_POLITE})[,:]?\s+){{0,6}}(?:{_RUNS})(?::\s*|\s+{_BEHIND}(?:(?:command|commands|this|that|"
    rf"these|following|it):\s*)?)",
    re.I,
)
_WITH = re.compile(
    rf"(?:(?:{_POLITE})[,:]?\s+){{0,6}}(?:(?:{_WORKS})\b[^:,;\n`]{{0,{LONGEST_BETWEEN}}}?\s"
    r"(?:with|using|via|by (?:running|using|calling)|through)"
    r"|(?:show|give|get|send)(?: me| us)? (?:the )?(?:output|results?) of)\s+(?:the command\s+)?",
    re.I,
)
_MAY_ASK = re.compile(rf"\b(?:{_RUNS}|{_WORKS}|please|pls|plz|kindly|then|output|results?)\b|:\s", re.I)
_AT_ONCE = re.compile("")
_KINDLY = re.compile(rf"(?:(?:{_POLITE})[,:]?\s+){{0,6}}(?:please|pls|plz|kindly|then)[,:]?\s+", re.I)
_CLAUSE = re.compile(r"(?P<sign>,\s(?:so|but|then|and)\s|[,;]\s|(?<=\S)\s(?:[-\u2013\u2014]|and)\s|:\s)", re.I)
_LEADS = re.compile(
    rf"(?:(?:{_POLITE})[,:]?\s+){{0,6}}(?:(?:{_RUNS}|start|follow|deploy|build|install|set up|"
    rf"clean(?: up)?|restart|stop|"
    r"reset|reload|migrate|release|publish|commit|push|proceed)\b(?:\s+[\w./-]+){0,5}"
    r"|(?:delete|drop|update|insert|change)\s+(?:it|them|these|those|all|everything|this|"
    r"that)(?:\s+\w+){0,2})\s*[:.!]?\Z"
    r"|(?:the )?(?:next |following )?(?:steps?|to ?do|todos|tasks|plan|commands to run|as follows|"
    r"like this|like so|first|"
    r"second|third|then|next|now|finally|after that|and then|in this order)(?: to (?:do|run|take))?\s*[:.!]?\Z",
    re.I,
)
_ELSEWHERE = re.compile(
    r"\b(?:in|into|to|from|for|as|on|of)\s+(?:\w+\s+){0,2}(?:readme|docs?|documentation|files?|scripts?|rules?|texts?|"
    r"messages?|e?-?mails?|tickets?|notes?|prompts?|examples?|templates?|makefile|comments?|pages?|lists?|alias(?:es)?|"
    r"targets?|dialogs?|posts?|runbook|\S+\.\w{1,5})\b",
    re.I,
)
"""Where a leading line puts something."""
_DENIES = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|avoid|stop|den(?:y|ied)|forbid\w*|prohibit\w*|"
    r"ban(?:s|ned)?|block(?:ed|list)?|disallow\w*|refus\w+|refrain|danger\w*|harmful|bad|wrong|beware|"
    r"off limits|kidding|"
    r"dont|wont|cant)\b|n['\u2019]t\b",
    re.I,
)
"""What forbids."""
_LIMITS = re.compile(
    r"\b(?:without|instead|rather|except|excluding|excluded|unless|careful|joking|but|however|though|although|only|dry|"
    r"simulat\w+|pretend|imagine|suppose|hypothetical\w*|confirm\w*|approv\w+|permission|unsure|maybe|perhaps|might|"
    r"tomorrow|tonight|later|yesterday|hold|wait|ask|check with|if|iff|whenever|when|(?<!at )once(?! more|"
    r" again)|before|"
    r"until|till|after|while|provided|assuming|depending|in case|as soon as|should it|emergency|"
    r"(?:next|last) (?:week|month|year|time|night)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.I,
)
"""What doubts, postpones or sets a condition."""
_TELLS = re.compile(
    r"\b(?:what|why|how|who|whom|whose|which|where|whether|wonder\w*|explain\w*|describ\w+|tell\w*|told|asks?|asked|"
    r"asking|wants|wanted|wrote|writes?|written|says?|said|repl(?:y|ied|ies)|claim\w*|mean\w*|happens?|"
    r"happened|history|"
    r"quotes?|quoted|tried|used to|had to|has to|ran|someone|somebody|anyone|anybody|everyone|people|he|she|they|"
    r"attacker|hacker|mistake)\b",
    re.I,
)
"""What asks a question, or tells of others."""
_SHOWS = re.compile(
    r"\b(?:summari[sz]e|translate|classify|proofread|paste[ds]?|pasting|forward(?:ed|ing)?|thread|phishing|transcript|"
    r"(?:mail|e-?mail|message|text|ticket|letter|log|post|issue|review)s? below|following (?:mail|e-?mail|message|text|"
    r"ticket|letter|log|post|issue|review)s?|(?:wrote|writes|says|said|replied|asks|asked):)",
    re.I,
)
"""What shows words of others around."""
_TAKES_BACK = re.compile(
    r"(?:oh |ah |hm+ |well |or )?(?:no|not|never|don['\u2019]?t|do not|wait|stop|just kidding|kidding|"
    r"joking|but|only|unless|"
    r"if|actually|hold|on second thought|absolutely not|forget it|scratch that|sorry)\b",
    re.I,
)
_CRIES = re.compile(r"(?:never|do not|don['\u2019]?t|stop|no)(?:\W+\w+){0,3}\W*", re.I)
"""A sentence that only forbids."""
_BARS = re.compile(
    r"(?:\bnever|\bdo not|\bdon['\u2019]?t|\b(?:must|should|may|can|will)(?: not|n['\u2019]?t)|\bcannot|"
    r"\bnot to|\bno longer|\bstop|"
    r"\bavoid|\brefrain from|\bnobody (?:may|should|must)|\bforbidden to|\bnot allowed to)\s+(?:(?!forget|"
    r"hesitate)\w+\s+){0,2}?"
    r"(?:run(?:ning)?|execut(?:e|ing)|us(?:e|ing)|call(?:ing)?|do(?:ing)?|typ(?:e|ing)|try(?:ing)?|"
    r"launch(?:ing)?)\b[:\s]\s*",
    re.I,
)
_BARRED_END = re.compile(
    r"[,;:!?.]?\s(?=(?:again|any ?more|ever|on|in|at|for|to|from|until|unless|without|before|while|please|or|and|but|"
    r"as|because|since|there|here|today|now|with|under|whatever|[-\u2013\u2014(])(?:\s|\Z|[,.!?]))|[,;!?.](?=\s|\Z)",
    re.I,
)
_WHEN = (
    r"(?:please|pls|plz|thanks|thank you|thx|now|again|first|next|once more|one more time|twice|right away|right now|"
    r"immediately|for me|today|at once|at last|quickly|then|too|as well|on (?:it|this|them))"
)
_GOES_ON = (
    r"(?:,? ?(?:and |then |and then |afterwards |after that )"
    r"(?:then |also |please )*(?:tell|show|report|fix|let|give|send|paste|post|commit|push|see|make sure|confirm|say|"
    r"explain|stop|look|summari[sz]e|check|verify|run|rerun|execute|open|read|write|start|deploy|restart|go|come|do|"
    r"repeat|continue|wait|`|'|\")"
    r"|, then |, so |;| so that | so we | to (?:see|check|verify|find|make sure|make|get|test|build|install|start|know|"
    r"fix|try|be)\b| [-\u2013\u2014] (?:it|this|that|we|they|you|the)\b| \((?:it|this|that|takes|should|"
    r"about|we|you|the|just)\b)"
)
_TAIL = re.compile(rf"(?:,? {_WHEN})*(?:[.!]|(?:{_GOES_ON})[^\n]*)?\s*\Z", re.I)
_CUT = re.compile(rf"(?=,? {_WHEN}(?:[.!,; ]|\Z))|(?={_GOES_ON})", re.I)
_NEXT_ONE = re.compile(r"\s*(?:,|;|\band\b|\bthen\b|\bplus\b)(?:\s*(?:,|and|then|run|execute|also))*\s*\0+", re.I)
_BETWEEN = re.compile(
    r"(?:[^\0]{0,60}?\b(?:with|using|via|by (?:running|using|calling)|through|commands?:?|following:?|"
    r"these:?|this:?)\s+)?"
    r"(?:\0+(?:\s*(?:,|;|and|then|plus|run|execute|also))+\s*)*",
    re.I,
)
"""Between what asks and a command in backticks: what it is for, and other commands."""
_POLITE_END = re.compile(rf"(?:,? {_WHEN})+[.!]?\s*\Z|[.!]?\s*\Z", re.I)
_TWO = re.compile(r"(?P<one>(?P<program>[\w./-]+) [^,;\n]{1,200}?) and (?P<other>(?P=program) [^,;\n]{1,200})")
"""Two commands of one program, such as `npm ci and npm test`."""
_IS_BARRED = re.compile(
    r"[\s:,\u2013\u2014-]+(?:(?:is|are|must|may|should|can|will)\b\W*)?(?:\w+\s+){0,2}?(?:not|never|"
    r"forbidden|prohibited|banned|"
    r"off limits|no longer|n['\u2019]t|don['\u2019]?t|do not)\b",
    re.I,
)

_WHERE = re.compile(r"\bwhere\s", re.I)
_SIGNED = re.compile(r"[*?$%&;|<>=!^{}()\[\]]")
_AROUND = "\"'`.,:;!?()[]{}\u201c\u201d\u2018\u2019\u00ab\u00bb"


class _Piece(NamedTuple):
    text: str
    kind: _Kind


def said_commands(text: str) -> Iterator[str]:
    """Those that a text may say, each once, without the spaces around it."""
    return _bounded(_commands(text), MOST_COMMANDS)


def barred_commands(text: str) -> Iterator[str]:
    """Those that a text forbids to run, each once: rather a few more than too few."""
    return _bounded(_barred(text), MOST_COMMANDS)


def said_names(text: str) -> Iterator[str]:
    """What a text may call by its name, as it is written: between quotes or backticks, or one word with signs."""
    long = len(text) > 2 * LONGEST_SAID
    return _bounded(_names(f"{text[:LONGEST_SAID]}\n\n{text[-LONGEST_SAID:]}" if long else text), MOST_NAMES)


def as_compared(command: str) -> str:
    """A command without the spaces and empty lines around it."""
    return command.strip(" \n")


def _both_ends(text: str) -> list[str]:
    """What is pasted between what is said is long, and says nothing: the whole paragraphs at the beginning and at the
    end of a long text."""
    if len(text) <= 2 * LONGEST_SAID:
        return [text]
    first, last = text[:LONGEST_SAID], text[-LONGEST_SAID:]
    return [first.rpartition("\n\n")[0], last.partition("\n\n")[2]]


def _bounded(found: Iterator[str], most: int) -> Iterator[str]:
    kept = (each for each in map(str.strip, found) if each and len(each) <= LONGEST_COMMAND)
    return islice(dict.fromkeys(islice(kept, 4 * most)), most)


def _commands(text: str) -> Iterator[str]:
    yield text
    for part in _both_ends(text):
        yield from _of_part(list(_pieces(part)), whole=part is text)
        if _SHOWS.search(part):
            return


def _of_part(pieces: list[_Piece], *, whole: bool) -> Iterator[str]:
    """Up to where something is shown and not said. `whole` is whether nothing of the text was left out."""
    led = _leading(pieces, alone=whole and all(each.kind != "text" for each in pieces))
    for piece, lead, taken_back in zip(pieces, led, _taken_back(pieces), strict=True):
        if lead == "asks" and not taken_back:
            yield from _whole(piece.text)
        if piece.kind == "block" or lead == "forbids":
            continue
        sentences = _sentences(piece.text)
        if len(pieces) == 1 and len(sentences) == 1 and whole:
            yield from _alone(piece.text)
        for number, sentence in enumerate(sentences):
            after = sentences[number + 1].text if number + 1 < len(sentences) else ""
            cried = number > 0 and _CRIES.fullmatch(sentences[number - 1].text) is not None
            if cried or _TAKES_BACK.match(after) or (not after and taken_back):
                continue
            yield from _of_sentence(sentence)
            if _SHOWS.search(sentence.text):
                return
        if _SHOWS.search(piece.text):
            return


_Lead: TypeAlias = Literal["", "asks", "forbids"]


def _leading(pieces: list[_Piece], *, alone: bool) -> list[_Lead]:
    """What leads to each piece: the last text before it, or nothing where no text stands beside any of them."""
    found = list[_Lead]()
    lead: _Lead = "asks" if alone else ""
    for piece in pieces:
        found.append(lead)
        if piece.kind == "text" and not piece.text.startswith((" ", "\t")):
            last = _sentences(piece.text)[-1]
            line = last.text.strip(" \t#*_") + last.end
            if _DENIES.search(line) or _LIMITS.search(line) or _TELLS.search(line) or last.end == "?":
                lead = "forbids"
            elif _leads_on(line.rstrip("*_ :")):
                lead = "asks"
            else:
                lead = ""
    return found


def _taken_back(pieces: list[_Piece]) -> list[bool]:
    """Whether the next text behind each piece takes back what it says."""
    found, behind = list[bool](), False
    for piece in reversed(pieces):
        found.append(behind)
        if piece.kind == "text":
            behind = _TAKES_BACK.match(piece.text.lstrip()) is not None
    return found[::-1]


def _pieces(text: str) -> Iterator[_Piece]:
    """The pieces of a text; prompts in front of all lines of one are gone, and what others wrote."""
    lines, fenced = list[str](), False
    kind: _Kind = "text"
    for line in [*text.split("\n"), ""]:
        fence = _FENCE.match(line) is not None
        mark = None if fenced else _MARKED.match(line)
        quoted = not fenced and not fence and _OTHERS_LINE.match(line) is not None
        if fence or mark or quoted or (not fenced and not line.strip()):
            if lines:
                yield _Piece(_joined(lines), kind)
            fenced ^= fence
            lines, kind = [], "block" if fenced else "mark" if mark else "text"
            if mark:
                lines.append(line[mark.end() :])
        else:
            lines.append(line)
    if lines:
        yield _Piece(_joined(lines), "block" if fenced else "text")


def _joined(lines: list[str]) -> str:
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    whole = dedent("\n".join(lines)).strip()
    return indent + (_PROMPT.sub("", whole) if all(map(_PROMPT.match, whole.split("\n"))) else whole)


class _Sentence(NamedTuple):
    """`end` is the sign that it ends with, where it has one."""

    text: str
    end: str


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


def _of_sentence(sentence: _Sentence) -> Iterator[str]:
    text, asked = sentence.text, False
    if len(text) > LONGEST_SENTENCE or not _MAY_ASK.search(text):
        return
    plain = _without_code(text)
    for start in _starts(plain):
        before = plain[: start.begin]
        if _LIMITS.search(before) or _TELLS.search(before) or (_DENIES.search(before) and not start.parted):
            return
        if start.colon and not _leads_on(before):
            continue
        found = _asking(plain, start, asked=asked)
        if found is None or (
            sentence.end == "?" and not re.search(r"\b(?:can|could|will|would) you\b", found[0], re.I)
        ):
            continue
        asked = True
        yield from _behind(text, plain, found.end(), sentence.end)


def _leads_on(before: str) -> bool:
    """Whether what stands before a colon leads to a command."""
    line = before.strip(" \t#*_")
    return len(line) <= LONGEST_ASKING and _LEADS.match(line + ":") is not None and not _ELSEWHERE.search(line)


class _Start(NamedTuple):
    """A place in a sentence where a clause begins. `parted` is whether what stands before it is one by itself."""

    begin: int
    at: int
    parted: bool = True
    colon: bool = False
    then: bool = False


def _starts(plain: str) -> Iterator[_Start]:
    yield _Start(0, 0)
    for sign in islice(_CLAUSE.finditer(plain), MOST_STARTS):
        what = sign["sign"].strip().lower()
        parted = what == ";" or what.endswith(("so", "but"))
        yield _Start(sign.start(), sign.end(), parted, what == ":", what.endswith("then"))


def _asking(plain: str, start: _Start, *, asked: bool) -> re.Match[str] | None:
    """What asks for a command at the beginning of a clause; `asked` is whether the sentence has asked for one."""
    at = start.at + len(plain[start.at :]) - len(plain[start.at :].lstrip())
    end = at + LONGEST_ASKING
    found = _WITH.match(plain, at, end) or _ASKS.match(plain, at, end)
    if found is None and start.at == 0:
        found = _KINDLY.match(plain, at, end)
    if found is None and (start.colon or (start.then and asked)):
        found = _AT_ONCE.match(plain, start.at)
    return found


def _behind(text: str, plain: str, at: int, end: str) -> Iterator[str]:
    """The commands that stand from a place of a sentence on, where what follows adds nothing to them."""
    for code in islice(_CODE.finditer(text, at), MOST_STARTS):
        between, rest = plain[at : code.start()], _after_others(plain[code.end() :])
        if _fits(between) and _adds_nothing(rest):
            yield code["code"]
            yield _PROMPT.sub("", code["code"])
    rest = text[at : at + LONGEST_COMMAND + 1]
    quoted = _QUOTED.match(rest)
    if quoted and _adds_nothing(plain[at + quoted.end() :]):
        yield quoted[0][1:-1]
    if "\n" in rest:
        return
    yield rest
    yield rest + end
    if rest[-1:] in ",;:":
        yield rest[:-1]
    for cut in islice(_CUT.finditer(rest), MOST_ENDS):
        if _adds_nothing(plain[at + cut.start() :]):
            yield rest[: cut.start()]
    two = _TWO.fullmatch(rest)
    if two:
        yield from (two["one"], two["other"])


_HIDDEN = "\0"
"""In the place of each character between backticks, whose words say nothing around them."""


def _without_code(text: str) -> str:
    return _CODE.sub(lambda found: _HIDDEN * len(found[0]), text)


def _after_others(rest: str) -> str:
    """What follows a command, and others behind it that are said in the same breath."""
    while (next_one := _NEXT_ONE.match(rest)) is not None:
        rest = rest[next_one.end() :]
    return rest


def _adds_nothing(rest: str) -> bool:
    if len(rest) > LONGEST_BEHIND:
        return False
    return _TAIL.match(rest) is not None and not _DENIES.search(rest) and not _LIMITS.search(rest)


def _fits(between: str) -> bool:
    """Whether nothing but other commands, or what they are for, stands between what asks and a command."""
    if len(between.replace(_HIDDEN, "")) > LONGEST_BETWEEN or _ELSEWHERE.search(between):
        return False
    return _BETWEEN.fullmatch(between) is not None and not any(
        each.search(between) for each in (_DENIES, _LIMITS, _TELLS)
    )


def _whole(piece: str) -> Iterator[str]:
    """A piece that is one command."""
    piece = piece.strip()
    code = _CODE.fullmatch(piece)
    yield code["code"] if code else piece
    if _ENDED.search(piece):
        yield piece[:-1]


def _alone(text: str) -> Iterator[str]:
    """A text of one sentence that asks for nothing may be the command itself."""
    text = text.strip()
    code = _CODE.match(text) or _QUOTED.match(text)
    if code and _POLITE_END.fullmatch(text[code.end() :]):
        yield text[code.start() : code.end()].strip("`\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb")
    yield from _whole(text)
    polite = _POLITE_END.search(text, max(0, len(text) - LONGEST_ASKING))
    if polite:
        yield text[: polite.start()]


def _barred(text: str) -> Iterator[str]:
    for part in _both_ends(text):
        pieces = list(_pieces(part))
        for piece, lead in zip(pieces, _leading(pieces, alone=False), strict=True):
            if lead == "forbids" and piece.kind != "text":
                yield from _whole(piece.text)
            for sentence in _sentences(piece.text) if piece.kind != "block" else ():
                yield from _barred_in(sentence.text)


def _barred_in(sentence: str) -> Iterator[str]:
    if len(sentence) > LONGEST_SENTENCE:
        return
    for bar in islice(_BARS.finditer(sentence), MOST_STARTS):
        for code in islice(_CODE.finditer(sentence, bar.end()), MOST_STARTS):
            yield code["code"]
        rest = sentence[bar.end() : bar.end() + LONGEST_COMMAND]
        yield rest
        for cut in islice(_BARRED_END.finditer(rest), MOST_ENDS):
            yield rest[: cut.start()]
    for code in _CODE.finditer(sentence):
        if _IS_BARRED.match(sentence, code.end()):
            yield code["code"]


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
        for cut in islice(_CUT.finditer(first), MOST_ENDS):
            if _adds_nothing(first[cut.start() :]):
                yield first[: cut.start()]
        yield first
        if _ENDED.search(first):
            yield first[:-1]
