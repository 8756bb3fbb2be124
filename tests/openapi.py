"""The OpenAPI document of the whole contract, made once in a process, when a test first asks for it."""

from __future__ import annotations

from functools import cache

from assent.contract.openapi import document
from assent.contract.openapi_schemas import Schema
from assent.contract.operations import ENDPOINTS


@cache
def openapi() -> Schema:
    """Nobody changes it."""
    return document(ENDPOINTS, "9.8.7")
