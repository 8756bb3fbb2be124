"""The frameworks, as data: one YAML file for each, in words of our own.

A control names the kinds of evidence that would show it (`evidence.KINDS`). Which kinds those are is a judgement,
written where everybody can read and dispute it, and no code.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta

from assent.contract.evidence.compliance import Framework
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse
from assent_service.evidence.compliance.evidence import KINDS

FOLDER = Path(__file__).with_name("frameworks")
Words = Annotated[str, Meta(min_length=1)]


class ControlText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`asks` is what the control asks for, `relevance` what that means for agents."""

    id: Words
    title: Words
    category: Words
    asks: Words
    relevance: Words
    evidence: Annotated[list[str], Meta(min_length=1)]


class FrameworkText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    framework: Words
    title: Words
    version: Words
    source: Words
    controls: Annotated[list[ControlText], Meta(min_length=1)]

    def described(self) -> Framework:
        return Framework(
            framework=self.framework,
            title=self.title,
            framework_version=self.version,
            source=self.source,
            total_controls=len(self.controls),
        )


@cache
def frameworks() -> dict[str, FrameworkText]:
    """Every framework by its name. Raises ValueError for a file that names an unknown kind of evidence."""
    found = [read(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.yaml"))]
    return {framework.framework: framework for framework in found}


def read(text: str) -> FrameworkText:
    framework = msgspec.convert(yaml.safe_load(text), prepared(FrameworkText))
    for control in framework.controls:
        unknown = sorted(set(control.evidence) - set(KINDS))
        if unknown:
            raise ValueError(f"{framework.framework} {control.id} names unknown evidence: {', '.join(unknown)}")
    return framework


def framework_named(name: str) -> FrameworkText:
    """Raises `framework_not_found` with the names that there are."""
    found = frameworks().get(name.strip().lower())
    if found is None:
        there = ", ".join(frameworks())
        raise refuse(
            Code.FRAMEWORK_NOT_FOUND,
            f"There is no framework {name[:64]!r}; there are: {there}.",
            FieldError(place="framework", message=f"is none of: {there}"),
        )
    return found
