"""Whether an object of an answer stands for a picture, a sound or a file that a model is shown, as frameworks and
providers write it: embedded, at an address or by an id. What it says nobody can tell from the answer.

1. Its `type` (`kind`, `block_type`) names a medium and how it is given: `image_url`, `input_file`, `document-url`.
2. Its `type` names a medium alone: a picture or a sound whatever stands beside it, a `file` or a `document` where the
   object has nothing else than such a block has, or a `source`: one in a list of files has a path or a name.
3. It says where a file lies at a provider: `file_uri`, `fileUri`, `s3Location`.

In each of them something has to be given: an address, an id, data.
"""

from __future__ import annotations

from collections.abc import Mapping

from assent.flows.pack import split_name

_TYPES = ("type", "kind", "block_type")
_MEDIA = frozenset(["image", "audio", "video", "document", "file", "media", "picture", "pdf", "screenshot"])
_SEEN_OR_HEARD = frozenset(["image", "audio", "video", "picture", "screenshot"])
_GIVEN = frozenset(["url", "uri", "id", "data", "base64", "input", "output", "uploaded", "content", "part", "computer"])
_REFERENCES = _MEDIA | frozenset(["url", "uri", "id", "data", "base64", "source", "bytes", "path"])
"""Last words of the names that a medium is given under."""
_PLACES = frozenset(["file_uri", "fileUri", "s3Location"])
_BLOCK = (
    _MEDIA
    | _GIVEN
    | frozenset(
        [
            *("type", "kind", "block", "source", "bytes", "mime", "mimetype", "format", "detail", "filename", "index"),
            *("extra", "extras", "meta", "metadata", "vendor", "provider", "force", "download", "identifier"),
            *("cache", "control", "annotations", "citations", "transcript", "resolution"),
        ]
    )
)
"""Words of the names that such a block has."""


def shows_media(value: Mapping[object, object]) -> bool:
    if not _PLACES.isdisjoint(value):
        return any(value.get(each) for each in _PLACES)
    for each in _TYPES:
        told = value.get(each)
        if isinstance(told, str) and len(told) <= 40 and _is_block(split_name(told), value):
            return True
    return False


def _is_block(words: list[str], value: Mapping[object, object]) -> bool:
    if _MEDIA.isdisjoint(words) or not _MEDIA.union(_GIVEN).issuperset(words):
        return False
    given = {str(name): split_name(str(name)) for name, each in value.items() if each and name not in _TYPES}
    if not any(each and each[-1] in _REFERENCES for each in given.values()):
        return False
    if len(words) > 1 or words[0] in _SEEN_OR_HEARD or isinstance(value.get("source"), Mapping):
        return True
    return all(map(_BLOCK.issuperset, given.values()))
