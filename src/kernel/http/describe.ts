// Derives the OpenAPI 3.1 document and the permission matrix from route tables. Both are pinned and published.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type ErrorCode, httpStatus } from '../errors.ts';
import { jsonSchema } from './describe-schema.ts';
import type { FindMember, JsonSchema } from './json-schema.ts';
import type { RouteDefinition, RouteGroups } from './route.ts';

export interface Described {
  title: string;
  version: string;
  description?: string;
  license?: Readonly<Record<string, string>>;
  servers?: readonly Readonly<Record<string, string>>[];
  /** One word for a route's access rule. */
  accessText: (access: never) => string;
  tags?: Readonly<Record<string, string>>;
  /** Security schemes by name (OpenAPI 3.1 §4.8.27), and the names that satisfy an access rule, each by itself. */
  securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  schemesFor?: (access: never) => readonly string[];
  /** Finds the description and the example of a member by its name. */
  findMember?: FindMember;
  /** Makes the example of a body that has none in `examples`. Absent: such a body is shown without one. */
  makeExample?: (schema: JsonSchema, isRequest: boolean) => unknown;
  /** Hand-written examples, by group and name of the route. */
  examples?: Readonly<Record<string, Readonly<Record<string, Example>>>>;
  listRefusals?: (route: RouteDefinition<never>) => readonly ErrorCode[];
}

export interface Example {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  reply?: unknown;
}

/** The OpenAPI 3.1 document of `groups`, in their order. */
export function describeOpenApi(groups: RouteGroups<unknown>, about: Described): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [group, table] of Object.entries(groups)) {
    for (const [name, route] of Object.entries(table)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(group, name, route, about) };
    }
  }
  const { title, version, description, license } = about;
  const schemas: Record<string, unknown> = { Error: errorSchema };
  return {
    openapi: '3.1.0',
    info: { title, version, ...given({ description, license }) },
    ...given({
      servers: about.servers,
      tags: about.tags && Object.entries(about.tags).map(([name, sentence]) => ({ name, description: sentence })),
    }),
    paths: shareSchemas(paths, schemas),
    components: { schemas, ...given({ securitySchemes: about.securitySchemes }) },
  };
}

/** Moves each schema with a title to `schemas`, under this title, and leaves a reference in its place. */
function shareSchemas(value: unknown, schemas: Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((one) => shareSchemas(one, schemas));
  }
  const members = Object.entries(value).map(([name, one]) => {
    return [name, name === 'example' ? one : shareSchemas(one, schemas)];
  });
  const { title, description, ...schema } = Object.fromEntries(members) as Record<string, unknown>;
  if (typeof title !== 'string') {
    return Object.fromEntries(members);
  }
  schemas[title] ??= { title, ...schema };
  if (!isDeepStrictEqual(schemas[title], { title, ...schema })) {
    throw new Error(`two schemas that differ have the title "${title}": give one of them another title`);
  }
  return { $ref: `#/components/schemas/${title}`, ...given({ description }) };
}

/** One line per route: method, path, access; in the tables' order. */
export function describeMatrix(groups: RouteGroups<unknown>, accessText: Described['accessText']): string {
  const lines = Object.values(groups)
    .flatMap((table) => Object.values(table))
    .map((route) => `${route.method.padEnd(6)} ${route.path.padEnd(44)} ${accessText(route.access as never)}`);
  return `${lines.join('\n')}\n`;
}

