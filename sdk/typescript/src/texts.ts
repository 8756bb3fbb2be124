// Texts that JSON carries.

/** The text with U+FFFD for each half of a surrogate pair that stands alone, which the service does not read. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}
