// Bodies that an agent signs with its private key: over their RFC 8785 form, without the member that holds the signature
// (the service's `assent.proof.signing`). RSASSA-PKCS1-v1_5 with SHA-256, or Ed25519 (RFC 8032).
import { base64, canonical, hex } from "./proof/canonical.js";
import { PEM } from "./signer.js";

/** Types of Node alone do not name it. */
type Key = Parameters<typeof crypto.subtle.sign>[1];

/** Bits. */
const SMALLEST = 2048;
/** Object identifiers as DER has them, in hex: rsaEncryption (RFC 8017) and id-Ed25519 (RFC 8410). */
const ALGORITHMS = {
  "06092a864886f70d010101": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  "06032b6570": { name: "Ed25519" },
};

/** Base64. Throws JsonError for a body that has no canonical form. */
export async function signature(key: Key, body: Readonly<Record<string, unknown>>): Promise<string> {
  return base64(new Uint8Array(await crypto.subtle.sign(key.algorithm.name, key, canonical(body) as BufferSource)));
}

/** Throws TypeError for a key that cannot sign. */
export async function loaded(pem: string): Promise<Key> {
  const letters = (PEM.exec(pem)?.[1] ?? "").replace(/\s/g, "");
  let key: Key | undefined;
  try {
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    // The algorithm stands in the first bytes: SEQUENCE, version, SEQUENCE, identifier.
    const head = hex(bytes.slice(0, 40));
    const found = Object.entries(ALGORITHMS).find(([identifier]) => head.includes(identifier));
    if (found !== undefined) key = await crypto.subtle.importKey("pkcs8", bytes, found[1], false, ["sign"]);
  } catch {
    // told below, without what is in it
  }
  if (key === undefined) throw new TypeError("privateKey cannot be read; give a PEM of an RSA or Ed25519 private key");
  const { modulusLength = SMALLEST } = key.algorithm as { modulusLength?: number };
  if (modulusLength < SMALLEST) throw new TypeError(`the RSA key has ${modulusLength} bits; use ${SMALLEST} or more`);
  return key;
}
