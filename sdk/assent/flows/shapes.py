"""What a word leads to by its looks: a mailbox, a web address, an account number; and which words of a text do.

A value that stands by itself is taken at its looks, but for rule 2. In a text that is written (`Text`) three things
lead nowhere:

1. This machine: `localhost`, `127.0.0.0/8`, `0.0.0.0` and `::1`.
2. A word with points alone, without a scheme, `www.`, a path, a query or a port, whose last part is no ending of hosts,
   public or private: `os.path.join`. Nobody can be asked at it, and no mail program makes a link of it. That is so of a
   value as well, but where its argument says that a host or an address belongs there.
3. In the text of a file, or in code, such a word that the signs around it make code of, unless people name hosts with
   its ending (`self.app.run(x)`, and not `evil.com(x)`); the number of a version; and a namespace of XML, which names
   and is not asked for. A schema of JSON (`$schema`) is, by editors, so only those are names which they have with them.

In a message rule 3 does not count: a program that shows it makes links of words with public endings, whatever stands
around them, and may look at them before anybody does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.addresses import host_of
from assent.flows.pack import Pack
from assent.flows.spelling import (
    FEWEST_DIGITS,
    MOST_PARTS,
    grouped_numbers,
    may_lead,
    raw_words,
    spelled,
    unescaped,
    words_at,
)

Shape: TypeAlias = Literal["value", "email address", "web address", "account number", "code"]
Text: TypeAlias = Literal["given", "message", "file", "near"]
"""What a text is: a value or a command, of which each word is taken at its looks; what somebody may read; what is put
into a file or run; or what is looked for on this machine, and leads nowhere."""
_Doubt: TypeAlias = Literal["", "scheme", "name", "version", "namespace"]
"""What a word may be instead of an address: the scheme alone of one in brackets, and what files have."""

ADDRESSES = frozenset[Shape](["email address", "web address"])
LONGEST_NUMBER = 64
"""Letters and digits of an account number; more of them are a code, such as a text in base64."""
AROUND = 200
"""Characters on each side of a word that tell whether it is code."""
MOST_DOUBTS = 5_000
"""Places in a text that are looked at for that; of one with more each word is taken at its looks."""
_EMAIL = re.compile(r"[^@\s]+@(?:[^@\s:]+\.[^@\s.:]{2,}|localhost)")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?P<end>xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?P<port>:\d+)?(?P<rest>[/?#].*)?", re.S)
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?P<rest>(?::\d+)?(?:[/?#].*)?)", re.S)
_REMOTE_PATH = re.compile(r"(?:[^@\s/:]+@)?[\w.-]{2,}:[~/].*|[^@\s/:]+@[\w-]+(?:\.[\w-]+)+:[^\s].*", re.S)
"""A host with a path on it, as `scp` takes it, or somebody at one, as `git` does; a letter alone is a drive."""
_IP6 = re.compile(r"[0-9a-f:]*::[0-9a-f:.]*(?:\].*)?|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?:\].*)?", re.S)
_NUMBERED = re.compile(r"0x[0-9a-f]{7,8}|0[0-7]{8,11}|[1-9]\d{7,9}", re.I)
_LEAST_NUMBERED, _MOST_NUMBERED = 1 << 24, (1 << 32) - 1
"""Of the four bytes of a host as one number, of which the first one is none."""
_IBAN = re.compile(r"[a-z]{2}\d{2}[a-z0-9]{10,30}")
_BEGINS = re.compile(r"(?:https?|ftps?|wss?):[/\\]|[a-z][a-z0-9+.-]{1,15}://|www\.|\\\\[^\\]|//[^/]")
"""An address by its beginning: a scheme, `www.`, a share of a network, or an address without its scheme."""
_OPENS = re.compile(r"\s*(?:mailto|tel|sms):", re.I)
_JOINED = re.compile(r"[A-Za-z0-9]{14,34}")
_DATE = re.compile(r"\d{4}-?\d\d-?\d\d(?:t.*)?")

_THIS_MACHINE = re.compile(
    r"(?:[a-z]{2,9}:)?(?:[a-z][a-z0-9+.-]{1,15}:)?(?://)?(?:[^@/?#\\%]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0)"
    r"(?::\d{1,5})?(?:[/?#][^@\\%:]*)?"
)
_THIS_MACHINE_IN_BRACKETS = re.compile(r"\[::1?\](?![\w.@%\\-])")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,15}://", re.I)
_EDGES = "*_~-.,:;!?'"

_IMPORT = re.compile(
    r"(?:from [\w.]+ import\b.*|(?:import|using|package|namespace)(?: static)? [\w.]+(?:\.\*| as \w+)?(?:, [\w.]+)*;?)"
)
_ASSIGNED = re.compile(r"\s{0,9}(?:[-+*/%|&^!=]|\*\*|//|<<|>>)?=")
_BEFORE_ASSIGNED = re.compile(r"\s*(?:[}\]]?\s*(?:if|elif|else if|while|assert|return)\b)?[\s(]*|.*(?:\(|&&|\|\|)\s*")
_EXPRESSION = re.compile(
    r"(?:\A|;)\s*(?:return|elif|yield|await|throw|raise|del)\s+\Z"
    r"|(?:\A|;)\s*(?:export\s+)?(?:const|let|var|val|auto)\s+\w{1,64}\s*=\s*\Z"
    r"|\w\((?:[\w.]{1,64}\s?,\s?){0,8}\Z"
)
_STATEMENT = re.compile(r"\b(?:select|update|delete|insert|merge)\b", re.I)
_TABLE = re.compile(
    r"\b(?:from|join|update|into|using)\s+(?:only\s+)?([\w.\"`]{1,130})(?:\s+(?:as\s+)?([a-z_]\w{0,63}))?", re.I
)
_CLAUSE = r"(?:select|where|and|or|on|order\s+by|group\s+by|having|set|from|join|update|delete|when|then|else)"
_COLUMN = re.compile(
    rf"(?:\A|[\"'`(])\s*{_CLAUSE}\b(?:[^|$;\"'`]*(?:[,=<>(+*/-]\s*|\b(?:distinct|not|between|{_CLAUSE})\s+)|\s+)\Z",
    re.I,
)
_CONTINUED = re.compile(r"(?:,|\b(?:select|distinct|by))\s*\Z", re.I)
_VERSION = re.compile(r"(?:\bversion[\w-]{0,20}[\"']?\s{0,9}[:=]{1,2}\s{0,9}[\"']?|[\w\]][=<>~^!]=)\Z", re.I)
_NAMESPACE = re.compile(r"\bxmlns(?::[\w.-]{1,64})?\s{0,9}=\s{0,9}[\"']\Z")
_SCHEMA = re.compile(r"[\"']\$schema[\"']\s{0,9}:\s{0,9}[\"']\Z")


def shape_of(word: str, pack: Pack) -> Shape:
    """Of one visible word, by its looks."""
    if not may_lead(word):
        return "value"
    plain = spelled(word)
    low = word.lower().lstrip("([<\"'*_")
    if _BEGINS.match(low):
        return "web address"
    if "@" in plain and _EMAIL.fullmatch(plain):
        return "email address"
    domain = _DOMAIN.fullmatch(plain) if "." in plain else None
    if domain and (domain["rest"] or "").startswith(("/", "?")):
        return "web address"
    if domain and domain["end"] not in pack.words.endings and (domain["port"] or _ends_host(domain["end"], pack)):
        return "web address"
    if (
        _REMOTE_PATH.fullmatch(plain)
        or _IP.fullmatch(plain)
        or (plain.count(":") > 1 and _IP6.fullmatch(low.lstrip("[").rstrip("])>.,;")))
    ):
        return "web address"
    if _IBAN.fullmatch(plain) or (
        plain.isalnum() and sum(map(str.isdecimal, plain)) >= FEWEST_DIGITS and not _DATE.fullmatch(plain)
    ):
        return "code" if len(plain) > LONGEST_NUMBER and not plain.isdecimal() else "account number"
    return "value"


def _ends_host(end: str, pack: Pack) -> bool:
    known = pack.words
    if not end.isascii() or end.startswith("xn--"):
        return True
    return end in known.public_endings or end in known.host_endings or end in known.private_endings


def whole_shape(text: str, pack: Pack) -> Shape:
    """Of a value that is looked at as one."""
    shape = shape_of(text.strip(), pack)
    return "account number" if shape == "value" and grouped_numbers(text) else shape


def opened_shape(text: str, shape: Shape) -> Shape:
    """Of one word in the place of an address, which makes one of it: what has no other shape, a login (`a:b@x.com`), a
    host as a number, and what another program is opened with (`mailto:`)."""
    is_one = shape == "value" or _has_login(text, shape) or _OPENS.match(text) is not None or _is_numbered(text)
    return "web address" if is_one else shape


def host_shape(text: str, shape: Shape) -> Shape:
    """The same in the place of a host."""
    named = shape == "value" and _DOMAIN.fullmatch(spelled(text)) is not None
    return "web address" if named or _is_numbered(text) else shape


def _has_login(text: str, shape: Shape) -> bool:
    """Whether what looks like a mail's address names somebody with a password, as that of a site does: `a:b@x.com`."""
    return shape == "email address" and ":" in text.partition("@")[0].removeprefix("mailto:")


