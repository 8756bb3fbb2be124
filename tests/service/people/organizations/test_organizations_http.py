"""Organizations over HTTP: their names are checked, and nothing of one is seen by another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.evidence.events.serving import Live, live


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as running:
        yield running


def make(service: Live, slug: str) -> str:
    made = service.call("POST", "/api/orgs", service.admin, {"name": slug, "slug": slug})
    assert made.status_code == 201, made.text
    secret: str = made.json()["api_key"]
    return secret


@pytest.mark.parametrize("slug", ["", "Big", "a b", "-a", "a/b", "a" * 64, "a\n", 7, None])
def test_a_slug_is_plain(service: Live, slug: object) -> None:
    refused = service.call("POST", "/api/orgs", service.admin, {"name": "x", "slug": slug})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")


def test_a_taken_slug_is_a_conflict(service: Live) -> None:
    make(service, "acme")
    refused = service.call("POST", "/api/orgs", service.admin, {"name": "x", "slug": "acme"})
    assert (refused.status_code, refused.json()["code"]) == (409, "organization_exists")


def test_organizations_are_apart(service: Live) -> None:
    theirs = make(service, "acme")
    assert [org["slug"] for org in service.call("GET", "/api/orgs", theirs).json()["organizations"]] == ["acme"]
    slugs = [org["slug"] for org in service.call("GET", "/api/orgs", service.admin).json()["organizations"]]
    assert slugs == ["default", "acme"]
    refused = service.call("POST", "/api/orgs", theirs, {"name": "x", "slug": "more"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    service.call("POST", "/api/halt", service.admin, {"reason": "ours"})
    assert service.call("GET", "/api/halt", theirs).json()["halted"] is False
