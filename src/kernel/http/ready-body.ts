// Bodies that a handler has made itself: JSON already serialised elsewhere, and streams in another media type.
import type { Readable } from 'node:stream';

const readyBody = Symbol('ready body');

/** A body of shape `B`, already serialised; it goes out with the route's first status. */
export interface ReadyJson<B> {
  [readyBody]: 'json';
  /** UTF-8 text of one JSON value. */
  bytes: Uint8Array;
  /** Never set: it carries the type. */
  shape?: B;
}

/** A body sent piece by piece as the caller takes it. An error in `body` cuts the connection. */
export interface BodyStream {
  [readyBody]: 'stream';
  /** Content-Type. */
  type: string;
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

export function readyJson<B>(bytes: Uint8Array): ReadyJson<B> {
  return { [readyBody]: 'json', bytes };
}

export function bodyStream(stream: Omit<BodyStream, typeof readyBody>): BodyStream {
  return { [readyBody]: 'stream', ...stream };
}

export function isReadyBody(value: unknown): value is ReadyJson<unknown> | BodyStream {
  return typeof value === 'object' && value !== null && readyBody in value;
}

/** Content type, headers and payload of a body as a server sends it; `check` is given the value of ready JSON. */
export function payloadOf(ready: ReadyJson<unknown> | BodyStream, check?: (value: unknown) => void) {
  if (ready[readyBody] === 'stream') {
    return { type: ready.type, headers: ready.headers, payload: ready.body };
  }
  const payload = Buffer.from(ready.bytes.buffer, ready.bytes.byteOffset, ready.bytes.byteLength);
  check?.(JSON.parse(payload.toString('utf8')));
  return { type: 'application/json; charset=utf-8', headers: {}, payload };
}

/** The JSON object in `bytes` with `members` after its own; it must have at least one of its own. */
export function withMembers(bytes: Uint8Array, members: Readonly<Record<string, unknown>>): Uint8Array {
  const rest = new TextEncoder().encode(`,${JSON.stringify(members).slice(1)}`);
  const whole = new Uint8Array(bytes.byteLength - 1 + rest.byteLength);
  whole.set(bytes.subarray(0, -1));
  whole.set(rest, bytes.byteLength - 1);
  return whole;
}
