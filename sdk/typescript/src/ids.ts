// An id of the service says what it is of. One of another kind is a mistake, and is found before it is sent
// (the service's `assent.contract.ids`).
import { BELONGS, ID_NAMES } from "./operations.js";

/** Like `act_` and a UUIDv7 in hex. */
const ID = /^([a-z]+_)[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

/** What is wrong with the id in that member, and what to do; undefined where nothing is. */
export function misplaced(member: string, id: unknown): string | undefined {
  const belongs = (BELONGS as Record<string, string | undefined>)[member]?.split(" ");
  if (belongs === undefined || typeof id !== "string" || belongs.some((each) => id.startsWith(each))) return undefined;
  const names: Readonly<Record<string, string>> = ID_NAMES;
  const prefix = ID.exec(id)?.[1] ?? "";
  if (names[prefix] === undefined) return undefined;
  const wanted = belongs.map((each) => `${names[each]} (${each}...)`).join(" or ");
  const asked = prefix === "dec_" && belongs.includes("act_");
  const hint = asked ? "; guard's `action_id` repeats its decision's, `createAction` answers with the action's" : "";
  return `${member} is ${JSON.stringify(id)}, the id of ${names[prefix]}; give that of ${wanted}${hint}`;
}
