// Whose bodies are signed, and with which key: what signs is loaded with the first of them.

/** The text of a key, as `new Client` checks it. */
export const PEM = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/;

export class Signer {
  readonly #pem: string;
  #key: Promise<Parameters<typeof crypto.subtle.sign>[1]> | undefined;

  /** Throws TypeError for a text that is no PKCS #8 PEM; whether a key is in it shows when it first signs. */
  constructor(pem: string) {
    // Nothing of the text is said: it may be the key.
    if (!PEM.test(pem))
      throw new TypeError("privateKey is no PEM of an unencrypted key in PKCS #8 (it begins with -----BEGIN PRIVATE KEY-----)");
    this.#pem = pem;
  }

  /** Base64. Throws JsonError for a body that has no canonical form, TypeError for a key that cannot sign. */
  async sign(body: Readonly<Record<string, unknown>>): Promise<string> {
    const { loaded, signature } = await import("./signing.js");
    return signature(await (this.#key ??= loaded(this.#pem)), body);
  }
}
