// Route tables as the two texts that are published: the permission matrix and the OpenAPI document.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeMatrix, describeOpenApi } from '#kernel/http/describe.ts';
import type { RouteGroups } from '#kernel/http/route.ts';

const groups = {
  things: {
    list: {
      ...{ method: 'GET', path: '/things', access: 'reader', summary: 'All things' },
      query: z.object({
        from: z.string().describe('The first one'),
        most: z.int().optional(),
        of: z.array(z.string()).max(3).optional(),
      }),
      reply: { 200: z.object({ names: z.array(z.string()) }) },
    },
    change: {
      ...{ method: 'PATCH', path: '/things/:id', access: 'writer', summary: 'Changes one' },
      params: z.object({ id: z.string() }),
      body: z.object({ name: z.string().default('none') }),
      reply: { 200: z.object({ name: z.string().default('none') }), 204: z.null() },
    },
    remove: {
      ...{ method: 'DELETE', path: '/things/:id', access: 'writer', summary: 'Removes one' },
      params: z.object({ id: z.string() }),
      reply: { 204: z.null() },
    },
  },
  live: {
    follow: {
      ...{ method: 'GET', path: '/live', access: 'open', summary: 'Events', stream: true },
      reply: { 200: z.string() },
    },
    file: {
      ...{ method: 'GET', path: '/file', access: 'open', summary: 'A file', media: ['text/csv', 'text/plain'] },
      reply: { 200: z.string() },
    },
  },
} satisfies RouteGroups<string> as RouteGroups<unknown>;

const accessText = (access: never) => `for ${access}`;
const plain = { title: 'Things', version: '1.2.3', accessText };

type Part = Record<string, unknown>;
const operations = (document: Part) => document.paths as Record<string, Record<string, Record<string, Part>>>;

test('the matrix has a line for each route, in columns, in the order of the tables', () => {
  expect(describeMatrix(groups, accessText).split('\n')).toEqual([
    `GET    /things${' '.repeat(38)}for reader`,
    `PATCH  /things/:id${' '.repeat(34)}for writer`,
    `DELETE /things/:id${' '.repeat(34)}for writer`,
    `GET    /live${' '.repeat(40)}for open`,
    `GET    /file${' '.repeat(40)}for open`,
    '',
  ]);
});

test('a document without descriptions, tags and schemes has no empty members for them', () => {
  const document = describeOpenApi(groups, plain);
  expect(Object.keys(document)).toEqual(['openapi', 'info', 'paths', 'components']);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Things', version: '1.2.3' } });
  expect(document.info).not.toHaveProperty('description');
  expect(Object.keys(document.components as object)).toEqual(['schemas']);
  const list = operations(document)['/things']?.get;
  expect(list).toMatchObject({ operationId: 'things.list', summary: 'All things', 'x-access': 'for reader' });
  for (const member of ['tags', 'security', 'requestBody']) {
    expect(list).not.toHaveProperty(member);
  }
});

test('a document with them names each at every operation', () => {
  const document = describeOpenApi(groups, {
    ...plain,
    description: 'All of it',
    tags: { things: 'About things', live: 'About now' },
    securitySchemes: { token: { type: 'http' } },
    schemesFor: (access) => (access === 'open' ? [] : ['token', 'cookie']),
  });
  expect(document).toMatchObject({
    info: { description: 'All of it' },
    tags: [
      { name: 'things', description: 'About things' },
      { name: 'live', description: 'About now' },
    ],
    components: { securitySchemes: { token: { type: 'http' } } },
  });
  const paths = operations(document);
  expect(paths['/things/{id}']?.patch).toMatchObject({ tags: ['things'], security: [{ token: [] }, { cookie: [] }] });
  expect(paths['/live']?.get).toMatchObject({ tags: ['live'], security: [] });
});

test('methods of one path stand together; parts, replies and media types are told as they are', () => {
  const paths = operations(describeOpenApi(groups, plain));
  expect(Object.keys(paths)).toEqual(['/things', '/things/{id}', '/live', '/file']);
  expect(Object.keys(paths['/things/{id}'] ?? {})).toEqual(['patch', 'delete']);
  expect(paths['/things']?.get?.parameters).toEqual([
    { name: 'from', in: 'query', required: true, description: 'The first one', schema: { type: 'string' } },
    { name: 'most', in: 'query', required: false, schema: expect.objectContaining({ type: 'integer' }) },
    {
      ...{ name: 'of', in: 'query', required: false, style: 'form', explode: true },
      schema: { type: 'array', maxItems: 3, items: { type: 'string' } },
    },
  ]);
  const { parameters, requestBody, responses } = paths['/things/{id}']?.patch ?? {};
  expect(parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]);
  const schemaOf = (part: unknown) =>
    (part as { content: Record<string, { schema: Part }> }).content['application/json']?.schema;
  // What may be left out of a request is always there in an answer.
  expect(requestBody?.required).toBe(true);
  expect(schemaOf(requestBody)).not.toHaveProperty('required');
  expect(schemaOf(requestBody)).not.toHaveProperty('$schema');
  expect(schemaOf(responses?.[200])).toMatchObject({ type: 'object', required: ['name'] });
  expect(responses?.[204]).toEqual({ description: 'success, without a body' });
  expect(schemaOf(responses?.default)).toEqual({ $ref: '#/components/schemas/Error' });
  const text = { schema: { type: 'string' } };
  const contentOf = (path: string) => paths[path]?.get?.responses?.[200];
  expect(contentOf('/live')).toEqual({ description: 'success', content: { 'text/event-stream': text } });
  expect(contentOf('/file')).toEqual({ description: 'success', content: { 'text/csv': text, 'text/plain': text } });
  const { responses: removed, ...remove } = paths['/things/{id}']?.delete ?? {};
  expect(Object.keys(removed ?? {})).toEqual(['204', 'default']);
  expect(remove).not.toHaveProperty('requestBody');
});

test('a schema with a title stands once in the document, and everywhere else as a reference to it', () => {
  const size = z.object({ most: z.int() }).meta({ title: 'Size' });
  const thing = z.object({ id: z.string(), size: size.nullable() }).meta({ title: 'Thing' });
  const get = (path: `/${string}`, reply: z.ZodType) => ({
    ...{ method: 'GET' as const, path, access: 'reader', summary: 'Things' },
    reply: { 200: reply },
  });
  const document = describeOpenApi(
    { things: { one: get('/one', thing), all: get('/all', z.object({ things: z.array(thing.describe('Of all')) })) } },
    plain,
  );
  const text = (path: string) => JSON.stringify(operations(document)[path]?.get?.responses?.[200]);
  expect(text('/one')).toContain('"schema":{"$ref":"#/components/schemas/Thing"}');
  expect(text('/all')).toContain('"items":{"$ref":"#/components/schemas/Thing","description":"Of all"}');
  const { Thing, Size } = (document.components as { schemas: Record<string, Part> }).schemas;
  expect(Size).toMatchObject({ type: 'object', title: 'Size', required: ['most'] });
  expect(Thing?.properties).toMatchObject({
    size: { anyOf: [{ $ref: '#/components/schemas/Size' }, { type: 'null' }] },
  });
  const other = z.object({ least: z.int() }).meta({ title: 'Size' });
  expect(() => describeOpenApi({ things: { one: get('/one', size), all: get('/all', other) } }, plain)).toThrow(
    /"Size"/,
  );
});
