// Whether an answer of the hub is one of its contract: the route found by method and path, then status, type and body.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Access } from '#contract/access.ts';
import { statusByCode } from '#contract/errors.ts';
import { api } from '#contract/index.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parseJson } from '#kernel/text/json.ts';
import { listRefusals } from '../../scripts/reference/refusals.ts';

export interface RestAnswer {
  method: string;
  path: string;
  status: number;
  type: string;
  text: string;
  /** The caller prefers a page. */
  wantsHtml: boolean;
}

type Route = RouteDefinition<unknown>;

const routes: readonly (Route & { readonly pattern: RegExp })[] = Object.values(api)
  .flatMap((table) => Object.values<Route>(table))
  .map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }));

/** What is wrong with the answer; empty when nothing is. Pure. */
export function restFaults(answer: RestAnswer): string[] {
  const method = answer.method === 'HEAD' ? 'GET' : answer.method;
  // A slash at the end changes nothing.
  const path = answer.path.replace(/(?<=.)\/$/, '');
  const route = routes.find((one) => one.method === method && one.pattern.test(path));
  const schema = route?.reply[answer.status];
  if (route && schema) {
    return answer.method === 'HEAD' ? [] : replyFaults(route, schema, answer);
  }
  // Files of the web UI, which are no routes: test/rest/web-serving.test.ts has what they say.
  if (answer.status === 200 && method === 'GET' && path.startsWith('/assets/')) {
    return [];
  }
  if (answer.status < 400) {
    return [`status ${answer.status} is not one of the contract`];
  }
  return answer.method === 'HEAD' || (route?.navigated && answer.wantsHtml) ? [] : errorFaults(answer, route);
}

function replyFaults(route: Route, schema: z.ZodType, { type, text }: RestAnswer): string[] {
  if (schema.def.type === 'null') {
    return text === '' ? [] : ['a body where the contract has none'];
  }
  const media = route.stream ? ['text/event-stream'] : (route.media ?? ['application/json']);
  if (!media.some((one) => type.startsWith(one))) {
    return [`type ${type} in place of ${media.join(' or ')}`];
  }
  // Where the contract names media types it has no schema for what is in them.
  return route.stream || route.media ? [] : jsonFaults(schema, text);
}

function jsonFaults(schema: z.ZodType, text: string): string[] {
  const body = parseJson(text);
  if (body === undefined) {
    return ['the body is not JSON'];
  }
  const read = schema.safeParse(body);
  return read.success
    ? differences(body, read.data, 'body')
    : read.error.issues.map(({ path, message }) => `${['body', ...path].join('.')}: ${message}`);
}

/** Where a value differs from what its schema made of it: a schema leaves out what it does not know. */
function differences(value: unknown, known: unknown, at: string): string[] {
  if (isDeepStrictEqual(value, known)) {
    return [];
  }
  if (!isObject(value) || !isObject(known)) {
    return [`${at}: is not what the contract makes of it`];
  }
  return Object.keys(value).flatMap((key) =>
    Object.hasOwn(known, key)
      ? differences(value[key], known[key], `${at}.${key}`)
      : [`${at}.${key}: is not in the contract`],
  );
}

/** What the server answers before it has read which route is meant, or whatever it is. */
const ofAnyRequest: readonly ErrorCode[] = ['malformed_request', 'headers_too_large', 'request_timeout'];

/** Longer ones are of no route, whatever its pattern. */
const longestParameter = 200;

function errorFaults({ status, type, text, path }: RestAnswer, route: Route | undefined): string[] {
  if (!type.startsWith('application/json')) {
    return [`type ${type} of an error in place of application/json`];
  }
  const body = parseJson(text);
  if (!isObject(body)) {
    return ['the body of an error is not an object'];
  }
  const missing = ['error', 'code', 'requestId'].filter((name) => typeof body[name] !== 'string');
  const failure = Object.entries(route?.failure ?? {}).filter(([name, value]) => !isDeepStrictEqual(body[name], value));
  const meant = statusByCode[body.code as keyof typeof statusByCode];
  const known: readonly unknown[] =
    route && path.length <= longestParameter ? listRefusals(route as RouteDefinition<Access>) : [];
  // What breaks inside is in no description.
  const isDescribed = known.length === 0 || status === 500 || [...ofAnyRequest, ...known].includes(body.code);
  return [
    ...(isDescribed ? [] : [`body.code: ${body.code} is not among the refusals of ${route?.method} ${route?.path}`]),
    ...missing.map((name) => `body.${name}: an error has this text`),
    ...failure.map(([name, value]) => `body.${name}: is ${JSON.stringify(value)} in every error of this route`),
    ...(meant === status || missing.includes('code') ? [] : [`body.code: ${body.code} means ${meant}, not ${status}`]),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
