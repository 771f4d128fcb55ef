// A schema as rows of a table: each member with the way to it, its type, and what it may be.
import type { JsonSchema } from '#kernel/http/json-schema.ts';

export interface Member {
  /** The path to it, with `[]` after lists and `*` for any name. */
  above: string;
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

export function listMembers(schema: JsonSchema, above = ''): Member[] {
  const { properties = {}, required = [], additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  const known = new Map<string, Member>();
  const own = Object.entries(properties).flatMap(([name, member]) => [
    { above, name, schema: member, isRequired: required.includes(name) },
    ...listMembers(member, `${above}${name}${isList(member) ? '[]' : ''}.`),
  ]);
  const any = typeof additionalProperties === 'object' ? listMembers(additionalProperties, `${above}*.`) : [];
  const ofItems = typeof items === 'object' ? listMembers(items, above) : [];
  // A union has the members of all its variants. The first variant with a member describes it.
  for (const member of [
    ...own,
    ...any,
    ...ofItems,
    ...[...anyOf, ...oneOf].flatMap((one) => listMembers(one, above)),
  ]) {
    const way = member.above + member.name;
    known.set(way, known.get(way) ?? member);
  }
  return [...known.values()];
}

function isList({ type, anyOf = [] }: JsonSchema): boolean {
  return type?.includes('array') || anyOf.some(isList);
}

/** In the notation of TypeScript. */
export function formatType(schema: JsonSchema): string {
  const { type = 'any', items, prefixItems, anyOf, oneOf } = schema;
  const variants = anyOf ?? oneOf;
  if (variants) {
    return [...new Set(variants.map(formatType))].join(' | ');
  }
  if (schema.const !== undefined || schema.enum) {
    return (schema.enum ?? [schema.const]).map((value) => JSON.stringify(value)).join(' | ');
  }
  if (prefixItems) {
    return `[${prefixItems.map(formatType).join(', ')}]`;
  }
  const list = () => {
    const item = typeof items === 'object' ? formatType(items) : 'any';
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  };
  return [type]
    .flat()
    .map((one) => (one === 'array' ? list() : one))
    .join(' | ');
}

/** An empty text: no bound. */
export function formatBounds(schema: JsonSchema) {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern = '' } = schema;
  return {
    value:
      exclusiveMinimum === undefined
        ? formatSpan(minimum, maximum)
        : `> ${exclusiveMinimum}, ${formatSpan(undefined, maximum)}`,
    characters: formatSpan(minLength, maxLength),
    entries: formatSpan(minItems, maxItems),
    pattern,
  };
}

function formatSpan(from: number | undefined, to: number | undefined): string {
  if (from === undefined) {
    return to === undefined ? '' : `≤ ${to}`;
  }
  return to === undefined ? `≥ ${from}` : `${from}…${to}`;
}
