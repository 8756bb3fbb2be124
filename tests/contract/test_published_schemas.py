"""The published JSON Schemas say what bundles and certificates are, to readers who have none of our code."""

from __future__ import annotations

import json
from base64 import b64decode
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.contract.published_schemas import SHAPES, schema_of
from tests.vectors.edited import EDITED, edited_value, value_of
from tests.vectors.resealed import RESEALED
from tests.vectors.sealing import FOLDER, good_bundles

NOT_A_BUNDLE = [name for name, (_, _, wanted) in EDITED.items() if wanted == {"schema"}]


@cache
def checkers() -> dict[str, Draft202012Validator]:
    return {name: Draft202012Validator(schema_of(name)) for name in SHAPES}


def certificate_in(bundle: dict[str, Any]) -> dict[str, Any]:
    statement = json.loads(b64decode(bundle["attestation"]["payload"]))
    predicate: dict[str, Any] = statement["predicate"]
    return predicate


@pytest.mark.parametrize("name", SHAPES)
def test_they_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize("name", sorted(good_bundles()))
def test_good_bundles_and_their_certificates_validate(name: str) -> None:
    bundle = json.loads((FOLDER / f"{name}.json").read_bytes())
    assert list(checkers()["svc.proof.v1"].iter_errors(bundle)) == []
    certificate = certificate_in(bundle)
    assert list(checkers()[certificate["schema"]].iter_errors(certificate)) == []


@pytest.mark.parametrize("name", NOT_A_BUNDLE)
def test_what_is_no_bundle_does_not_validate(name: str) -> None:
    assert not checkers()["svc.proof.v1"].is_valid(edited_value(name))


def test_certificates_are_closed() -> None:
    make, _ = RESEALED["certificate_with_a_member_more"]
    assert not checkers()["svc.certificate.v1"].is_valid(certificate_in(value_of(make())))
    good = certificate_in(value_of(good_bundles()["action_approved"]))
    for name in good:
        assert not checkers()["svc.certificate.v1"].is_valid({k: v for k, v in good.items() if k != name}), name
