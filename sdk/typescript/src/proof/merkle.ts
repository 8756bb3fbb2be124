// The Merkle tree of RFC 9162: how its proofs are checked (2.1.3.2 and 2.1.4.2). Proofs of exactly the right length are
// demanded; sizes go up to 2**53 - 1, so halves are taken by division. The checks say no to whatever is wrong.
import { hex, sha256 } from "./canonical.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The hash that stands for a leaf. */
export function leafHash(content: Uint8Array): Promise<Uint8Array> {
  return sha256(LEAF, content);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Promise<Uint8Array> {
  return sha256(NODE, left, right);
}

const isOdd = (n: number) => n % 2 === 1;
const half = (n: number) => Math.floor(n / 2);
const same = (left: Uint8Array, right: Uint8Array) => hex(left) === hex(right);
const isSize = (n: number) => Number.isSafeInteger(n) && n >= 0;

/** Whether `hashes` show that `leaf` is the hash of leaf `n` in the tree of `size` leaves with this root. */
export async function verifyInclusion(leaf: Uint8Array, n: number, size: number, hashes: readonly Uint8Array[], root: Uint8Array): Promise<boolean> {
  if (!isSize(n) || !isSize(size) || n >= size || ![leaf, root, ...hashes].every((each) => each.length === 32)) return false;
  let [at, last, found] = [n, size - 1, leaf];
  for (const each of hashes) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      found = await nodeHash(each, found);
      [at, last] = up(at, last);
    } else found = await nodeHash(found, each);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && same(found, root);
}

/** Whether `hashes` show that the tree of `first` leaves is the beginning of that of `second`, by their roots. */
export async function verifyConsistency(
  first: number,
  second: number,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
  hashes: readonly Uint8Array[],
): Promise<boolean> {
  if (!isSize(first) || !isSize(second) || first > second || ![firstRoot, secondRoot, ...hashes].every((each) => each.length === 32)) return false;
  const empty = async () => same(firstRoot, await sha256());
  if (first === second) return hashes.length === 0 && same(firstRoot, secondRoot) && (first > 0 || (await empty()));
  if (first === 0) return hashes.length === 0 && (await empty());
  // The root of a complete tree is a node of the larger one: no need to send what the verifier has.
  const path = Number.isInteger(Math.log2(first)) && 2 ** Math.log2(first) === first ? [firstRoot, ...hashes] : [...hashes];
  const begin = path.shift();
  if (begin === undefined) return false;
  let [at, last] = [first - 1, second - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [old, young] = [begin, begin];
  for (const each of path) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      [old, young] = [await nodeHash(each, old), await nodeHash(each, young)];
      [at, last] = up(at, last);
    } else young = await nodeHash(young, each);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && same(old, firstRoot) && same(young, secondRoot);
}

/** Past the levels at which the rightmost subtree has no sibling. */
function up(at: number, last: number): [number, number] {
  while (at > 0 && !isOdd(at)) [at, last] = [half(at), half(last)];
  return [at, last];
}
