// Schemas of a route as JSON Schema. Members without a description get the one that belongs to their name.
import { z } from 'zod';
import { type FindMember, fits, type JsonSchema } from './json-schema.ts';

/** `input`: what may be sent; `output`: what is answered, in which members with a default are always there. */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  findMember: FindMember = () => undefined,
): JsonSchema {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema & { $schema?: string };
  const { $schema: _, ...rest } = made;
  return described(rest, findMember);
}

function described(schema: JsonSchema, findMember: FindMember): JsonSchema {
  const below = (one: JsonSchema) => described(one, findMember);
  const { properties, items, prefixItems, anyOf, oneOf, additionalProperties, ...rest } = withNames(schema);
  return {
    ...withoutWholeRange(rest),
    ...(properties ? { properties: membersOf(properties, findMember) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: onSchema(additionalProperties, below) }),
    ...(items === undefined ? {} : { items: onSchema(items, below) }),
    ...(prefixItems ? { prefixItems: prefixItems.map(below) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(below) } : {}),
    ...(oneOf ? { oneOf: oneOf.map(below) } : {}),
  };
}

/** A record whose keys are all known is an object with these members. */
function withNames(schema: JsonSchema): JsonSchema {
  const { propertyNames, ...rest } = schema;
  const value = rest.additionalProperties;
  if (!propertyNames?.enum || !rest.required || typeof value !== 'object') {
    return schema;
  }
  const properties = Object.fromEntries(propertyNames.enum.map((name) => [String(name), value]));
  return { ...rest, properties, additionalProperties: false };
}

/** Removes the bounds of safe integers, which Zod adds to every whole number and which tell a reader nothing. */
function withoutWholeRange({ minimum, maximum, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

function membersOf(properties: Record<string, JsonSchema>, findMember: FindMember): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const member = described(property, findMember);
      const { description: known, example } = findMember(name) ?? {};
      const isMeant = example === undefined || fits(example, member);
      const description = member.description ?? (isMeant ? known : undefined);
      return [name, description === undefined ? member : { ...member, description }];
    }),
  );
}

function onSchema<R>(schema: boolean | JsonSchema, use: (schema: JsonSchema) => R): boolean | R {
  return typeof schema === 'boolean' ? schema : use(schema);
}
