"""The rules of the scan and their words, made once for all tests of them: it takes a quarter of a second."""

from __future__ import annotations

from assent_analytics.injection.rules import Rules

RULES = Rules()
LEXICON = RULES.lexicon
