// Texts that this client makes: of whole characters, no longer than their place takes, and such that JSON carries them.

/** The text with U+FFFD for each half of a surrogate pair that stands alone, which the service does not read. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}

/** The text, or its beginning and `…`: so many code points at most, as the service counts. */
export function cut(text: string, longest: number): string {
  const signs = Array.from(wellFormed(text.slice(0, 2 * longest + 2)));
  return signs.length <= longest ? signs.join("") : `${signs.slice(0, longest - 1).join("")}…`;
}

/** What was thrown, in words: `TypeError: x is not a function`. Never throws, whatever it was. */
export function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message || "stopped from outside"}` : String(error);
  } catch {
    return "what was thrown cannot be written down";
  }
}
