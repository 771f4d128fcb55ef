// Derives the OpenAPI 3.1 document and the permission matrix from route tables. Both are pinned and published.
import { z } from 'zod';
import type { RouteDefinition, RouteGroups } from './route.ts';

export interface Described {
  title: string;
  version: string;
  description?: string;
  /** One word for a route's access rule. */
  accessText: (access: never) => string;
  /** A sentence for each group of routes, by its name. */
  tags?: Readonly<Record<string, string>>;
  /** Security schemes by name (OpenAPI 3.1 §4.8.27), and the names that satisfy an access rule, each by itself. */
  securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  schemesFor?: (access: never) => readonly string[];
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
  return {
    openapi: '3.1.0',
    info: { title: about.title, version: about.version, ...given('description', about.description) },
    ...given('tags', about.tags && Object.entries(about.tags).map(([name, description]) => ({ name, description }))),
    paths,
    components: { schemas: { Error: errorSchema }, ...given('securitySchemes', about.securitySchemes) },
  };
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
  properties: { error: { type: 'string' }, code: { type: 'string' }, requestId: { type: 'string' } },
  required: ['error', 'code', 'requestId'],
};

const eventStream = { 'text/event-stream': { schema: { type: 'string' } } };

function operation(group: string, name: string, route: RouteDefinition<unknown>, about: Described) {
  const responses: Record<string, unknown> = {};
  for (const [status, schema] of Object.entries(route.reply)) {
    responses[status] =
      schema.def.type === 'null'
        ? { description: 'success, without a body' }
        : { description: 'success', content: route.stream ? eventStream : content(schema, route.media) };
  }
  responses.default = {
    description: 'refused or failed',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  return {
    operationId: `${group}.${name}`,
    summary: route.summary,
    ...given('tags', about.tags && [group]),
    ...given(
      'security',
      about.schemesFor?.(route.access as never).map((scheme) => ({ [scheme]: [] })),
    ),
    'x-access': about.accessText(route.access as never),
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(route.body ? { requestBody: { required: true, content: json(route.body, 'input') } } : {}),
    responses,
  };
}

/** Each value of a list is a parameter of that name (OpenAPI 3.1 §4.8.12.3). */
const repeated = { style: 'form', explode: true };

function parameters(where: 'path' | 'query', schema: z.ZodObject | undefined) {
  if (!schema) {
    return [];
  }
  const described = jsonSchema(schema, 'input') as {
    properties?: Record<string, { description?: string; type?: string }>;
    required?: string[];
  };
  return Object.entries(described.properties ?? {}).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || (described.required ?? []).includes(name),
    ...given('description', description),
    ...(property.type === 'array' ? repeated : {}),
    schema: property,
  }));
}

/** A member that is left out when there is no value. */
function given(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

function content(schema: z.ZodType, media: readonly string[] = []) {
  return media.length === 0
    ? json(schema, 'output')
    : Object.fromEntries(media.map((type) => [type, { schema: jsonSchema(schema, 'output') }]));
}

function json(schema: z.ZodType, io: 'input' | 'output') {
  return { 'application/json': { schema: jsonSchema(schema, io) } };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>;
  return rest;
}
