// What the generated signatures are made of.
import type { components, operations } from "./api.js";

/** The records of the API by name. */
export type Schemas = components["schemas"];
type Operation = keyof operations;
type Content<T> = T extends { content: infer C } ? C[keyof C] : never;

/** What an operation answers with. */
export type Answer<O extends Operation> = {
  [S in keyof operations[O]["responses"]]: Content<operations[O]["responses"][S]>;
}[keyof operations[O]["responses"]];

/** What an operation takes as its body, its members as on the wire or in camel case. */
export type Body<O extends Operation> = operations[O] extends { requestBody: { content: infer C } }
  ? Spelled<C[keyof C]>
  : operations[O] extends { requestBody?: { content: infer C } }
    ? Spelled<C[keyof C]>
    : never;

/** What an operation takes as its query, likewise. */
export type Query<O extends Operation> = Spelled<NonNullable<operations[O]["parameters"]["query"]>>;

type Camel<S> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Spelled<T> = T | { [K in keyof T as Camel<K>]: T[K] };

/** Further members, which guard keeps and policies can look at. */
export type Open<T> = T & { readonly [name: string]: unknown };

/** What one call may have of its own. Times are in milliseconds. */
export interface CallOptions {
  /** How long each attempt may take. */
  timeout?: number;
  /** Ends the call from outside. */
  signal?: AbortSignal;
  /** Tells this call from every other, where the operation takes a key; made up otherwise. */
  idempotencyKey?: string;
}

/** A file as the service sends it. */
export interface DownloadedFile {
  data: Uint8Array;
  filename: string;
  mimeType: string;
}

/** An event of the stream. */
export interface Event {
  id: number;
  event: string;
  data: Record<string, unknown>;
}
