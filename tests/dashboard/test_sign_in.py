"""Signing in over HTTP, against a dashboard in a process of its own."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from assent_dashboard.sign_in import safe_path
from tests.dashboard.browser.dashboard import running_dashboard
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

HTML = {"accept": "text/html"}


@pytest.fixture
def browser(page_dashboard: str) -> Iterator[httpx.Client]:
    """Keeps cookies and does not follow redirects."""
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT) as client:
        yield client


def sign_in(browser: httpx.Client, key: str, onward: str = "/", **headers: str) -> httpx.Response:
    return browser.post("/sign-in", data={"key": key, "next": onward}, headers=headers)


def cookie(response: httpx.Response) -> str:
    return str(response.headers.get("set-cookie", ""))


def handshake(address: str, path: str, cookies: str = "", origin: str | None = None) -> int:
    """The status that answers a websocket's opening request, from a page of the dashboard unless told otherwise."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=WAIT)
    try:
        connection.request(
            "GET",
            path,
            headers={
                "Upgrade": "websocket",
                "Connection": "Upgrade",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version": "13",
                "Origin": origin or address,
                **({"Cookie": cookies} if cookies else {}),
            },
        )
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_page_asks_for_a_key_and_loads_nothing(browser: httpx.Client) -> None:
    page = browser.get("/sign-in")
    assert page.status_code == 200
    assert 'type="password"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert "<script" not in page.text
    assert "src=" not in page.text
    assert "http" not in page.text.replace("http://127.0.0.1", "")


@pytest.mark.parametrize("role", ["operator", "admin"])
def test_a_key_that_may_decide_opens_the_dashboard(browser: httpx.Client, house: Tenant, role: str) -> None:
    answer = sign_in(browser, house.keys[role], "/approvals?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/approvals?x=1")
    given = cookie(answer).lower()
    assert "httponly" in given
    assert "samesite=lax" in given
    assert "max-age" not in given
    assert "expires" not in given, "it ends with the browser"
    assert house.keys[role] not in cookie(answer)
    assert browser.get("/", headers=HTML).status_code == 200
    again = browser.get("/sign-in?next=/ledger")
    assert (again.status_code, again.headers["location"]) == (303, "/ledger")


@deep("a page's main ways are in the quick tier")
def test_blanks_around_a_key_are_passed_over(browser: httpx.Client, house: Tenant) -> None:
    assert sign_in(browser, f"  {house.keys['operator']}\n").status_code == 303


@pytest.mark.parametrize(
    ("key", "status", "says"),
    [
        ("assent_no_such_key", 401, "does not know this key"),
        ("pässword", 401, "does not know this key"),
        ("two\r\nlines", 401, "does not know this key"),
        ("", 400, "Enter a key."),
        ("   ", 400, "Enter a key."),
        ("k" * 5000, 400, "Enter a key."),
    ],
)
def test_a_wrong_key_opens_nothing(browser: httpx.Client, key: str, status: int, says: str) -> None:
    answer = sign_in(browser, key)
    assert answer.status_code == status
    assert says in answer.text
    assert not cookie(answer)
    assert not key.strip() or key not in answer.text, "the key is not sent back"
    assert browser.get("/", headers=HTML).status_code == 303


@pytest.mark.parametrize("role", ["agent", "auditor"])
def test_a_key_of_another_role_is_told_so(browser: httpx.Client, house: Tenant, role: str) -> None:
    answer = sign_in(browser, house.keys[role])
    assert answer.status_code == 403
    assert f"This is a key of role {role}." in answer.text
    assert not cookie(answer)


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "javascript:alert(1)",
        "ledger",
        "/a\r\nset-cookie: x=1",
        "http:/evil.example",
        "///evil.example",
        "/\t/evil.example",
        "//[",
        "http://[",
        "/sign-out",
        "/sign-out?x",
    ],
)
def test_nobody_is_led_to_another_site(browser: httpx.Client, house: Tenant, onward: str) -> None:
    assert safe_path(onward) == "/"
    assert browser.get("/sign-in", params={"next": onward}).status_code == 200
    assert sign_in(browser, house.keys["operator"], onward).headers["location"] == "/"


@pytest.mark.parametrize("path", ["/", "/ledger?window=7d&agent_id=a%20b", "/approvals#x"])
def test_paths_of_the_dashboard_are_kept(path: str) -> None:
    assert safe_path(path) == path


def test_where_one_was_going_is_written_into_the_page_as_text(browser: httpx.Client) -> None:
    page = browser.get("/sign-in", params={"next": '/"><script>alert(1)</script>'})
    assert "<script" not in page.text
    assert "&quot;&gt;&lt;script&gt;" in page.text


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null", "http://["])
def test_a_form_of_another_site_is_refused(browser: httpx.Client, house: Tenant, origin: str) -> None:
    answer = sign_in(browser, house.keys["operator"], origin=origin)
    assert answer.status_code == 403
    assert not cookie(answer)


