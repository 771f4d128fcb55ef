// The filters of the log as they stand in the address: the same names and words as in the API.
import { computed } from '@preact/signals';
import type { MatchMode } from '#contract/connections.ts';
import { query } from '../state/url.ts';

export const columns = ['fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg'] as const;
export type FilterColumn = (typeof columns)[number];
export const modes = ['contains', 'startsWith', 'endsWith', 'exact'] as const satisfies readonly MatchMode[];
export const levels = ['safe', 'warn', 'danger'] as const;

/** Without a mode: an exact one. */
const plain = ['fThreat', 'fSrcMac'] as const;
export type FilterName = FilterColumn | (typeof plain)[number];

export interface Filter {
  name: FilterName;
  /** Null: exact. */
  mode: MatchMode | null;
  value: string;
}

export const filters = computed((): Filter[] => {
  const moded = columns.map((name) => {
    const asked = query.value.get(`${name}Mode`);
    return { name, mode: modes.find((mode) => mode === asked) ?? 'contains', value: query.value.get(name) ?? '' };
  });
  const exact = plain.map((name) => ({ name, mode: null, value: query.value.get(name) ?? '' }));
  return [...moded, ...exact].filter(({ value }) => value !== '');
});

/** As parameters of an address, and of the API. */
export function parametersOf(all: readonly Filter[]): Record<string, string> {
  return Object.fromEntries(
    all.flatMap(({ name, mode, value }) => [[name, value], ...(mode === null ? [] : [[`${name}Mode`, mode]])]),
  );
}

/** Every parameter of a filter, empty: what an address without filters has. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(
  [...columns.flatMap((name) => [name, `${name}Mode`]), ...plain].map((name) => [name, null]),
);
