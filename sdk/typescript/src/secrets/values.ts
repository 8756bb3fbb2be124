// Whether a value is one that a secret could have (`assent.secrets.values`). Asked only of what goes by the name of one.
import { SCHEME, STANDS_FOR, WORDS } from "./table.js";

/** `assigned` when it stands behind `=`. */
export function isSecret(kind: string, value: string, assigned = false): boolean {
  value = value.trim();
  const head = value.slice(0, 512);
  if (!value || WORDS.has(head.toLowerCase()) || STANDS_FOR.test(head)) return false;
  if (kind === "password") return true;
  if (kind === "cookie") return value.includes("=");
  if (kind === "authorization" && SCHEME.test(head)) return true;
  if (/\s/.test(head)) return head.split(/\s+/).some(isRandom);
  if (assigned && !/^\p{Nd}+$/u.test(value)) return value.length > 2;
  return isRandom(head);
}

/** Whether nobody would write this by hand: a piece of 6 with letters and digits, one of 16 in both cases, or one whose case
 * changes five times. */
export function isRandom(value: string): boolean {
  for (const piece of value.split(/[-_./:+=]/)) {
    if (piece.length < 6) continue;
    const digits = /\p{Nd}/u.test(piece);
    if (digits && /\p{L}/u.test(piece)) return true;
    if (piece.length >= 16 && (digits || (piece !== piece.toLowerCase() && piece !== piece.toUpperCase()))) return true;
    const upper = Array.from(piece, (sign) => /\p{Lu}/u.test(sign));
    if (upper.filter((each, at) => at > 0 && each !== upper[at - 1]).length >= 5) return true;
  }
  return value.length >= 40 && /^[\p{L}\p{N}]+$/u.test(value);
}
