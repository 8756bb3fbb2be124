"""What the webhook tests share: a certificate made here, settings that trust it, and servers that are stopped."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from assent_service.control.guard.webhook import WebhookSettings
from tests.service.control.guard.hook import Hook, Listen, Respond


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Self-signed, for localhost, *.hooks.test and 127.0.0.1; key and certificate in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "assent test webhook")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost"), x509.DNSName("*.hooks.test"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "webhook.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.fixture
def trusting(certificate: Path) -> WebhookSettings:
    """Settings that allow loopback and trust the test's certificate."""
    return WebhookSettings(allow_private=True, verify=ssl.create_default_context(cafile=certificate))


@pytest.fixture
async def listen(certificate: Path) -> AsyncIterator[Listen]:
    async with contextlib.AsyncExitStack() as stack:

        async def start(respond: Respond) -> Hook:
            hook = Hook(respond)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.sni_callback = hook.named
            server = await asyncio.start_server(hook.serve, "127.0.0.1", 0, ssl=context)
            hook.port = server.sockets[0].getsockname()[1]
            stack.callback(server.close)
            return hook

        yield start
