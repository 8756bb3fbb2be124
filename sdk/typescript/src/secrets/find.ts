// Secrets in texts, as the Python client finds them (`assent.secrets`), by the same table: a text that goes through here
// loses what looks like a key, what goes by the name of a secret, and passwords in addresses and commands. It is a net: what
// looks like nothing in particular stays. What was taken out already is left as it is.
import { ASSIGNED, BARE, BEGIN, DATABASES, KEY_BEGINS, KEY_ENDS, KEY_REST, MARK, OPTION, type Pattern, PATTERNS, QUOTED, SIGNS } from "./table.js";
import { hidden, kindOf } from "./names.js";
import { isRandom, isSecret } from "./values.js";

/** Beginning, end, rank and what is told. */
type Place = readonly [start: number, end: number, rank: number, name: string];
type Found = RegExpExecArray & { indices: NonNullable<RegExpExecArray["indices"]> };

/** UTF-16 code units that are looked at of what is only shown. */
const LONGEST_SHOWN = 20_000;
/** No secret is longer than this: of a text that is cut off, so much of the end may be a part of one. */
const LONGEST_SECRET = 8_400;
/** Taking a secret out can put two halves of another one side by side. */
const ROUNDS = 8;
const LONGEST_NAME = 64;
const LONGEST_KEY = 8192;

/** The text with `[REDACTED:<pattern>]` in place of each secret. */
export function redacted(text: string): string {
  for (let round = 0; round < ROUNDS; round++) {
    const found = places(text);
    if (found.length === 0) break;
    let at = 0;
    let whole = "";
    for (const [start, end, , name] of found) {
      whole += text.slice(at, start) + hidden(name);
      at = end;
    }
    text = whole + text.slice(at);
  }
  return text;
}

/** The beginning of the text without its secrets, for where people are shown far less than that. */
export function displayed(text: string): string {
  if (text.length <= LONGEST_SHOWN) return redacted(text);
  return redacted(text.slice(0, LONGEST_SHOWN)).slice(0, -LONGEST_SECRET);
}

function places(text: string): Place[] {
  const all: Place[] = [];
  let at = 0;
  for (const mark of [...text.matchAll(MARK)]) {
    all.push(...within(text.slice(at, mark.index), at));
    at = mark.index + mark[0].length;
  }
  return [...all, ...within(text.slice(at), at)];
}

function within(text: string, offset: number): Place[] {
  const low = text.toLowerCase();
  const has = (sign: string) => low.includes(sign);
  const found: Place[] = [];
  if (has(BEGIN)) found.push(...privateKeys(text));
  for (const [rank, pattern] of PATTERNS.entries()) if (pattern.signs.some(has)) found.push(...ofPattern(text, pattern, rank + 1));
  if (SIGNS.some(has)) found.push(...assigned(text));
  found.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
  const merged: Place[] = [];
  for (const each of found) {
    const last = merged.at(-1);
    if (last === undefined || each[0] >= last[1]) merged.push(each);
    else {
      const told = last[2] <= each[2] ? last : each;
      merged[merged.length - 1] = [last[0], Math.max(last[1], each[1]), told[2], told[3]];
    }
  }
  return merged.map(([start, end, rank, name]) => [start + offset, end + offset, rank, name]);
}

// Keys that say what they are, and secrets that are where secrets are

function* ofPattern(text: string, { name, expression, word, check }: Pattern, rank: number): Generator<Place> {
  for (let at = 0; ; ) {
    const match = searched(expression, text, at);
    if (match === undefined) return;
    const [start, end] = match.indices.groups?.["s"] ?? match.indices[0] ?? [match.index, match.index];
    if (word && !beginsWord(text, match.index)) at = match.index + 1;
    else if (check === undefined || (CHECKS[check]?.(match, text) ?? true)) {
      yield [start, end, rank, name];
      at = match.index + match[0].length;
    } else at = start > match.index ? start : match.index + match[0].length;
  }
}

/** In JSON inside of a text, a line break is a backslash and a letter. */
function beginsWord(text: string, at: number): boolean {
  return !/[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at)) || /\\[bfnrt]$/.test(text.slice(Math.max(0, at - 2), at));
}

