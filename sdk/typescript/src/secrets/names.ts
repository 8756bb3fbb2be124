// What goes by the name of a secret: `password`, `GITHUB_TOKEN`, `apiKey` (`assent.secrets.names`).
import { ENDING, KIND_ENDINGS, MARK, OF_GATES, OF_PAGES, SHORT, WHERE } from "./table.js";

const LONGEST = 20_000;
const LONGEST_KIND = 128;

/** Whether what goes by this name is taken for a secret where people are shown it: any word of the name counts. */
export function namesSecret(name: string): boolean {
  const words = wordsOf(name.slice(0, LONGEST));
  const pairs = words.slice(1).map((word, at) => `${words[at]}${word}`);
  return [...words, ...pairs].some((word) => SHORT.has(word) || ENDING.test(word));
}

/** Which kind of secret goes by this name: the name has to end with it. Undefined for everything else. */
export function kindOf(name: string): string | undefined {
  if (name.length > LONGEST_KIND) return undefined;
  const words = wordsOf(name.replace(MARK, "")).filter((word) => word !== "");
  while (words.length > 1 && (WHERE.has(words.at(-1) ?? "") || /^\d+$/.test(words.at(-1) ?? ""))) words.pop();
  const last = words.at(-1);
  const before = words.at(-2);
  if (last === undefined) return undefined;
  // alone, it may as well be a test that did
  if (last === "pass") return before === undefined ? "secret" : OF_GATES.has(before) ? undefined : "password";
  const pair = before !== undefined && (last === "key" || last === "keys") ? before + last : last;
  const [kind] = KIND_ENDINGS.find(([, ending]) => ending.test(pair)) ?? [];
  return kind === "token" && before !== undefined && OF_PAGES.has(before) ? undefined : kind;
}

/** What stands in place of a secret. */
export function hidden(kind: string): string {
  return `[REDACTED:${kind}]`;
}

function wordsOf(name: string): string[] {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase().split(/[^a-z0-9]+/);
}
