// The reference of the API: each example is one that the hub would take or give, and each member that is sent has a sentence.
import { expect, test } from 'vitest';
import { statusByCode } from '#contract/errors.ts';
import { api } from '#contract/index.ts';
import type { JsonSchema } from '#kernel/http/json-schema.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { openApi } from '../scripts/reference/openapi.ts';

interface Content {
  schema?: JsonSchema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: 'path' | 'query'; required: boolean; example?: unknown; description?: string }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content>; 'x-codes'?: string[] }>;
}

const document = openApi('1.2.3') as { paths: Record<string, Record<string, Operation>>; info: object };
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const routes = new Map<string, RouteDefinition<unknown>>(
  Object.entries(api).flatMap(([group, table]) =>
    Object.entries(table).map(([name, route]): [string, RouteDefinition<unknown>] => [`${group}.${name}`, route]),
  ),
);
const named = operations.map((operation) => ({ operation, route: routes.get(operation.operationId) }));

test('every route is an operation, with an id of its own', () => {
  expect(operations.map(({ operationId }) => operationId)).toHaveLength(routes.size);
  expect(new Set(operations.map(({ operationId }) => operationId))).toEqual(new Set(routes.keys()));
});

test.each(named)('$operation.operationId: what its examples send is accepted', ({ operation, route }) => {
  const sent = (where: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === where && parameter.example !== undefined)
        .map(({ name, example }) => [name, example]),
    );
  expect(() => parsePart('invalid_params', route?.params, sent('path'))).not.toThrow();
  expect(() => parsePart('invalid_query', route?.query, sent('query'))).not.toThrow();
  const body = operation.requestBody?.content['application/json'];
  expect(body === undefined).toBe(route?.body === undefined);
  if (body) {
    expect(() => parsePart('invalid_body', route?.body, body.example)).not.toThrow();
  }
});

test.each(named)('$operation.operationId: what its examples answer is what it answers', ({ operation, route }) => {
  const answered = Object.entries(operation.responses).flatMap(([status, { content }]) => {
    const json = content?.['application/json'];
    return json && 'example' in json ? [[Number(status), json.example] as const] : [];
  });
  for (const [status, example] of answered) {
    const parsed = route?.reply[status]?.safeParse(example);
    expect(parsed?.error?.issues).toEqual(undefined);
    expect(parsed?.data).toEqual(example);
  }
  const isJson = !route?.stream && !route?.media;
  const bodies = Object.entries(route?.reply ?? {}).filter(([, schema]) => isJson && schema.def.type !== 'null');
  expect(answered.map(([status]) => String(status))).toEqual(bodies.map(([status]) => status));
});

test('every member of a body that is sent has a sentence', () => {
  const silent = operations.flatMap(({ operationId, requestBody }) =>
    membersOf(requestBody?.content['application/json']?.schema ?? {})
      .filter(([, { description = '' }]) => description.length < 5)
      .map(([name]) => `${operationId} ${name}`),
  );
  expect(silent).toEqual([]);
});

test('every operation names the codes of its refusals, below their status', () => {
  for (const { operationId, responses } of operations) {
    const refusals = Object.entries(responses).filter(([, response]) => response['x-codes'] !== undefined);
    expect({ operationId, any: refusals.some(([status]) => status.startsWith('4')) }).toEqual({
      operationId,
      any: true,
    });
    for (const [status, { 'x-codes': codes = [] }] of refusals) {
      expect(codes.map((code) => statusByCode[code as keyof typeof statusByCode])).toEqual(
        codes.map(() => Number(status)),
      );
    }
  }
  const detail = operations.find(({ operationId }) => operationId === 'connections.detail')?.responses ?? {};
  expect(Object.keys(detail)).toEqual(['200', '400', '401', '403', '404', '429', '503', 'default']);
  expect(detail[404]?.['x-codes']).toEqual(['not_found']);
});

/** Members at any depth, by name. */
function membersOf({ properties = {}, items, anyOf = [], oneOf = [] }: JsonSchema): [string, JsonSchema][] {
  const own = Object.entries(properties);
  const below = [...own.map(([, member]) => member), ...anyOf, ...oneOf, ...(typeof items === 'object' ? [items] : [])];
  return [...own, ...below.flatMap(membersOf)];
}