/** By the names that the table gives them: whether what was found is one. */
const CHECKS: Readonly<Record<string, (match: Found, text: string) => boolean>> = {
  mixed: (match) => isRandom(group(match, "s")),
  is_whole: (match) => match.groups?.["rest"] !== undefined,
  numbered: (match) => /\p{Nd}/u.test(group(match, "s")),
  has_digit: (match) => group(match, "s").length >= 20 || /\p{Nd}/u.test(group(match, "s")),
  authorizes: (match) => (group(match, "scheme") ? hasValue(match) : isSecret("token", group(match, "s"))),
  // Not a group and a user by their numbers (`-u 1000:1000`).
  credentials: (match) => !/^\p{Nd}+$/u.test(group(match, "s")) && isSecret("password", group(match, "s")),
  has_value: hasValue,
  of_database: (match, text) => DATABASES.test(text.slice(Math.max(0, match.index - 24), match.index)) && inUrl(match, text),
  in_url: inUrl,
};

function hasValue(match: Found): boolean {
  return group(match, "s").length >= 4 && isSecret("password", group(match, "s"));
}

/** A user alone (`git@`) is no secret; a key in the user's place is. */
function inUrl(match: Found, text: string): boolean {
  if (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, match.index - 2), match.index))) return false;
  const found = group(match, "s");
  const colon = found.indexOf(":");
  return colon >= 0 ? isSecret("password", found.slice(colon + 1)) : isRandom(found);
}

// What is assigned to a name

function* assigned(text: string): Generator<Place> {
  for (const expression of text.includes("-") ? [ASSIGNED, OPTION] : [ASSIGNED]) {
    for (let at = 0; ; ) {
      const match = searched(expression, text, at);
      if (match === undefined) break;
      const form = ["escaped", "double", "single", "bare"].find((each) => match.groups?.[each] !== undefined) ?? "bare";
      const [start, end] = match.indices.groups?.[form] ?? [match.index, match.index + match[0].length];
      const kind = kindAt(text, match, group(match, form), form, expression === OPTION);
      if (kind === undefined) {
        at = start;
        continue;
      }
      yield [start, extended(text, end, form), PATTERNS.length + 1, kind];
      at = match.index + match[0].length;
    }
  }
}

function kindAt(text: string, match: Found, value: string, form: string, option: boolean): string | undefined {
  let first = match.index;
  while (first > 0 && match.index - first < LONGEST_NAME && /[A-Za-z0-9_.-]/.test(text[first - 1] ?? "")) first--;
  const name = text.slice(first, match.indices.groups?.["closed"]?.[0]);
  if (option && !(name.startsWith("-") && (first === 0 || " \t\n\"'`=(".includes(text[first - 1] ?? "")))) return undefined;
  const kind = kindOf(name.slice(name.lastIndexOf(".") + 1));
  const isAssigned = option || group(match, "by").includes("=");
  if (kind === undefined) return undefined;
  const low = name.toLowerCase();
  if (form === "bare" && !isAssigned && (low === "pass" || low === "pwd" || value.length < 4)) return undefined;
  if ((low === "pwd" || low === "oldpwd") && /^(?:[/~.]|[A-Za-z]:\\)/.test(value)) return undefined;
  if (option && value.length < 3) return undefined;
  return isSecret(kind, value, isAssigned) ? kind : undefined;
}

/** Where a value ends that is longer than what was looked at. */
function extended(text: string, end: number, form: string): number {
  if (form !== "bare" && /["'\\]/.test(text[end] ?? "")) return end;
  return end + (sticky(form === "bare" ? BARE : QUOTED, text, end)?.length ?? 0);
}

/** Where private keys in PEM are, whether or not they end. */
function* privateKeys(text: string): Generator<Place> {
  for (let at = 0; ; ) {
    KEY_BEGINS.lastIndex = at;
    const begin = KEY_BEGINS.exec(text);
    if (begin === null) return;
    at = begin.index + begin[0].length;
    KEY_ENDS.lastIndex = at;
    const ending = KEY_ENDS.exec(text);
    if (ending !== null && ending.index - at <= LONGEST_KEY) at = ending.index + ending[0].length;
    else at += sticky(KEY_REST, text, at)?.length ?? 0;
    yield [begin.index, at, 0, "private_key"];
  }
}

function searched(expression: RegExp, text: string, at: number): Found | undefined {
  expression.lastIndex = at;
  return (expression.exec(text) as Found | null) ?? undefined;
}

function sticky(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(text)?.[0];
}

function group(match: Found, name: string): string {
  return match.groups?.[name] ?? "";
}
