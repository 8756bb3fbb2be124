"""Links and anchors of Markdown texts, as a reader of the repository and of the site follows them."""

from __future__ import annotations

import re
from collections import Counter

FENCE = re.compile(r"^(?P<mark>```+|~~~+).*?^(?P=mark)\s*?$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(\s*<?(?P<inline>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(?P<below>\S+)", re.MULTILINE)
PICTURE = re.compile(r"<(?:img|a|source)\b[^>]*?\b(?:src|href)=\"(?P<target>[^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)(?: +#+)?$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Every target that a text leads to, pictures included; what stands in code leads nowhere."""
    prose = FENCE.sub("", text)
    found = [each["inline"] or each["below"] for each in LINK.finditer(CODE.sub("`code`", prose))]
    return found + [each["target"] for each in PICTURE.finditer(prose)]


def anchors(text: str) -> set[str]:
    """The anchors of a text's headings: small letters, signs left out, hyphens for spaces; the second of the same name
    gets a number behind a hyphen."""
    found: set[str] = set()
    seen: Counter[str] = Counter()
    for heading in HEADING.finditer(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["text"])
        anchor = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found
