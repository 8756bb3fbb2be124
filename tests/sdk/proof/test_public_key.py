"""Public keys: what is taken, what is refused and why, and that a refusal repeats nothing."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa, x25519
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID

from assent.contract.people.identities import Algorithm
from assent.proof.private_key import Signer, load_private_key, new_private_key, private_pem
from assent.proof.public_key import PublicKeyError, fingerprint, load_public_key, pem_of

RSA_KEY = rsa.generate_private_key(65537, 2048)
ED_KEY = ed25519.Ed25519PrivateKey.generate()


def spki(key: rsa.RSAPublicKey | ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | dsa.DSAPublicKey) -> str:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


RSA_PEM, ED_PEM = spki(RSA_KEY.public_key()), spki(ED_KEY.public_key())


def certificate() -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "agent")])
    day = datetime(2026, 1, 1, tzinfo=UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(RSA_KEY.public_key())
    built = built.serial_number(1).not_valid_before(day).not_valid_after(day.replace(year=2027))
    return built.sign(RSA_KEY, SHA256()).public_bytes(Encoding.PEM).decode()


def private(format_: PrivateFormat, password: bytes | None = None) -> str:
    protection = NoEncryption() if password is None else BestAvailableEncryption(password)
    return RSA_KEY.private_bytes(Encoding.PEM, format_, protection).decode()


BROKEN = RSA_PEM.replace(RSA_PEM.splitlines()[1], RSA_PEM.splitlines()[1][::-1])
CUT = "\n".join([*RSA_PEM.splitlines()[:3], RSA_PEM.splitlines()[-1]])
BAD = {
    "nothing": ("  ", "no PEM"),
    "words": ("my key", "no PEM"),
    "bare base64": ("".join(RSA_PEM.splitlines()[1:-1]), "no PEM"),
    "lines lost": (RSA_PEM.replace("\n", "\\n"), "cannot be read|before or behind"),
    "broken": (BROKEN, "cannot be read"),
    "cut": (CUT, "cannot be read"),
    "empty": ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", "cannot be read"),
    "not ascii": (RSA_PEM.replace("A", "Ä", 1), "before or behind"),
    "two keys": (RSA_PEM + ED_PEM, "2 PEMs"),
    "words before": ("my key:\n" + RSA_PEM, "before or behind"),
    "words behind": (RSA_PEM + "and more", "before or behind"),
    "a certificate": (certificate(), "a certificate"),
    "PKCS 1": (RSA_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode(), "PKCS #1"),
    "RSA 1024": (spki(rsa.generate_private_key(65537, 1024).public_key()), "has 1024 bits"),
    "elliptic": (spki(ec.generate_private_key(ec.SECP256R1()).public_key()), "kind EC "),
    "DSA": (spki(dsa.generate_private_key(2048).public_key()), "DSA"),
    "X25519": (
        x25519.X25519PrivateKey.generate()
        .public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        .decode(),
        "X25519",
    ),
}
PRIVATE = {
    "PKCS 8": private(PrivateFormat.PKCS8),
    "PKCS 1": private(PrivateFormat.TraditionalOpenSSL),
    "encrypted": private(PrivateFormat.PKCS8, b"secret"),
    "OpenSSH": private(PrivateFormat.OpenSSH),
    "both halves": RSA_PEM + private(PrivateFormat.PKCS8),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("algorithm", Algorithm)
def test_what_is_no_good_is_refused_with_the_reason(kind: str, algorithm: Algorithm) -> None:
    pem, reason = BAD[kind]
    with pytest.raises(PublicKeyError, match=reason) as refused:
        load_public_key(pem, algorithm)
    assert_silent(refused.value, pem)


@pytest.mark.parametrize("kind", PRIVATE)
def test_a_private_key_is_told_apart_and_not_repeated(kind: str) -> None:
    with pytest.raises(PublicKeyError, match=r"this is a private key.*new pair") as refused:
        load_public_key(PRIVATE[kind], Algorithm.RSA)
    assert_silent(refused.value, PRIVATE[kind])


def assert_silent(error: BaseException, pem: str) -> None:
    """Neither the error nor what it is chained to holds a line of the key."""
    told = f"{error} {error.__cause__} " + ("" if error.__suppress_context__ else str(error.__context__))
    assert not [line for line in pem.splitlines() if len(line) > 20 and "-----" not in line and line in told]


def test_the_algorithm_must_be_the_key_s() -> None:
    for pem, algorithm, own in ((RSA_PEM, Algorithm.ED25519, "RSASSA"), (ED_PEM, Algorithm.RSA, "Ed25519")):
        with pytest.raises(PublicKeyError, match=f"one for {own}"):
            load_public_key(pem, algorithm)


@pytest.mark.parametrize("bits", [2048, 3072])
def test_rsa_keys_of_enough_bits(bits: int) -> None:
    pem = spki(rsa.generate_private_key(65537, bits).public_key())
    assert pem_of(load_public_key(pem, Algorithm.RSA)) == pem


def test_a_key_of_too_many_bits_would_cost_whoever_verifies() -> None:
    # Never a real key: only its size counts.
    numbers = rsa.RSAPublicNumbers(65537, (1 << 8200) + 1)
    with pytest.raises(PublicKeyError, match="8201 bits"):
        load_public_key(spki(numbers.public_key()), Algorithm.RSA)


def test_white_space_around_and_windows_lines_are_no_matter() -> None:
    assert pem_of(load_public_key("\n  " + ED_PEM.replace("\n", "\r\n") + "\n\n", Algorithm.ED25519)) == ED_PEM


def test_the_fingerprint_is_what_openssl_says(tmp_path: Path) -> None:
    file = tmp_path / "public.pem"
    file.write_text(RSA_PEM)
    der = RSA_KEY.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert fingerprint(load_public_key(RSA_PEM, Algorithm.RSA)) == "sha256:" + sha256(der).hexdigest()
    try:
        command = ["openssl", "pkey", "-pubin", "-in", str(file), "-outform", "DER"]
        found = subprocess.run(command, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    assert found.stdout == der


# Private keys, which stay with the agent


@pytest.mark.parametrize("algorithm", Algorithm)
def test_a_private_key_is_made_written_and_read(tmp_path: Path, algorithm: Algorithm) -> None:
    pem = private_pem(new_private_key(algorithm))
    file = tmp_path / "agent.pem"
    file.write_bytes(pem)
    signers = [Signer(given) for given in (pem, pem.decode(), file, str(file), load_private_key(pem))]
    assert len({each.public_pem for each in signers}) == 1
    assert {each.algorithm for each in signers} == {algorithm}
    assert len({each.sign({"a": 1}) for each in signers}) == 1
    assert repr(signers[0]) == f"Signer({algorithm})"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (PRIVATE["encrypted"], "is encrypted"),
        (b"nonsense", "cannot be read"),
        (RSA_PEM, "cannot be read"),
        (rsa.generate_private_key(65537, 1024), "1024 bits"),
        (private_pem(rsa.generate_private_key(65537, 1024)), "1024 bits"),
        (
            ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "neither RSA nor Ed25519",
        ),
    ],
    ids=["encrypted", "nonsense", "public", "short", "short PEM", "elliptic"],
)
def test_what_cannot_sign_is_refused(given: str | bytes | rsa.RSAPrivateKey, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Signer(given)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Signer(tmp_path / "no.pem")


def test_an_unknown_algorithm() -> None:
    with pytest.raises(ValueError, match="RS256"):
        new_private_key("RS256")
