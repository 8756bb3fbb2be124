"""What the characters of a finding read as: for whoever has to see why it was found.

Decoding and folding have been done by the reading that holds them; what a view did word by word (rot13, reversed, leet,
lookalikes) is done here again.
"""

from __future__ import annotations

from assent_analytics.injection.fold import skeleton

LONGEST = 200
"""Characters told."""
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)
_LEET = str.maketrans("0134578962@$+|!", "oieastbgbzastii")
"""One letter for each; which of two it was is not known, and people read both."""


def reads_as(text: str, via: tuple[str, ...]) -> str:
    """`text` is the piece of the reading, `via` how its words had to be read."""
    text = text[:LONGEST]
    if "lookalikes" in via:
        text = skeleton(text)
    if "rot13" in via:
        text = text.translate(_ROT13)
    if "reversed" in via:
        text = text[::-1]
    if "leet" in via:
        text = text.translate(_LEET)
    return " ".join(text.split())