def test_a_form_of_this_site_is_taken(browser: httpx.Client, house: Tenant, page_dashboard: str) -> None:
    assert sign_in(browser, house.keys["operator"], origin=page_dashboard).status_code == 303


def test_without_a_session_nothing_is_given_out(browser: httpx.Client) -> None:
    page = browser.get("/ledger?window=7d&agent_id=a", headers=HTML)
    assert (page.status_code, page.headers["location"]) == (303, "/sign-in?next=%2Fledger%3Fwindow%3D7d%26agent_id%3Da")
    for path in ("/static/index.html", "/_stcore/host-config", "/media/x", "/nothing"):
        assert browser.get(path).status_code == 401
    assert browser.get("/_stcore/health").status_code == 200


def test_a_websocket_needs_a_session(browser: httpx.Client, house: Tenant, page_dashboard: str) -> None:
    assert handshake(page_dashboard, "/_stcore/stream") == 403
    assert handshake(page_dashboard, "/_stcore/stream", f"assent_session_{browser.base_url.port}=guessed") == 403
    token = cookie(sign_in(browser, house.keys["operator"])).partition(";")[0]
    assert handshake(page_dashboard, "/_stcore/stream", token) == 101


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://localhost:3000", "https://evil.example", "http://["])
def test_another_page_of_this_machine_cannot_use_the_session(
    browser: httpx.Client, house: Tenant, page_dashboard: str, origin: str
) -> None:
    """Ports are one site to a browser, so it sends the cookie."""
    token = cookie(sign_in(browser, house.keys["operator"])).partition(";")[0]
    assert handshake(page_dashboard, "/_stcore/stream", token, origin) == 403
    assert browser.get("/_stcore/host-config", headers={"origin": origin}).status_code == 403
    assert browser.get("/_stcore/host-config", headers={"origin": page_dashboard}).status_code == 200


def test_pages_are_framed_by_nobody_and_load_from_nowhere_else(browser: httpx.Client, house: Tenant) -> None:
    sign_in(browser, house.keys["operator"])
    policy = browser.get("/", headers=HTML).headers["content-security-policy"].split("; ")
    assert "frame-ancestors 'self'" in policy
    assert "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'" in policy
    assert not [rule for rule in policy if "http" in rule or "*" in rule]


@deep("a page's main ways are in the quick tier")
def test_behind_a_proxy_with_tls_the_cookie_never_travels_in_the_open(browser: httpx.Client, house: Tenant) -> None:
    assert "secure" not in cookie(sign_in(browser, house.keys["operator"])).lower()
    browser.cookies.clear()
    forwarded = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1"}
    assert "secure" in cookie(sign_in(browser, house.keys["operator"], **forwarded)).lower()


@deep("a page's main ways are in the quick tier")
def test_signing_in_again_ends_the_session_before(browser: httpx.Client, house: Tenant, page_dashboard: str) -> None:
    first = cookie(sign_in(browser, house.keys["operator"])).partition(";")[0]
    second = cookie(sign_in(browser, house.keys["admin"])).partition(";")[0]
    assert handshake(page_dashboard, "/_stcore/stream", first) == 403
    assert handshake(page_dashboard, "/_stcore/stream", second) == 101


def test_signing_out_ends_the_session_and_not_only_the_cookie(
    browser: httpx.Client, house: Tenant, page_dashboard: str
) -> None:
    token = cookie(sign_in(browser, house.keys["operator"])).partition(";")[0]
    left = browser.post("/sign-out")
    assert (left.status_code, left.headers["location"]) == (303, "/sign-in")
    assert browser.get("/", headers=HTML).status_code == 303
    assert handshake(page_dashboard, "/_stcore/stream", token) == 403


@deep("a page's main ways are in the quick tier")
def test_an_address_alone_signs_nobody_out(browser: httpx.Client, house: Tenant) -> None:
    """A picture or a link on any page could name it."""
    sign_in(browser, house.keys["operator"])
    left = browser.get("/sign-out", headers=HTML)
    assert (left.status_code, left.headers["location"]) == (303, "/")
    assert browser.get("/", headers=HTML).status_code == 200


def test_another_page_signs_nobody_out(browser: httpx.Client, house: Tenant) -> None:
    sign_in(browser, house.keys["operator"])
    assert browser.post("/sign-out", headers={"origin": "http://127.0.0.1:1"}).status_code == 403
    assert browser.get("/", headers=HTML).status_code == 200


@deep("a page's main ways are in the quick tier")
def test_a_service_that_is_not_there_is_told_and_nothing_else_is_lost(live_service: LiveService) -> None:
    with running_dashboard(live_service.base_url) as address, httpx.Client(base_url=address, timeout=WAIT) as browser:
        live_service.stop()
        answer = sign_in(browser, live_service.admin_key)
        assert answer.status_code == 503
        assert f"The service at {live_service.base_url} does not answer" in answer.text
        assert not cookie(answer)