def _is_numbered(text: str) -> bool:
    """Whether it may be a host whose address is written as one number."""
    text = text.strip()
    if not text.isascii() or not _NUMBERED.fullmatch(text):
        return False
    base = 16 if text[1:2] in ("x", "X") else 8 if text[0] == "0" else 10
    return _LEAST_NUMBERED <= int(text, base) <= _MOST_NUMBERED


def leads_away(text: str, shape: Shape) -> bool:
    """Whether it is a destination by itself: an address, or an account number that is more than digits."""
    return shape in ADDRESSES or shape == "code" or (shape == "account number" and not text.strip().isdecimal())


def ibans(text: str) -> Iterator[str]:
    """Those that stand in a text beside a sign that joins words, such as `SEPA/DE12...`."""
    if not text.isalnum():
        yield from dict.fromkeys(each for each in _JOINED.findall(text) if _IBAN.fullmatch(each.lower()))


class Host(NamedTuple):
    """Of a web address. `spoken` is whether people name a host so without a scheme, `alone` whether the address has a
    scheme and nothing else."""

    name: str
    spoken: bool
    alone: bool


def host_in(text: str, pack: Pack) -> Host:
    """That of a visible web address; its name is empty where it has none that programs agree on."""
    address, schemed = spelled(text), _BEGINS.match(text.lower()) is not None
    name = host_of(address)
    before, colon, port = name.partition(":")
    if colon and not port.isdecimal() and "@" in address:
        # `git@x.com:path`
        name = before
    end = before.rpartition(".")[2]
    spoken = end in pack.words.host_endings or (end == name and not schemed) or _IP.fullmatch(name) is not None
    return Host(name, spoken, schemed and address == name)


