"""Everything that the OpenAPI document allows, and much that it does not, sent to a service of its own: no answer is a
server's failure, and every status, media type and body is one that the document names.

Requests are made by schemathesis from the document, the same ones on every run. Half of those on a path with ids are
about something that is there; the other ids are made up. The live stream has no end and is left to its own tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any
from zlib import crc32

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assent.contract.operations import ENDPOINTS
from tests.live import WAIT, LiveService, start_service
from tests.openapi import openapi
from tests.stories.tenant import Tenant
from tests.stories.test_authorization import BY_NAME, ask
from tests.tiers import deep, examples

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ENDLESS = "events"

LABELS = [
    f"{each.method} {path}" for each in ENDPOINTS if each.operation != ENDLESS for path in (each.path, *each.also)
]
"""Method and path of every operation. Parametrized here and not by schemathesis, whose items all have one id: of those,
a run in several processes takes a single one."""


@cache
def operations() -> dict[str, Any]:
    """As schemathesis reads them, by label."""
    schema = schemathesis.openapi.from_dict(openapi()).exclude(operation_id=ENDLESS)
    return {found.ok().label: found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)}


def test_every_operation_is_asked() -> None:
    assert sorted(LABELS) == sorted(operations())


@cache
def requests_of(label: str) -> st.SearchStrategy[Any]:
    """Made once for each operation: hypothesis looks through a strategy when it is first drawn from."""
    strategy: st.SearchStrategy[Any] = operations()[label].as_strategy()
    return strategy


class Somebody:
    """An organization, and for each operation something of its own to be asked about."""

    def __init__(self, service: LiveService, http: httpx.Client, session: requests.Session) -> None:
        self.tenant, self.session = Tenant(service, http), session
        self._ids: dict[str, dict[str, str]] = {}

    def ids(self, operation: str) -> dict[str, str]:
        """The path parameters of a right request, made once; `operation` is as in the document, which
        tells apart the paths of one that has several."""
        operation = operation.partition("_also")[0]
        if operation not in self._ids:
            path = ask(operation, self.tenant).path.split("?")[0]
            pairs = zip(BY_NAME[operation].path.split("/"), path.split("/"), strict=True)
            self._ids[operation] = {name[1:-1]: value for name, value in pairs if name.startswith("{")}
        return self._ids[operation]


@pytest.fixture(scope="module")
def somebody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Somebody]:
    home = tmp_path_factory.mktemp("openapi") / "home"
    with (
        start_service(home) as running,
        httpx.Client(timeout=WAIT, trust_env=False) as http,
        requests.Session() as session,
    ):
        yield Somebody(running, http, session)
        assert running.alive, running.output[-3000:]


@pytest.fixture
def resumed(somebody: Somebody) -> Iterator[None]:
    """Whoever halted everything leaves it so for nobody."""
    yield
    somebody.tenant.call("DELETE", "/api/halt")


FURTHER = deep("every sixth operation is in the quick tier")


@pytest.mark.usefixtures("resumed")
@pytest.mark.parametrize(
    "label", [*LABELS[::6], *(pytest.param(each, marks=FURTHER) for each in LABELS if each not in LABELS[::6])]
)
@given(data=st.data())
@settings(
    examples(0.1),
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_document_names(somebody: Somebody, label: str, data: st.DataObject) -> None:
    case: Any = data.draw(requests_of(label))
    # By what was made up and not by counting, since a request that fails is sent again.
    if case.path_parameters and crc32(repr(case.path_parameters).encode()) % 2:
        case.path_parameters = somebody.ids(case.operation.definition.raw["operationId"])
    tenant = somebody.tenant
    headers = {"x-api-key": tenant.keys["admin"]}
    response = case.call(base_url=tenant.service.base_url, session=somebody.session, headers=headers, timeout=60)
    case.validate_response(response, checks=CHECKS)
