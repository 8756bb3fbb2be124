"""Ed25519 verification by the text of RFC 8032 (section 5.1.7) in plain integers: slow, and nobody else's code."""

from __future__ import annotations

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def add(first: Point, second: Point) -> Point:
    """The affine addition law of the twisted Edwards curve (section 5.1)."""
    (a, b), (c, d) = first, second
    product = D * a * b * c * d
    x = (a * d + b * c) * pow(1 + product, -1, P) % P
    y = (b * d + a * c) * pow(1 - product, -1, P) % P
    return x, y


def times(scalar: int, point: Point) -> Point:
    result = (0, 1)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decoded(encoding: bytes) -> Point | None:
    """Section 5.1.3; None for what encodes no point."""
    number = int.from_bytes(encoding, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    return (P - x if x & 1 != sign else x), y


BASE = decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def holds(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether [S]B = R + [k]A."""
    assert BASE is not None
    key, commitment = decoded(public), decoded(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER or len(signature) != 64:
        return False
    challenge = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % ORDER
    return times(scalar, BASE) == add(commitment, times(challenge, key))
