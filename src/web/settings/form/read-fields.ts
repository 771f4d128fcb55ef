// Reads the body that a form sends from its fields.
import type { GroupSchema, LeafSchema } from './field-schema.ts';

/** How many of the hub's units are one of the field's, by the path of the member: 60,000 where milliseconds are minutes. */
export type Units = Readonly<Record<string, number>>;

/** Reads the fields of `group`, whose names begin with `path`. An empty secret is left out: the stored one stays. */
export function readFields(group: GroupSchema, values: FormData, units: Units = {}, path = ''): object {
  const members = Object.entries(group.fields).map(([name, field]) => [
    name,
    field.is === 'group'
      ? readFields(field, values, units, `${path}${name}.`)
      : readField(field, values, path + name, units[path + name] ?? 1),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function readField(field: LeafSchema, values: FormData, name: string, unit: number): unknown {
  const typed = String(values.get(name) ?? '').trim();
  switch (field.is) {
    case 'switch':
      return values.has(name);
    case 'clear':
      return values.has(name) || undefined;
    case 'secret':
      return String(values.get(name) ?? '') || undefined;
    case 'lines':
      return readLines(typed);
    case 'number':
      return field.isWhole ? Math.round(Number(typed) * unit) : Number(typed) * unit;
    case 'choice':
      return field.values.find((value) => String(value) === typed);
    case 'text':
      return typed;
  }
}

/** The group with these members alone, in this order. */
export function pickFields({ fields }: GroupSchema, names: readonly string[]): GroupSchema {
  return {
    is: 'group',
    fields: Object.fromEntries(names.flatMap((name) => (fields[name] ? [[name, fields[name]]] : []))),
  };
}

/** The labels of the fields; those of a group behind its title. */
export function listLabels({ fields }: GroupSchema, words: object): string[] {
  const texts = words as Readonly<Record<string, unknown>>;
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.is !== 'group') {
      return field.is === 'clear' ? [] : [String(texts[name])];
    }
    const { title } = texts[name] as { title: string };
    const inner = listLabels(field, texts[name] as object);
    return title === '' ? inner : [title, ...inner.map((label) => `${title}: ${label}`)];
  });
}

/** The member that says whether a secret is stored: `tokenSet` of `token`, and of `clearToken`. */
export function toSetName(name: string): string {
  return `${name.replace(/^clear(.)/, (_, first: string) => first.toLowerCase())}Set`;
}

/** Splits what was typed into its lines, trimmed and without the empty ones. */
function readLines(typed: string): string[] {
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
