"""What compose.postgresql.yaml adds to compose.yaml: services that share a log, with what each of them needs. No engine
runs it here."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from assent_service.core.settings import ENVIRONMENT, Settings
from tests.deploy.test_declared import compose, understood
from tests.live import ROOT

FILE = ROOT / "compose.postgresql.yaml"
REPLICAS = ("service", "second")
SECRET = re.compile(r"\$\{(\w+):\?\}")


@pytest.fixture
def added() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def merged(added: dict[str, Any], name: str) -> dict[str, Any]:
    """As compose merges a service of two files: members one by one, what is mounted by where it is."""
    before = compose()["services"].get(name, {})
    return {**before, **added["services"][name]}


def test_both_services_run_alike_on_one_log_with_a_folder_of_its_own_each(added: dict[str, Any]) -> None:
    one, two = (merged(added, name) for name in REPLICAS)
    assert one["environment"] == two["environment"]
    assert {name for name in one["environment"] if name != "PGPASSWORD"} <= ENVIRONMENT.keys()
    assert {"ASSENT_LOG", "ASSENT_WALLET_KEY", "ASSENT_ADMIN_KEY"} <= one["environment"].keys()
    for member in ("image", "command", "read_only", "tmpfs", "cap_drop", "security_opt", "init", "restart"):
        assert one[member] == two[member], member
    assert understood(one["command"])["port"] == Settings().port
    folders = [each["volumes"] for each in (one, two)]
    assert folders[0] != folders[1]
    assert all(name.endswith(":/data") for each in folders for name in each)
    assert {each.partition(":")[0] for names in folders for each in names} <= added["volumes"].keys()
    assert "data" not in added["volumes"], "the volume of a service that is alone has a log of its own"
    ports = [port for each in (one, two) for port in each["ports"]]
    assert len(set(ports)) == 2
    assert all(port.startswith("127.0.0.1:") and port.endswith(f":{Settings().port}") for port in ports)


def test_the_dashboard_reaches_either(added: dict[str, Any]) -> None:
    options = understood(compose()["services"]["dashboard"]["command"])
    assert urlsplit(options["base_url"]).hostname in added["services"]["second"]["networks"]["default"]["aliases"]


def test_the_tables_are_made_first_by_another_role_than_the_one_that_serves(added: dict[str, Any]) -> None:
    run = added["services"]["migrate"]
    options = understood(run["command"])
    serving = urlsplit(added["services"]["service"]["environment"]["ASSENT_LOG"])
    owner = urlsplit(options["log"])
    assert (owner.hostname, owner.path) == (serving.hostname, serving.path) == ("postgres", "/assent")
    assert owner.username == added["services"]["postgres"]["environment"]["POSTGRES_USER"]
    assert options["role"] == serving.username != owner.username
    assert f"CREATE ROLE {serving.username} LOGIN" in added["configs"]["roles"]["content"]
    for name in REPLICAS:
        assert added["services"][name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert run["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_no_secret_is_in_it_and_each_is_asked_for(added: dict[str, Any]) -> None:
    text = FILE.read_text(encoding="utf-8")
    named = set(SECRET.findall(text))
    comment = text.partition("x-shared")[0]
    assert named == set(re.findall(r"#   (\w+)=", comment)), "the comment says how each is made"
    assert all(
        SECRET.fullmatch(value)
        for each in added["services"].values()
        for name, value in each.get("environment", {}).items()
        if "PASSWORD" in name or name.endswith("_KEY")
    )
    assert "ports" not in added["services"]["postgres"], "nobody outside reaches the database"
