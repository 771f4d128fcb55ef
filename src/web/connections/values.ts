// The values of a column in this period, among the rows that the other filters leave, with their counts.
import type { ValueColumn } from '#contract/connections.ts';
import type { Reply } from '../api/client.ts';
import { type Loaded, useAsked } from '../state/loaded.ts';
import { rangeQuery } from '../state/range.ts';
import { country, number } from '../text/format.ts';
import { isNamed } from './countries.ts';
import { type FilterName, filters, toParameters } from './filters.ts';

export type Value = Reply<'GET /api/connections/values'>['values'][number];

export const listed = {
  fSrc: 'src',
  fDport: 'dport',
  fProto: 'proto',
  fCountry: 'country',
  fOrg: 'org',
  fProcess: 'process',
  sourceId: 'router',
} as const satisfies Partial<Record<FilterName, ValueColumn>>;
export type ListedName = keyof typeof listed;

export const isListed = (name: FilterName): name is ListedName => Object.hasOwn(listed, name);

export function useValues(name: ListedName): Loaded<Reply<'GET /api/connections/values'>> {
  const others = filters.value.filter((filter) => filter.name !== name);
  return useAsked('GET /api/connections/values', {
    query: { ...toParameters(others), ...rangeQuery.value, column: listed[name] },
  });
}

export function valueName(name: ListedName, { value, label }: Value): string {
  return name === 'fCountry' ? country(value) : (label ?? value);
}

/** `Germany (66)`. */
export const countedName = (name: ListedName, one: Value): string => `${valueName(name, one)} (${number(one.count)})`;

/** The values that contain what was typed, in their code or their name. */
export function narrowValues(name: ListedName, values: readonly Value[], typed: string): Value[] {
  const wanted = typed.trim().toLowerCase();
  return values.filter(
    ({ value, label }) =>
      wanted === '' ||
      (name === 'fCountry' ? isNamed(value, wanted) : `${value}\n${label ?? ''}`.toLowerCase().includes(wanted)),
  );
}