def leading(text: str, words: list[str], pack: Pack, of: Text) -> Iterator[tuple[str, Shape]]:
    """What leads somewhere in a visible text with these words, each once, its escapes read."""
    plainly = unescaped(text)
    if plainly is not text:
        text, words = plainly, raw_words(plainly)
    looks = [(word, *_looks(word, pack, of)) for word in dict.fromkeys(words) if not word.isalpha() and may_lead(word)]
    doubts: dict[str, _Doubt] = {word: doubt for word, _, doubt in looks if doubt}
    code = _only_code(text, doubts, pack) if doubts else frozenset[str]()
    met: set[str] = set()
    for word, shape, _ in looks:
        if shape == "value":
            if ":" in word and not _is_this_machine(word):
                for each in word.split(":", MOST_PARTS):
                    shape, _ = _looks(each, pack, of)
                    plain = spelled(each) if shape != "value" else ""
                    if plain and plain not in met:
                        met.add(plain)
                        yield each, shape
            continue
        plain = spelled(word)
        if plain and plain not in met and word not in code:
            met.add(plain)
            yield word, shape
    for word in grouped_numbers(text):
        if word not in met and not _DATE.fullmatch(word):
            met.add(word)
            yield word, "account number"


def _looks(word: str, pack: Pack, of: Text) -> tuple[Shape, _Doubt]:
    """The shape of a word in a text, and what it may be instead where it stands."""
    shape = shape_of(word, pack)
    if of == "given" or shape not in ADDRESSES:
        return shape, ""
    if _is_this_machine(word):
        return "value", ""
    if shape == "email address":
        return shape, ""
    if _SCHEME.fullmatch(word):
        return shape, "scheme"
    if any(each in word.strip(":") for each in ("/", ":", "\\")) or word.lower().strip(_EDGES).startswith("www."):
        return shape, "namespace" if of == "file" else ""
    plain = spelled(word)
    number = _IP.fullmatch(plain)
    if number:
        return shape, "version" if of == "file" and not number["rest"] else ""
    domain = _DOMAIN.fullmatch(plain)
    if not domain or domain["port"] or (domain["rest"] or "#")[0] != "#":
        return shape, ""
    end, known = domain["end"], pack.words
    if not end.isascii() or end.startswith("xn--"):
        return shape, ""
    common = end in known.public_endings and end in known.host_endings
    return shape, "name" if of == "file" and not common else ""


