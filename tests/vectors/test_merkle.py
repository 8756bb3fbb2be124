"""The Merkle tree against published trees, and against the RFC's definitions written down a second time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.canonical import leaf_hash
from assent.proof.merkle import (
    EMPTY,
    completed,
    consistency_of,
    inclusion_of,
    node_hash,
    root_of,
    stored_index,
    verify_consistency,
    verify_inclusion,
)

# The reference tree of Certificate Transparency's test suite: eight entries, and the root over the first 1 to 8.
ENTRIES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
NODES = {
    "leaf 0": "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "leaf 1": "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "leaf 4": "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "0-1": "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "2-3": "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "4-5": "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "6-7": "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "0-3": "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4-7": "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
}
INCLUSION = [  # leaf, size, path
    (0, 1, []),
    (0, 8, ["leaf 1", "2-3", "4-7"]),
    (5, 8, ["leaf 4", "6-7", "0-3"]),
    (2, 3, ["0-1"]),
    (1, 5, ["leaf 0", "2-3", "leaf 4"]),
]
CONSISTENCY = [  # first, second, path
    (1, 1, []),
    (1, 8, ["leaf 1", "2-3", "4-7"]),
    (6, 8, ["4-5", "6-7", "0-3"]),
    (2, 5, ["2-3", "leaf 4"]),
]
SIZES = range(1, 65)


# RFC 9162, sections 2.1.1, 2.1.3.1 and 2.1.4.1, as they stand there.


def _k(n: int) -> int:
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def mth(leaves: tuple[bytes, ...]) -> bytes:
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = _k(len(leaves))
    return sha256(b"\x01" + mth(leaves[:k]) + mth(leaves[k:])).digest()


mth = cache(mth)


def path(m: int, leaves: tuple[bytes, ...]) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = _k(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def subproof(m: int, leaves: tuple[bytes, ...], whole: bool) -> list[bytes]:
    if m == len(leaves):
        return [] if whole else [mth(leaves)]
    k = _k(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


LEAVES = tuple(leaf_hash(b"entry %d" % n) for n in range(max(SIZES)))


class Stored:
    """Hashes in the order of completion, as a file holds them; how many of them were asked for."""

    def __init__(self, leaves: tuple[bytes, ...]) -> None:
        self.hashes: list[bytes] = []
        self.asked = 0
        for n, leaf in enumerate(leaves):
            assert len(self.hashes) == stored_index(0, n)
            self.hashes += completed(n, leaf, self.node)

    def node(self, level: int, index: int) -> bytes:
        self.asked += 1
        return self.hashes[stored_index(level, index)]


STORED = Stored(LEAVES)
node = STORED.node


def spoilt(hashes: list[bytes]) -> Iterator[list[bytes]]:
    """Everything that is nearly this proof: a hash changed, dropped, added, doubled, two swapped, one cut short."""
    for i, each in enumerate(hashes):
        yield [*hashes[:i], bytes([each[0] ^ 1]) + each[1:], *hashes[i + 1 :]]
        yield [*hashes[:i], each[:-1], *hashes[i + 1 :]]
        yield [*hashes[:i], b"", *hashes[i + 1 :]]
        yield [*hashes[:i], *hashes[i + 1 :]]
        yield [*hashes[:i], each, each, *hashes[i + 1 :]]
    for i in range(len(hashes) - 1):
        yield [*hashes[:i], hashes[i + 1], hashes[i], *hashes[i + 2 :]]
    for extra in (EMPTY, LEAVES[0]):
        yield [extra, *hashes]
        yield [*hashes, extra]


def test_the_reference_tree_has_its_published_roots() -> None:
    tree = Stored(tuple(leaf_hash(entry) for entry in ENTRIES))
    assert [root_of(size, tree.node).hex() for size in range(1, 9)] == ROOTS
    assert root_of(0, tree.node).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(("n", "size", "names"), INCLUSION)
def test_the_reference_tree_has_its_published_inclusion_proofs(n: int, size: int, names: list[str]) -> None:
    leaves = tuple(leaf_hash(entry) for entry in ENTRIES)
    proof = [bytes.fromhex(NODES[name]) for name in names]
    assert inclusion_of(n, size, Stored(leaves).node) == proof
    assert verify_inclusion(leaves[n], n, size, proof, bytes.fromhex(ROOTS[size - 1]))


@pytest.mark.parametrize(("first", "second", "names"), CONSISTENCY)
def test_the_reference_tree_has_its_published_consistency_proofs(first: int, second: int, names: list[str]) -> None:
    leaves = tuple(leaf_hash(entry) for entry in ENTRIES)
    proof = [bytes.fromhex(NODES[name]) for name in names]
    assert consistency_of(first, second, Stored(leaves).node) == proof
    roots = [bytes.fromhex(ROOTS[size - 1]) for size in (first, second)]
    assert verify_consistency(first, second, roots[0], roots[1], proof)


def test_nodes_start_from_a_one() -> None:
    assert node_hash(b"l" * 32, b"r" * 32) == sha256(b"\x01" + b"l" * 32 + b"r" * 32).digest()


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_of_every_size_is_proven_as_the_rfc_defines_it(size: int) -> None:
    leaves = LEAVES[:size]
    root = mth(leaves)
    assert root_of(size, node) == root
    for n in range(size):
        proof = inclusion_of(n, size, node)
        assert proof == path(n, leaves)
        assert verify_inclusion(leaves[n], n, size, proof, root)


@pytest.mark.parametrize("second", SIZES)
def test_every_pair_of_sizes_is_consistent_as_the_rfc_defines_it(second: int) -> None:
    for first in range(1, second + 1):
        proof = consistency_of(first, second, node)
        assert proof == subproof(first, LEAVES[:second], True)
        assert verify_consistency(first, second, mth(LEAVES[:first]), mth(LEAVES[:second]), proof)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 13, 16, 33, 64])
def test_a_spoilt_inclusion_proof_is_refused(size: int) -> None:
    root, other = mth(LEAVES[:size]), mth(LEAVES[: size - 1])
    for n in range(size):
        leaf, proof = LEAVES[n], inclusion_of(n, size, node)
        assert not any(verify_inclusion(leaf, n, size, bad, root) for bad in spoilt(proof))
        assert not verify_inclusion(leaf, n, size, proof, other)
        assert not verify_inclusion(leaf, n, size, proof, b"")
        assert not verify_inclusion(leaf[:-1], n, size, proof, root)
        assert not verify_inclusion(leaf_hash(leaf), n, size, proof, root)
        assert not any(verify_inclusion(leaf, m, size, proof, root) for m in range(-1, size + 2) if m != n)


def test_the_size_that_an_inclusion_proof_is_for_is_held_by_its_length_and_the_root() -> None:
    """Sizes whose tree has the same shape around a leaf take the same path, so the root is what tells them apart."""
    for size in range(1, 40):
        for n in range(size):
            proof = inclusion_of(n, size, node)
            for other in range(40):
                accepted = verify_inclusion(LEAVES[n], n, other, proof, mth(LEAVES[:other]))
                assert accepted == (n < other and inclusion_of(n, other, node) == proof)


@pytest.mark.parametrize("second", [2, 3, 5, 8, 11, 16, 31, 64])
def test_a_spoilt_consistency_proof_is_refused(second: int) -> None:
    new = mth(LEAVES[:second])
    for first in range(1, second):
        old, proof = mth(LEAVES[:first]), consistency_of(first, second, node)
        forged = mth((*LEAVES[: first - 1], leaf_hash(b"forged")))
        assert not any(verify_consistency(first, second, old, new, bad) for bad in spoilt(proof))
        for roots in ((forged, new), (old, mth((*LEAVES[: second - 1], EMPTY))), (new, old), (b"", new), (old, b"")):
            assert not verify_consistency(first, second, *roots, proof)
        assert not verify_consistency(second, first, old, new, proof)
        assert not verify_consistency(-first, second, old, new, proof)


def test_equal_and_empty_trees_need_no_hashes() -> None:
    root = mth(LEAVES[:5])
    assert consistency_of(5, 5, node) == consistency_of(0, 5, node) == consistency_of(0, 0, node) == []
    assert verify_consistency(5, 5, root, root, [])
    assert verify_consistency(0, 5, EMPTY, root, [])
    assert verify_consistency(0, 0, EMPTY, EMPTY, [])
    assert not verify_consistency(5, 5, root, mth(LEAVES[:4]), [])
    assert not verify_consistency(5, 5, root, root, [root])
    assert not verify_consistency(0, 5, root, root, [])
    assert not verify_consistency(0, 5, EMPTY, root, [root])
    assert not verify_consistency(0, 0, root, root, [])


def test_what_is_out_of_range_has_no_proof() -> None:
    for n, size in ((-1, 5), (5, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match=f"{size} leaves has no leaf {n}"):
            inclusion_of(n, size, node)
    for first, second in ((-1, 5), (6, 5)):
        with pytest.raises(ValueError, match=f"{first} leaves is not the beginning of one of {second}"):
            consistency_of(first, second, node)
    with pytest.raises(ValueError, match="not -1"):
        root_of(-1, node)


def test_nodes_lie_in_the_order_of_their_completion() -> None:
    # Five leaves: 0, 1, (0 1), 2, 3, (2 3), (0 1 2 3), 4.
    order = [(0, 0), (0, 1), (1, 0), (0, 2), (0, 3), (1, 1), (2, 0), (0, 4)]
    assert [stored_index(level, index) for level, index in order] == list(range(8))


@given(st.integers(1, 2**40), st.data())
def test_proofs_of_large_trees_take_as_many_hashes_as_the_tree_is_high(size: int, data: st.DataObject) -> None:
    """Without storing such trees: a node's name stands for its hash."""
    asked: list[tuple[int, int]] = []

    def named(level: int, index: int) -> bytes:
        asked.append((level, index))
        assert (index + 1) << level <= size, "only complete subtrees have hashes"
        return sha256(b"%d %d" % (level, index)).digest()

    n = data.draw(st.integers(0, size - 1))
    height = (size - 1).bit_length()
    assert len(inclusion_of(n, size, named)) <= height
    assert len(consistency_of(n + 1, size, named)) <= height + 1
    root_of(size, named)
    assert len(asked) <= 5 * (height + 1)


