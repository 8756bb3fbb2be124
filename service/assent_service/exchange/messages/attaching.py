"""What may be attached to a message, and under which name it is handed out again. Pure.

1. At most three files, each of 1 byte to 5 MiB, of a type on the contract's list. What is inside is not looked at:
   it is handed out for saving only, and browsers are told not to guess.
2. Base64 is taken as RFC 4648 writes it, with padding, and in the one way that these bytes are written: what decodes
   to the same bytes but is written otherwise was damaged or is trying something.
3. A file's name is a name and no way through folders: no slashes, no control characters, not `.` or `..`.
4. An attachment's id is its message's with a number behind it, so that looking it up is looking up the message.
"""

from __future__ import annotations

import binascii
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import quote

from assent.contract.exchange.attachments import ATTACHMENT_TYPES, MOST_ATTACHMENT_BYTES, Attachment, NewAttachment
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import Refusal, refuse

_LONGEST_DATA = (MOST_ATTACHMENT_BYTES + 2) // 3 * 4
_OF_MESSAGE, _OF_ATTACHMENT = "msg_", "att_"


def attached(given: Sequence[NewAttachment], message_id: str) -> tuple[list[Attachment], list[bytes]]:
    """What is recorded of each file, and its bytes. Raises `invalid_body`, naming the first that is wrong and how."""
    files = [(_checked(each, f"attachments[{index}]")) for index, each in enumerate(given)]
    records = [
        _record(each, content, attachment_id(message_id, index))
        for index, (each, content) in enumerate(zip(given, files, strict=True))
    ]
    return records, files


def attachment_id(message_id: str, index: int) -> str:
    return f"{_OF_ATTACHMENT}{message_id.removeprefix(_OF_MESSAGE)}_{index + 1}"


def message_of(attachment: str) -> str | None:
    """The message that an attachment's id names, None for what is no such id."""
    stem, _, number = attachment.rpartition("_")
    if not stem.startswith(_OF_ATTACHMENT) or not number.isdecimal():
        return None
    return _OF_MESSAGE + stem.removeprefix(_OF_ATTACHMENT)


def disposition(filename: str) -> str:
    """The header Content-Disposition (RFC 6266): for saving, with a plain name for those who know no other."""
    plain = "".join(letter if " " <= letter <= "~" and letter not in '"\\%;' else "_" for letter in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def _checked(given: NewAttachment, place: str) -> bytes:
    """The bytes of a file that may be attached."""
    name = given.filename
    if name in (".", "..") or name != name.strip() or not name.isprintable() or "/" in name or "\\" in name:
        raise _invalid(
            f"{place}.filename",
            f"is {name[:80]!r}; give a plain name without slashes, control characters or spaces around it",
        )
    if _type(given.mime_type) not in ATTACHMENT_TYPES:
        raise _invalid(
            f"{place}.mime_type",
            f"is {given.mime_type!r}, which may not be attached; {', '.join(ATTACHMENT_TYPES)} may",
        )
    return _decoded(given.data, f"{place}.data")


def _decoded(data: str, place: str) -> bytes:
    if data.startswith("data:"):
        raise _invalid(place, "begins with 'data:'; give the base64 alone, without what stands before its comma")
    if len(data) > _LONGEST_DATA:
        raise _invalid(
            place, f"holds about {len(data) // 4 * 3} bytes; {MOST_ATTACHMENT_BYTES} is the most that a file may have"
        )
    try:
        raw = data.encode("ascii")
        content = binascii.a2b_base64(raw, strict_mode=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise _invalid(place, f"is not base64 with padding (RFC 4648, section 4): {error}") from None
    if b64encode(content) != raw:
        raise _invalid(place, "is not the base64 of any file: its last letter holds bits that belong to no byte")
    if not content:
        raise _invalid(place, "is empty; leave an empty file out")
    if len(content) > MOST_ATTACHMENT_BYTES:
        raise _invalid(place, f"holds {len(content)} bytes; {MOST_ATTACHMENT_BYTES} is the most that a file may have")
    return content


def _record(given: NewAttachment, content: bytes, id_: str) -> Attachment:
    return Attachment(
        id=id_,
        attachment_id=id_,
        filename=given.filename,
        mime_type=_type(given.mime_type),
        size_bytes=len(content),
        sha256=sha256(content).hexdigest(),
    )


def _type(mime_type: str) -> str:
    """The type without parameters, in small letters (RFC 9110, 8.3.1)."""
    return mime_type.partition(";")[0].strip().lower()


def _invalid(place: str, message: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))
