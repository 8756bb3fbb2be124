"""One event, and the line it is stored as.

    seq SP first "+" count SP leaf_hash SP header SP body LF

as in `5 5+2 <leaf> <header> <body>` and `6 5+2 ...`, the two lines of one write. This is fixed for ever.

- `seq`: global, from 1, for recovery only. `first+count`, the batch: the seq of the first line of the write
  that this line came with, and how many lines that write has, so `first <= seq < first + count`. All three are
  decimal numbers from 1 to 10^18 - 1 without leading zeros. Without the count a file that was cut between two
  lines of a write would be, byte for byte, a shorter write.
- `leaf_hash`: 64 lowercase hex digits of SHA-256(0x00 || header).
- `header`: canonical JSON (RFC 8785): `action` (only when there is one), `actor`, `body_digest`, `n`, `org`,
  `subject`, `ts`, `type`, `v`. `n` is the leaf's index in the organization's own tree, so that nobody learns
  another's volume.
- `body`: `{"salt":"<32 hex>","data":<payload>}`. The payload is the caller's bytes, untouched; it starts at
  byte 50 of the body.

The header's strings are limited to `[A-Za-z0-9_.:-]{1,160}`. So a header holds no space, and splitting a line
at its first four spaces is unambiguous; and none of its characters is ever escaped, its keys are declared in
sorted order, its integers stay under 2^53: msgspec's compact encoding of `Header` *is* its canonical form.
Nothing else may be encoded that way and called canonical.

The digest in the header covers salt and payload, and the leaf hash covers the header only. Overwriting the
body with as many spaces therefore erases what was said for good, while the leaf, and every proof built on it,
stays valid.

Hashes are always taken over the stored bytes; nothing is decoded and encoded again to be checked.
"""

import re
from binascii import Error as HexError
from binascii import hexlify, unhexlify
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from assent.contract.prepared import prepared
from assent.proof.canonical import body_digest, leaf_hash

SALT_BYTES: Final = 16
NUMBER_DIGITS: Final = 18
PAYLOAD_AT: Final = 50  # len('{"salt":"') + 32 + len('","data":')
_ZERO: Final = ord("0")
_OPENING: Final = b'{"salt":"'
_MIDDLE: Final = b'","data":'
_N_IS: Final = b'"n":'
_N_OF_NOUGHT: Final = b'"n":0'
"""In a header numbered 0. No string in it can hold a quotation mark, so this stands in it once."""
_LEAF_DIGITS: Final = 64
_NAME: Final = r"[A-Za-z0-9_.:\-]{1,160}"
_four_fit = re.compile(rf"{_NAME}(?:\|{_NAME}){{3}}").fullmatch
_five_fit = re.compile(rf"{_NAME}(?:\|{_NAME}){{4}}").fullmatch
_name_fits = re.compile(_NAME).fullmatch


class Draft(Struct, frozen=True, gc=False):
    """What a caller wants recorded. `ts` is in microseconds UTC, `data` a compact JSON object on one line,
    `subject` the id of the main entity, `actor` a key id or `system`, `action` the id of the related action,
    if any. `check` holds the rules."""

    org: str
    type: str
    ts: int
    subject: str
    actor: str
    data: bytes
    action: str | None = None


