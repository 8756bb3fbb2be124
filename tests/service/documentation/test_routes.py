"""The documentation as a browser gets it: from the service alone, and only what it asks for."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from assent_service import documentation
from assent_service.documentation import handlers, is_current

Browser = TestClient[Litestar]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with TestClient(Litestar(list(handlers("1.2.3")), openapi_config=None)) as client:
        yield client


class Loaded(HTMLParser):
    """Every address that the page makes a browser load, and every script or style written into it."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside = tag if tag in ("script", "style") else None
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        address = given.get("src") or (given.get("href") if tag == "link" else None)
        if address:
            self.addresses.append(address)

    def handle_data(self, data: str) -> None:
        if self._inside and data.strip():
            self.inline.append(data)
        self._inside = None


def test_the_document_is_openapi_of_this_version(browser: Browser) -> None:
    answer = browser.get("/schema/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    document = answer.json()
    assert document["openapi"] == "3.1.1"
    assert document["info"]["version"] == "1.2.3"
    assert document["paths"]["/api/guard"]["post"]["operationId"] == "guard"


def test_everything_the_page_loads_is_served_here(browser: Browser) -> None:
    page = browser.get("/schema")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    loaded = Loaded()
    loaded.feed(page.text)
    types = {address: browser.get(address).headers["content-type"] for address in loaded.addresses}
    assert types == {
        "/schema/swagger-ui.css": "text/css; charset=utf-8",
        "/schema/favicon-32x32.png": "image/png",
        "/schema/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
        "/schema/start.js": "text/javascript; charset=utf-8",
    }
    assert loaded.inline == []


def test_the_start_script_points_at_the_document_and_at_no_validator(browser: Browser) -> None:
    script = browser.get("/schema/start.js").text
    assert re.findall(r'url: "([^"]+)"', script) == ["/schema/openapi.json"]
    assert "validatorUrl: null" in script
    assert "http" not in script


def test_swagger_ui_is_of_version_5_which_reads_openapi_3_1(browser: Browser) -> None:
    bundle = browser.get("/schema/swagger-ui-bundle.js").text
    assert "SwaggerUIBundle" in bundle[:2000]
    assert "OAS31" in bundle or "openapi31" in bundle.lower()


def test_the_style_sheet_loads_nothing_from_elsewhere(browser: Browser) -> None:
    sheet = browser.get("/schema/swagger-ui.css").text
    addresses = re.findall(r"url\(\s*['\"]?([^)'\"]{1,40})", sheet)
    assert all(address.startswith("data:") for address in addresses)
    assert "@import" not in sheet


@pytest.mark.parametrize(
    "path", ["/schema", "/schema/openapi.json", "/schema/start.js", "/schema/swagger-ui-bundle.js"]
)
def test_the_security_policy_allows_this_service_alone(browser: Browser, path: str) -> None:
    headers = browser.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert "*" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_browser_that_has_the_document_gets_no_body_again(browser: Browser) -> None:
    first = browser.get("/schema/openapi.json")
    tag = first.headers["etag"]
    again = browser.get("/schema/openapi.json", headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    changed = browser.get("/schema/openapi.json", headers={"if-none-match": '"another"'})
    assert changed.content == first.content


def test_head_tells_the_length_without_a_body(browser: Browser) -> None:
    length = len(browser.get("/schema/openapi.json").content)
    answer = browser.head("/schema/openapi.json")
    assert (answer.status_code, answer.headers["content-length"], answer.content) == (200, str(length), b"")


def test_another_method_is_refused_as_a_problem(browser: Browser) -> None:
    answer = browser.post("/schema")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "method_not_allowed"


def test_another_version_has_another_tag() -> None:
    def tag(version: str) -> str:
        with TestClient(Litestar(list(handlers(version)), openapi_config=None)) as client:
            return client.get("/schema/openapi.json").headers["etag"]

    assert tag("1.0.0") == tag("1.0.0") != tag("1.0.1")


@pytest.mark.parametrize(
    ("header", "current"),
    [('"a"', True), ('W/"a"', True), ('"b", "a"', True), ("*", True), ("", False), ('"b"', False), ("a", False)],
)
def test_weak_comparison_of_entity_tags(header: str, current: bool) -> None:
    assert is_current(header, '"a"') is current


def test_what_cannot_be_made_is_a_problem_that_the_log_explains(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def twice(version: str) -> None:
        raise ValueError("two types of the contract are called Loop; rename one of them")

    monkeypatch.setattr(documentation, "resources", twice)
    answer = browser.get("/schema/openapi.json")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "two types of the contract are called Loop" in caplog.text
