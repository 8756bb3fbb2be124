"""What deploy/kubernetes.yaml says exists: settings, options, ports, probes; and it holds no secret. No cluster runs
here."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from assent.contract.health import HEALTH, READY
from assent_service.core.settings import ENVIRONMENT, Settings
from tests.deploy.test_declared import image, understood
from tests.live import ROOT

FILE = ROOT / "deploy" / "kubernetes.yaml"


@pytest.fixture
def declared() -> dict[str, Any]:
    """Each object by its kind."""
    found = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))
    return {each["kind"]: each for each in found}


@pytest.fixture
def container(declared: dict[str, Any]) -> dict[str, Any]:
    (found,) = declared["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert isinstance(found, dict)
    return found


def test_it_runs_what_the_image_has(container: dict[str, Any]) -> None:
    options = understood(container["args"])
    assert (options["host"], options["port"]) == ("0.0.0.0", Settings().port)
    (port,) = container["ports"]
    assert port["containerPort"] == Settings().port
    assert port["containerPort"] in image().ports


def test_settings_exist_and_come_from_the_secret(container: dict[str, Any]) -> None:
    given = {each["name"]: each for each in container["env"]}
    assert given.keys() <= ENVIRONMENT.keys()
    assert given.keys() >= {"ASSENT_LOG", "ASSENT_WALLET_KEY"}, "replicas need both"
    assert all("value" not in each and "secretKeyRef" in each["valueFrom"] for each in given.values())
    named = {each["valueFrom"]["secretKeyRef"]["key"] for each in given.values()}
    assert all(f"--from-literal={key}=" in FILE.read_text(encoding="utf-8") for key in named), "the comment makes them"


def test_probes_ask_what_answers(container: dict[str, Any]) -> None:
    paths = {name: container[name]["httpGet"]["path"] for name in container if name.endswith("Probe")}
    assert paths == {"startupProbe": HEALTH.path, "livenessProbe": HEALTH.path, "readinessProbe": READY.path}
    assert all(container[name]["httpGet"]["port"] == "http" for name in paths)


def test_objects_belong_together(declared: dict[str, Any], container: dict[str, Any]) -> None:
    deployment, budget, service = (declared[kind] for kind in ("Deployment", "PodDisruptionBudget", "Service"))
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for chosen in (
        deployment["spec"]["selector"]["matchLabels"],
        budget["spec"]["selector"]["matchLabels"],
        service["spec"]["selector"],
    ):
        assert chosen == labels
    assert 1 <= budget["spec"]["minAvailable"] < deployment["spec"]["replicas"]
    assert service["spec"].get("sessionAffinity", "None") == "None", "any replica answers any request"
    mounted = {each["mountPath"] for each in container["volumeMounts"]}
    assert mounted == {"/data", "/tmp"}, "all else is read-only"
    assert {each["name"] for each in container["volumeMounts"]} == {
        each["name"] for each in deployment["spec"]["template"]["spec"]["volumes"]
    }


def test_it_may_do_no_more_than_it_has_to(declared: dict[str, Any], container: dict[str, Any]) -> None:
    pod = declared["Deployment"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}" == image().user
    assert not pod["automountServiceAccountToken"]
    own = container["securityContext"]
    assert own["readOnlyRootFilesystem"]
    assert not own["allowPrivilegeEscalation"]
    assert own["capabilities"] == {"drop": ["ALL"]}