class Header(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The proven part of an event. The order of the fields is the order of the keys in RFC 8785: do not move
    them."""

    action: str | UnsetType = UNSET
    actor: str
    body_digest: str
    n: int
    org: str
    subject: str
    ts: int
    type: str
    v: Literal[1]


class Event(Struct, frozen=True, gc=False):
    """A recorded event, with the bytes it was recorded as and where they lie.

    `batch` is the first seq of the write that it came with, `batch_size` how many lines that write has. `segment`
    is the first seq of the file, `offset` the line's first byte in it, `length` the line's bytes with its newline.
    """

    seq: int
    batch: int
    batch_size: int
    n: int
    org: str
    type: str
    ts: int
    subject: str
    action: str | None
    actor: str
    leaf_hash: bytes
    header: bytes
    body: bytes
    segment: int
    offset: int
    length: int

    @property
    def erased(self) -> bool:
        """Whether the body was blanked. The header and the leaf hash are still true."""
        return self.body.startswith(b" ")

    @property
    def data(self) -> bytes | None:
        """The payload as it was handed in, or None when it was erased."""
        return None if self.erased else self.body[PAYLOAD_AT:-1]


class LineError(ValueError):
    """A line that is not what was written. `expected` and `found` are short and safe to print."""

    def __init__(self, what: str, expected: object, found: object) -> None:
        self.what, self.expected, self.found = what, str(expected), str(found)
        super().__init__(f"{what}: expected {self.expected}, found {self.found}")


_encode_header = msgspec.json.Encoder().encode
_decode_header = msgspec.json.Decoder(prepared(Header)).decode


def check(draft: Draft) -> None:
    """Raise ValueError, naming the field, unless `draft` can be written. That `data` is valid JSON is the
    caller's promise; here only its braces and its being one line are looked at."""
    data, action = draft.data, draft.action
    try:
        if action is None:
            named = _four_fit("|".join((draft.org, draft.type, draft.subject, draft.actor)))
        else:
            named = _five_fit("|".join((draft.org, draft.type, draft.subject, draft.actor, action)))
    except TypeError:
        named = None
    if (
        named is None
        or type(draft.ts) is not int
        or not 0 <= draft.ts < 2**53
        or type(data) is not bytes
        or data[:1] != b"{"
        or data[-1:] != b"}"
        or b"\n" in data
    ):
        raise ValueError(_complaint(draft))


def _complaint(draft: Draft) -> str:
    """Which field of a draft that failed `check` is wrong, and how."""
    for field in ("org", "type", "subject", "actor", "action"):
        value = getattr(draft, field)
        if value is None and field == "action":
            continue
        if not isinstance(value, str) or _name_fits(value) is None:
            return f"event {field} must be 1 to 160 characters of A-Z a-z 0-9 _ . : -, got {value!r:.200}"
    if type(draft.ts) is not int or not 0 <= draft.ts < 2**53:
        return f"event ts must be whole microseconds since 1970 under 2^53, got {draft.ts!r:.60}"
    return f"event data must be one JSON object on one line, as bytes from '{{' to '}}', got {draft.data!r:.60}"


def encode(
    draft: Draft, seq: int, batch: int, n: int, salt: bytes, segment: int, offset: int, batch_size: int = 1
) -> tuple[Event, bytes]:
    """The event that `draft` becomes at this place, and its line. `draft` has passed `check`; `salt` is 16
    fresh random bytes; the write has `batch_size` lines from seq `batch` on."""
    header = _encode_header(_head(draft, n, salt))
    leaf = leaf_hash(header)
    body = _body(draft, salt)
    line = b"%d %d+%d %b %b %b\n" % (seq, batch, batch_size, hexlify(leaf), header, body)
    event = Event(
        seq,
        batch,
        batch_size,
        n,
        draft.org,
        draft.type,
        draft.ts,
        draft.subject,
        draft.action,
        draft.actor,
        leaf,
        header,
        body,
        segment,
        offset,
        len(line),
    )
    return event, line


def line_of(event: Event) -> bytes:
    """The line that an event is stored as."""
    return b"%d %d+%d %b %b %b\n" % (
        event.seq,
        event.batch,
        event.batch_size,
        hexlify(event.leaf_hash),
        event.header,
        event.body,
    )


def unnumbered(draft: Draft, salt: bytes) -> tuple[bytes, bytes, bytes]:
    """What `draft` becomes where somebody else gives the number: the header before and after its `n`, and the body.
    As for `encode`, `draft` has passed `check`."""
    prefix, _, suffix = _encode_header(_head(draft, 0, salt)).partition(_N_OF_NOUGHT)
    return prefix + _N_IS, suffix, _body(draft, salt)


def placed(
    draft: Draft,
    seq: int,
    batch: int,
    batch_size: int,
    n: int,
    header: bytes,
    body: bytes,
    segment: int = 0,
    offset: int = 0,
) -> Event:
    """The event that `draft` became, with the header and body of `unnumbered`; `segment` and `offset` are 0 where its
    line is in no file."""
    length = len(b"%d %d+%d " % (seq, batch, batch_size)) + _LEAF_DIGITS + len(header) + len(body) + 3
    return Event(
        seq,
        batch,
        batch_size,
        n,
        draft.org,
        draft.type,
        draft.ts,
        draft.subject,
        draft.action,
        draft.actor,
        leaf_hash(header),
        header,
        body,
        segment,
        offset,
        length,
    )


def _head(draft: Draft, n: int, salt: bytes) -> Header:
    return Header(
        action=UNSET if draft.action is None else draft.action,
        actor=draft.actor,
        body_digest=body_digest(salt, draft.data),
        n=n,
        org=draft.org,
        subject=draft.subject,
        ts=draft.ts,
        type=draft.type,
        v=1,
    )


def _body(draft: Draft, salt: bytes) -> bytes:
    return b'{"salt":"%b","data":%b}' % (hexlify(salt), draft.data)


def decode(line: bytes, segment: int, offset: int) -> Event:
    """The event that `line` (with its newline) holds. Raises LineError unless everything that can be checked
    on one line holds: shape, numbers, leaf hash, and the body's digest unless the body was erased."""
    if not line.endswith(b"\n"):
        raise LineError("end of line", "a newline", f"{line[-1:]!r} after {len(line)} bytes")
    try:
        seq_text, batch_text, leaf_text, header, body = line[:-1].split(b" ", 4)
    except ValueError:
        raise LineError("line", "five fields parted by single spaces", f"{line[:40]!r}") from None
    seq, batch, size = _numbers(seq_text, batch_text)
    leaf, head = _proven(leaf_text, header)
    _check_body(body, head.body_digest)
    action = None if head.action is UNSET else head.action
    return Event(
        seq,
        batch,
        size,
        head.n,
        head.org,
        head.type,
        head.ts,
        head.subject,
        action,
        head.actor,
        leaf,
        header,
        body,
        segment,
        offset,
        len(line),
    )


def _numbers(seq_text: bytes, batch_text: bytes) -> tuple[int, int, int]:
    """The seq, and the write's first seq and its count of lines, which must hold that seq."""
    first_text, _, count_text = batch_text.partition(b"+")
    seq = _number("seq", seq_text)
    first = _number("batch", first_text)
    count = _number("count of the batch", count_text)
    if not first <= seq < first + count:
        raise LineError("batch", f"one that holds event {seq}", f"{first}+{count}")
    return seq, first, count


def _number(what: str, text: bytes) -> int:
    if not text.isdigit() or text[0] == _ZERO or len(text) > NUMBER_DIGITS:
        raise LineError(what, f"a decimal number from 1, of at most {NUMBER_DIGITS} digits", f"{text[:40]!r}")
    return int(text)


def _proven(leaf_text: bytes, header: bytes) -> tuple[bytes, Header]:
    leaf = leaf_hash(header)
    if hexlify(leaf) != leaf_text:
        raise LineError("leaf hash of the header", leaf_text[:80].decode("ascii", "replace"), leaf.hex())
    try:
        return leaf, _decode_header(header)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LineError("header", "the members of an event header, version 1", str(error)) from None


def _check_body(body: bytes, digest: str) -> None:
    """An erased body is spaces and nothing else; any other must be exactly what its digest was taken over.
    The salt's digits are compared as text too: upper-case hex would decode to the same salt."""
    if body[:9] != _OPENING or body[41:PAYLOAD_AT] != _MIDDLE or body[-1:] != b"}":
        if not body.startswith(b" "):
            raise LineError("body", '{"salt":"<32 hex>","data":...}', f"{body[:PAYLOAD_AT]!r} ... {body[-1:]!r}")
        if body.strip(b" "):
            raise LineError("erased body", "nothing but spaces", f"{body.strip(b' ')[:40]!r}")
        return
    salt_text = body[9:41]
    try:
        salt = unhexlify(salt_text)
    except HexError:
        salt = b""
    if hexlify(salt) != salt_text:
        raise LineError("salt", "32 lowercase hex digits", f"{salt_text!r}")
    found = body_digest(salt, body[PAYLOAD_AT:-1])
    if found != digest:
        raise LineError("digest of the body", digest, found)
