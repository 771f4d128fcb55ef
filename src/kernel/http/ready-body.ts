// Serialised bodies: JSON from a reader thread, and streams in another media type.
import type { Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';

const readyBody = Symbol('ready body');

/** A body of shape `B`, already serialised; it goes out with the route's first status. */
export interface ReadyJson<B> {
  [readyBody]: 'json';
  /** UTF-8 text of one JSON value; when `isGzipped`, its gzip. */
  bytes: Uint8Array;
  isGzipped: boolean;
  headers: Readonly<Record<string, string>>;
  /** Never set: it exists for the type parameter. */
  shape?: B;
}

/** A streamed body, with backpressure. An error in `body` closes the connection. */
export interface BodyStream {
  [readyBody]: 'stream';
  type: string;
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

export function readyJson<B>(bytes: Uint8Array, headers: ReadyJson<B>['headers'] = {}): ReadyJson<B> {
  return { [readyBody]: 'json', bytes, isGzipped: false, headers };
}

/** `bytes` are the gzip of the text: large answers stay compressed until they are sent. */
export function gzippedJson<B>(bytes: Uint8Array): ReadyJson<B> {
  return { [readyBody]: 'json', bytes, isGzipped: true, headers: {} };
}

export function bodyStream(stream: Omit<BodyStream, typeof readyBody>): BodyStream {
  return { [readyBody]: 'stream', ...stream };
}

export function isReadyBody(value: unknown): value is ReadyJson<unknown> | BodyStream {
  return typeof value === 'object' && value !== null && readyBody in value;
}

export function isReadyJson(body: ReadyJson<unknown> | BodyStream): body is ReadyJson<unknown> {
  return body[readyBody] === 'json';
}

export function readJsonText({ bytes, isGzipped }: ReadyJson<unknown>): string {
  return (isGzipped ? gunzipSync(bytes) : bufferOf(bytes)).toString('utf8');
}

/** Returns the value of a body whose query answered this hub, and no client. */
export function decodeJson<B>(body: ReadyJson<B>): B {
  return JSON.parse(readJsonText(body)) as B;
}

/** Content type, headers and payload of a body as a server sends it to a caller who takes gzip, or does not. */
export function choosePayload(ready: ReadyJson<unknown> | BodyStream, takesGzip: boolean) {
  if (ready[readyBody] === 'stream') {
    return { type: ready.type, headers: ready.headers, payload: ready.body };
  }
  const type = 'application/json; charset=utf-8';
  if (!ready.isGzipped) {
    return { type, headers: ready.headers, payload: bufferOf(ready.bytes) };
  }
  if (takesGzip) {
    const headers = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };
    return { type, headers, payload: bufferOf(ready.bytes) };
  }
  const payload = createGunzip();
  payload.end(ready.bytes);
  return { type, headers: { Vary: 'Accept-Encoding' }, payload };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Adds `members` at the end of the JSON object in `bytes`, which must not be empty. */
export function withMembers(bytes: Uint8Array, members: Readonly<Record<string, unknown>>): Uint8Array {
  const rest = new TextEncoder().encode(`,${JSON.stringify(members).slice(1)}`);
  const whole = new Uint8Array(bytes.byteLength - 1 + rest.byteLength);
  whole.set(bytes.subarray(0, -1));
  whole.set(rest, bytes.byteLength - 1);
  return whole;
}
