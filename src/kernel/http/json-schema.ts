// The part of JSON Schema 2020-12 that Zod generates, and what is known of members by their names.

/** What a name means, for members whose schema has no description. With an `example`, only for schemas that it fits. */
export interface Member {
  description?: string;
  example?: unknown;
}

export type FindMember = (name: string) => Member | undefined;

/** The part of JSON Schema that Zod makes. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: boolean | JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
}

export function listTypes({ type = [] }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

/** Whether `schema` accepts `value`, a scalar or a list of scalars. */
export function fits(value: unknown, schema: JsonSchema): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    return variants.some((variant) => fits(value, variant));
  }
  if (schema.const !== undefined || schema.enum) {
    return schema.const === value || (schema.enum ?? []).includes(value);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return listTypes(schema).includes('array') && typeof items === 'object' && value.every((item) => fits(item, items));
  }
  const type = Number.isInteger(value) ? ['integer', 'number'] : [value === null ? 'null' : typeof value];
  const isLong = typeof value === 'string' && value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY);
  return (
    listTypes(schema).some((one) => type.includes(one)) &&
    !isLong &&
    new RegExp(schema.pattern ?? '', 'u').test(String(value))
  );
}
