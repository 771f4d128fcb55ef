// A route is a value. Server binding, typed client, OpenAPI and permission matrix are derived from it; nothing here runs.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { BodyStream, ReadyJson } from './ready-body.ts';
import type { RequestFacts } from './request-facts.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Declaration half of a route, generic in its access rule: the kernel knows no permission names.
 * `reply` maps success status → body schema; the first one is what a handler returns plainly, any other with `reply()`.
 * Errors are never in `reply`: they are AppErrors. A reply of `z.null()` has no body, such as a redirect.
 */
export interface RouteDefinition<A> {
  method: Method;
  path: `/${string}`;
  access: A;
  summary: string;
  /** More sentences than the summary, where they are needed. */
  details?: string;
  /** Codes with which its handler refuses, besides those that follow from what is declared here. */
  refusals?: readonly ErrorCode[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  reply: Readonly<Record<number, z.ZodType>>;
  /** Bytes of JSON body accepted; 65,536 when absent (docs/reference/rest-api.md#8-limits). */
  bodyLimit?: number;
  /** The body is not JSON but these bytes at most, of any media type; the handler reads `upload` of its call. */
  upload?: { maxBytes: number };
  /** Media types of a reply that is a stream; its schema is then a string. */
  media?: readonly string[];
  /** Sent uncompressed: its entity tag is strong, and stands for these very bytes. */
  compress?: false;
  /** Answers with server-sent events, an `EventStream`; HEAD gets the headers, and its handler is not called. */
  stream?: true;
  /** Outside `/api`: no rate limit, answered before readiness and authentication. */
  process?: true;
  /** Browsers navigate to this route: a caller that prefers HTML gets refusals as plain text. */
  navigated?: true;
  /** Checks of the server by name, in this order, between the credential and the body. */
  guards?: readonly string[];
  /** Requests of this route are counted by address against an allowance of this name, and against no other. */
  allowance?: string;
  /** Checks the body before its schema does; throws AppError for what a schema cannot express. */
  precheck?: (body: unknown) => void;
  /** What a changing call leaves in the audit trail: an event of this name, or what its `handler` records. */
  audit?: 'handler' | (string & {});
  /** Members that every error body of this route carries besides the common ones. */
  failure?: Readonly<Record<string, unknown>>;
}

/** The body of a `stream` route: whole events, UTF-8. It is destroyed when the client goes away. */
export type EventStream = Readable;

export type RouteTable<A> = Readonly<Record<string, RouteDefinition<A>>>;
export type RouteGroups<A> = Readonly<Record<string, RouteTable<A>>>;

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type Sent<S> = S extends z.ZodType ? z.input<S> : never;

export interface Call<R extends RouteDefinition<unknown>, P> {
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Parsed<R['body']>;
  /** The caller; `null` on routes that need no credential. */
  principal: P;
  requestId: string;
  request: RequestFacts;
  /** Aborted when the client goes away or the server stops. */
  signal: AbortSignal;
  /** The body of a route with `upload`; empty on others. It fails with AppError `payload_too_large` at one byte too many. */
  upload: Readable;
}

const otherStatus = Symbol('status');

/** A cookie to set, always `SameSite=Lax`; an age of 0 deletes it. */
export interface Cookie {
  name: string;
  value: string;
  maxAgeMs: number;
  path: string;
  secure: boolean;
  /** Hidden from the scripts of the page. */
  httpOnly: boolean;
}

export interface ReplyExtras {
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly Cookie[];
}

/** A reply with a status other than the route's first one, or with headers of its own. */
export interface StatusReply<S extends number = number, B = unknown> extends ReplyExtras {
  [otherStatus]: true;
  status: S;
  body: B;
}

/** A reply with `status`, one of the `reply` keys of the route. */
export function reply<S extends number, B>(status: S, body: B, extras: ReplyExtras = {}): StatusReply<S, B> {
  return { [otherStatus]: true, status, body, ...extras };
}

export function isStatusReply(value: unknown): value is StatusReply {
  return typeof value === 'object' && value !== null && otherStatus in value;
}

type Replies<R extends RouteDefinition<unknown>> = {
  [S in keyof R['reply'] & number]: R['reply'][S] extends z.ZodType
    ? z.input<R['reply'][S]> | StatusReply<S, z.input<R['reply'][S]>>
    : never;
}[keyof R['reply'] & number];

/** What a handler may return: a plain or serialised body, or a stream where the route has `media`. */
export type Reply<R extends RouteDefinition<unknown>> =
  | Replies<R>
  | ReadyJson<Bodies<R>>
  | (R extends { media: readonly string[] } ? BodyStream : never);

type Bodies<R extends RouteDefinition<unknown>> = {
  [S in keyof R['reply'] & number]: R['reply'][S] extends z.ZodType ? z.input<R['reply'][S]> : never;
}[keyof R['reply'] & number];

/** One handler per route of the table; a missing one, or a wrong body, is a compile error. */
export type Handlers<T extends RouteTable<unknown>, P> = {
  [K in keyof T]: (call: Call<T[K], P>) => Reply<T[K]> | Promise<Reply<T[K]>>;
};

/** What the typed client takes for a route: only the parts the route has. */
export type ClientInput<R extends RouteDefinition<unknown>> = (R['params'] extends z.ZodType
  ? { params: Sent<R['params']> }
  : object) &
  (R['query'] extends z.ZodType ? { query?: Sent<R['query']> } : object) &
  (R['body'] extends z.ZodType ? { body: Sent<R['body']> } : object);

/** What the typed client resolves to: any of the route's success bodies. */
export type ClientReply<R extends RouteDefinition<unknown>> = {
  [S in keyof R['reply'] & number]: R['reply'][S] extends z.ZodType ? z.output<R['reply'][S]> : never;
}[keyof R['reply'] & number];
