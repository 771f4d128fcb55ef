// Generates an example value for a JSON Schema; always the same value for the same schema.
import { type FindMember, fits, type JsonSchema, listTypes } from '#kernel/http/json-schema.ts';

/**
 * `name` is the member that has the schema. With `request`, optional members are left out, unless all are optional.
 * A schema does not say that one member excludes another: whoever publishes the example must test it.
 */
export function makeExample(schema: JsonSchema, findMember: FindMember, request = false, name = ''): unknown {
  const known = findMember(name)?.example;
  if (known !== undefined && fits(known, schema)) {
    return known;
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    return makeExample(variants.find(({ type }) => type !== 'null') ?? {}, findMember, request, name);
  }
  for (const value of [schema.const, schema.default, schema.enum?.[0]]) {
    if (value !== undefined) {
      return value;
    }
  }
  return byType(schema, findMember, request, name);
}

function byType(schema: JsonSchema, findMember: FindMember, request: boolean, name: string): unknown {
  switch (listTypes(schema).find((type) => type !== 'null') ?? listTypes(schema)[0]) {
    case 'object':
      return objectOf(schema, findMember, request);
    case 'array':
      if (schema.prefixItems) {
        return schema.prefixItems.map((item) => makeExample(item, findMember, request));
      }
      return typeof schema.items === 'object' ? [makeExample(schema.items, findMember, request, name)] : [];
    case 'string':
      return schema.format === 'uuid'
        ? '4a4e7c9e-2f6b-4d0c-9d59-3f1c6a1b8e21'
        : 'text'.padEnd(schema.minLength ?? 0, '.');
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return {};
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema, findMember: FindMember, request: boolean) {
  const names = Object.keys(properties).filter((name) => !request || required.length === 0 || required.includes(name));
  return Object.fromEntries(
    names.map((name) => [name, makeExample(properties[name] ?? {}, findMember, request, name)]),
  );
}
