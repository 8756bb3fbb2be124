"""Which rules a scan went by: the same `VERSION`, the same verdict for the same text.

The first 12 hexadecimal digits of a SHA-256 over the concepts, rules and markup as they are shipped, and over every
number of `verdict`.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.resources import files

from assent_analytics.injection import verdict

DATA = ("lexicon.toml", "rules.toml", "markup.toml")
DIGITS = 12


def numbers() -> dict[str, object]:
    """The constants of `verdict`, by name."""
    named = {name: getattr(verdict, name) for name in vars(verdict) if name.isupper() and not name.startswith("_")}
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in sorted(named.items())}


def digest() -> str:
    found = sha256()
    for name in DATA:
        data = files(__package__).joinpath(name).read_bytes()
        found.update(f"{name} {len(data)}\n".encode() + data)
    found.update(json.dumps(numbers()).encode())
    return found.hexdigest()[:DIGITS]


VERSION = digest()