const errorSchema = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'What happened and what to do, in a sentence' },
    code: { type: 'string', description: 'The kind of refusal: stays the same in later versions' },
    field: {
      type: 'string',
      description: 'The member that was refused, such as dns.logFile or allowList.3; absent otherwise',
    },
    problem: {
      type: 'object',
      description:
        'What is wrong with this member, for a page in another language; absent where only the sentence says it',
      properties: {
        code: { type: 'string', description: 'missing, too_big, too_small, invalid_type, invalid_format and others' },
        limit: { type: ['number', 'null'], description: 'The limit that was passed' },
        unit: { type: ['string', 'null'], description: 'What is counted: characters or entries; null for the value' },
      },
    },
    errorFacts: {
      type: 'array',
      description:
        'The sentence of error as codes and values (Fact), for a page in another language; absent or empty where only the sentence says it',
      items: { type: 'object' },
    },
    requestId: { type: 'string', description: 'Also in X-Request-Id and in the log of the server' },
  },
  required: ['error', 'code', 'requestId'],
};
const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

function operation(group: string, name: string, route: RouteDefinition<unknown>, about: Described) {
  const example = about.examples?.[group]?.[name] ?? {};
  return {
    operationId: `${group}.${name}`,
    summary: route.summary,
    ...given({
      description: route.details,
      tags: about.tags && [group],
      security: about.schemesFor?.(route.access as never).map((scheme) => ({ [scheme]: [] })),
    }),
    'x-access': about.accessText(route.access as never),
    parameters: [
      ...parameters('path', route.params, example.params, about),
      ...parameters('query', route.query, example.query, about),
    ],
    ...given({ requestBody: requestBody(route, example, about) }),
    responses: { ...answers(route, example, about), ...refusals(route, about) },
  };
}

function requestBody(route: RouteDefinition<unknown>, { body }: Example, about: Described) {
  if (route.upload) {
    return { required: true, content: { 'application/octet-stream': {} } };
  }
  return route.body && { required: true, content: json(route.body, 'input', body, about) };
}

function answers(route: RouteDefinition<unknown>, { reply }: Example, about: Described) {
  return Object.fromEntries(
    Object.entries(route.reply).map(([status, schema], index) => [
      status,
      schema.def.type === 'null'
        ? { description: 'success, without a body' }
        : {
            description: 'success',
            content: route.stream ? eventStream : content(route, schema, index === 0 ? reply : undefined, about),
          },
    ]),
  );
}

const eventStream = { 'text/event-stream': { schema: { type: 'string' } } };

/** By status, with the codes in their description and in `x-codes`; what is not listed is `default`. */
function refusals(route: RouteDefinition<unknown>, about: Described) {
  const codes = Object.groupBy(about.listRefusals?.(route as RouteDefinition<never>) ?? [], httpStatus);
  const byStatus = Object.entries(codes).map(([status, list = []]) => [
    status,
    { description: list.join(', '), content: errorContent, 'x-codes': list },
  ]);
  return { ...Object.fromEntries(byStatus), default: { description: 'refused or failed', content: errorContent } };
}

/** Each value of a list is a parameter of that name (OpenAPI 3.1 §4.8.12.3). */
const repeated = { style: 'form', explode: true };

function parameters(
  where: 'path' | 'query',
  schema: z.ZodObject | undefined,
  examples: Example['query'] = {},
  { findMember }: Described,
) {
  const described = schema ? jsonSchema(schema, 'input', findMember) : {};
  return Object.entries(described.properties ?? {}).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || (described.required ?? []).includes(name),
    ...given({ description }),
    ...(property.type === 'array' ? repeated : {}),
    schema: property,
    ...given({ example: examples[name] ?? (where === 'path' ? findMember?.(name)?.example : undefined) }),
  }));
}

function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function content({ media }: RouteDefinition<unknown>, schema: z.ZodType, example: unknown, about: Described) {
  return media
    ? Object.fromEntries(media.map((type) => [type, { schema: jsonSchema(schema, 'output') }]))
    : json(schema, 'output', example, about);
}

function json(schema: z.ZodType, io: 'input' | 'output', example: unknown, { findMember, makeExample }: Described) {
  const described = jsonSchema(schema, io, findMember);
  const shown = example ?? makeExample?.(described, io === 'input');
  return { 'application/json': { schema: described, ...given({ example: shown }) } };
}