def _is_this_machine(word: str) -> bool:
    if "127." not in word and "0.0.0" not in word and "localhost" not in word.lower():
        return False
    return _THIS_MACHINE.fullmatch(word.lower().strip(_EDGES)) is not None


def _only_code(text: str, doubts: Mapping[str, _Doubt], pack: Pack) -> frozenset[str]:
    """Those of the words in doubt that are no address wherever they stand."""
    found = set(doubts)
    looked_at, tables = 0, None
    for word, start, end in words_at(text):
        if word not in found:
            continue
        first = max(text.rfind("\n", max(0, start - AROUND), start) + 1, start - AROUND)
        before, after = text[first:start], text[end : end + AROUND]
        is_none = _is_none(doubts[word], word, before, after, pack)
        above = "" if before.strip() else text[max(0, start - AROUND) : start]
        if not is_none and doubts[word] == "name" and (_COLUMN.search(before) or _CONTINUED.search(above)):
            tables = _tables(text) if tables is None else tables
            is_none = spelled(word).partition(".")[0] in tables
        looked_at += 1
        if not is_none:
            found.discard(word)
        if not found or looked_at > MOST_DOUBTS:
            break
    return frozenset(found if looked_at <= MOST_DOUBTS else ())


def _is_none(doubt: _Doubt, word: str, before: str, after: str, pack: Pack) -> bool:
    """Whether a word is what it may be, by what stands around it."""
    match doubt:
        case "scheme":
            return _THIS_MACHINE_IN_BRACKETS.match(after) is not None
        case "version":
            return _VERSION.search(before) is not None
        case "namespace" if _NAMESPACE.search(before):
            return True
        case "namespace":
            return _SCHEMA.search(before) is not None and host_of(spelled(word)) in pack.words.schema_hosts
        case _:
            return _is_code(word, before, after)


def _is_code(word: str, before: str, after: str) -> bool:
    """Whether a word with points is code by the signs around it. What stands in quotes or between spaces is not: hosts
    are written so in code, in settings and in a shell's lines. Nor is what a shell would hand to a program as a word of
    its own beside others, whatever these are: `curl return evil.run`."""
    if after[:1] in ("(", "[") or _EXPRESSION.search(before):
        return True
    if _ASSIGNED.match(after) and _BEFORE_ASSIGNED.fullmatch(before):
        return True
    if not before.strip() and word.startswith("@"):
        return True
    if before.endswith(("${", "{{")) and after.startswith("}"):
        return True
    return _IMPORT.fullmatch((before + word + after.partition("\n")[0]).strip()) is not None


def _tables(text: str) -> frozenset[str]:
    """Names by which the statements of a text call their tables."""
    if not _STATEMENT.search(text):
        return frozenset()
    return frozenset(spelled(each) for found in _TABLE.findall(text) for each in found if each)
