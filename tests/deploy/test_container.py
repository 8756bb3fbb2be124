"""The Dockerfile's steps in an empty Debian, and what they make, run as compose.yaml says: a read-only root file
system, an ordinary user without privileges, a network of its own. No engine is needed, but root, unshare and
debootstrap.

`ASSENT_DEBIAN` names a Debian root with `python` to begin with; else one is made, which takes a minute.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.image import Builder, Container, Image, read
from tests.deploy.test_declared import compose
from tests.live import ROOT
from tests.tiers import deep

NEEDED = ["unshare", "setpriv", "chroot", "ip", *([] if os.environ.get("ASSENT_DEBIAN") else ["debootstrap"])]
MISSING = [tool for tool in NEEDED if shutil.which(tool) is None]
pytestmark = [
    deep("builds an image: 250 MB of packages into an empty Debian"),
    pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(MISSING) or os.geteuid() != 0, reason=f"needs root, and of programs {MISSING}"),
]
DEBIAN = "bookworm"
PACKAGES = (
    "python3.11",
    "python3.11-venv",
    "python3.11-distutils",
    "python3-distutils",
    "python3-lib2to3",
    "ca-certificates",
)
NETWORK = {name: value for name, value in os.environ.items() if name in ("PIP_CERT", "PIP_INDEX_URL", "HTTPS_PROXY")}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("ASSENT_DEBIAN"):
        return Path(given)
    root = tmp_path_factory.mktemp("debian")
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", DEBIAN, root],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no Debian can be had here: {made.stdout[-200:]}")
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3.11")
    return root


@pytest.fixture(scope="module")
def container(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    work = tmp_path_factory.mktemp("image")
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    image, root = Builder(ROOT, base, work, environment=NETWORK).build(text)
    volume = work / "volume"
    subprocess.run(["cp", "--archive", root / image.volumes[0][1:], volume], check=True)  # as an engine fills a new one
    yield Container(image, root, volume)
    shutil.rmtree(work)


def probe(image: Image, service: str) -> str:
    words = compose()["services"][service].get("healthcheck", {}).get("test", ["CMD", *image.health])[1:]
    return f"until inside {shlex.join(words)} 2> /dev/null; do sleep 0.2; done"


def started(image: Image, service: str) -> str:
    run = compose()["services"][service]
    variables = [f"{name}={value}" for name, value in run.get("environment", {}).items()]
    return f"become env {shlex.join([*variables, *image.entrypoint, *run['command']])}"


GOVERNED = """
from assent import Client
with Client() as admin:
    key = admin.create_key("bot", "agent", "bot").api_key
    with Client(api_key=key, agent_id="bot") as agent:
        agent.create_action("deploy", "Release 1.4.0")
    print("actions", admin.get_actions().total)
"""
SIGNED_IN = """
import http.client, sys, urllib.parse
page = http.client.HTTPConnection("127.0.0.1", 8485)
page.request("POST", "/sign-in", urllib.parse.urlencode({"key": sys.argv[1]}),
             {"content-type": "application/x-www-form-urlencoded", "accept": "text/html"})
answer = page.getresponse()
print("dashboard", answer.status, bool(answer.getheader("set-cookie")))
"""


def test_the_image_serves_with_a_read_only_root_as_an_ordinary_user(container: Container) -> None:
    image = container.image
    steps = f"""
inside id -u
inside touch /opt/assent/x 2> /dev/null && echo "the root can be written"
{started(image, "service")} > /dev/null &
service=$!
{probe(image, "service")}
{started(image, "dashboard")} > /dev/null &
dashboard=$!
{probe(image, "dashboard")}
key=$(cat {container.root}/data/admin.key)
inside env ASSENT_API_KEY=$key python -c {shlex.quote(GOVERNED)}
inside python -c {shlex.quote(SIGNED_IN)} $key
inside stat -c "%a %u %n" /data /data/admin.key
kill -{image.stop.removeprefix("SIG")} $service $dashboard
wait $service && ended=0 || ended=$?; echo "service ended with $ended"
wait $dashboard && ended=0 || ended=$?; echo "dashboard ended with $ended"
inside assent log verify | tail -n +2 | cut -f 2 | sort -u
"""
    ran = subprocess.run(
        container.script(steps, *compose()["services"]), capture_output=True, text=True, timeout=300, check=False
    )
    # 143 is 128 + SIGTERM: they end by the signal that they were sent, once everything is closed.
    assert ran.stdout.splitlines() == [
        image.user.partition(":")[0],
        "actions 1",
        "dashboard 303 True",
        "700 10001 /data",
        "600 10001 /data/admin.key",
        "service ended with 143",
        "dashboard ended with 143",
        "pass",
    ], ran.stderr


def test_nothing_of_a_developer_is_in_the_image(container: Container) -> None:
    installed = {path.name for path in (container.root / "opt/assent/lib/python3.11/site-packages").iterdir()}
    assert {"assent", "assent_service", "assent_dashboard", "assent_analytics", "streamlit", "duckdb"} <= installed
    assert not {"pip", "setuptools", "pytest", "mypy", "scipy", "playwright"} & installed
    assert not (container.root / "src").exists()
    package = container.root / "opt/assent/lib/python3.11/site-packages/assent_service"
    assert list(package.glob("__pycache__/app.*.pyc")), "bytecode is made while the image is built"


def test_the_last_stage_is_the_image() -> None:
    stages = read((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert list(stages) == ["build", ""]
