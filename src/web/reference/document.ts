// The OpenAPI document of the hub, as far as the reference shows it.
import type { JsonSchema } from '#kernel/http/json-schema.ts';

export interface Content {
  schema?: JsonSchema;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Answer {
  description: string;
  content?: Readonly<Record<string, Content>>;
  /** The error codes that it may carry. */
  'x-codes'?: readonly string[];
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  security: readonly Readonly<Record<string, unknown>>[];
  'x-access': string;
  parameters: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, Answer>>;
}

export interface Scheme {
  type: 'apiKey' | 'http';
  in?: string;
  name?: string;
  description: string;
}

export interface ApiDocument {
  info: { version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, JsonSchema>>; securitySchemes: Readonly<Record<string, Scheme>> };
}

/** An operation with its method in upper case and its path. */
export interface PlacedOperation extends Operation {
  method: string;
  path: string;
}

export function listOperations({ paths, components: { schemas } }: ApiDocument): PlacedOperation[] {
  return Object.entries(resolve(paths, schemas) as ApiDocument['paths']).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Whether every word of `text` occurs in the method, path, names, access rule, parameters or error codes. */
export function matches(operation: PlacedOperation, text: string): boolean {
  const { method, path, summary, operationId, parameters, responses, 'x-access': access } = operation;
  const names = parameters.map(({ name }) => name);
  const codes = Object.values(responses).flatMap((answer) => answer['x-codes'] ?? []);
  const whole = [method, path, summary, operationId, access, ...names, ...codes].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

/** How a scheme is sent: the name of the header or of the cookie. */
export function credentialName({ type, in: where, name = '' }: Scheme): string {
  return type === 'http' ? 'Authorization: Bearer' : where === 'cookie' ? `Cookie: ${name}` : name;
}

/** Puts the schema in the place of each reference (`$ref`). The document has no schema that holds itself. */
function resolve(value: unknown, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((one) => resolve(one, schemas));
  }
  const { $ref, ...own } = value as { $ref?: string };
  const schema = typeof $ref === 'string' ? schemas[$ref.replace(/.*\//, '')] : undefined;
  const members = Object.entries({ ...schema, ...own });
  return Object.fromEntries(members.map(([name, one]) => [name, resolve(one, schemas)]));
}