@given(st.integers(1, 400), st.data())
def test_any_tree_proves_its_leaves_and_its_past(size: int, data: st.DataObject) -> None:
    leaves = tuple(sha256(b"%d" % n).digest() for n in range(size))
    tree = Stored(leaves)
    n = data.draw(st.integers(0, size - 1))
    first = data.draw(st.integers(0, size))
    root = mth(leaves)
    proof, past = inclusion_of(n, size, tree.node), consistency_of(first, size, tree.node)
    assert verify_inclusion(leaves[n], n, size, proof, root)
    assert verify_consistency(first, size, mth(leaves[:first]), root, past)
    if proof:
        i, bit = data.draw(st.integers(0, len(proof) - 1)), data.draw(st.integers(0, 255))
        bad = [*proof]
        bad[i] = (int.from_bytes(bad[i]) ^ 1 << bit).to_bytes(32)
        assert not verify_inclusion(leaves[n], n, size, bad, root)


@given(st.binary(max_size=40), st.integers(), st.integers(), st.lists(st.binary(max_size=40), max_size=70))
def test_nonsense_is_refused_and_never_raises(blob: bytes, a: int, b: int, hashes: list[bytes]) -> None:
    assert not verify_inclusion(blob, a, b, hashes, b"\0" * 32)
    assert not verify_consistency(a, b, blob, b"\0" * 32, hashes)
