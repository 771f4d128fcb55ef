// The filters of the log as they stand in the address: the same names and words as in the API.
import { computed } from '@preact/signals';
import type { MatchMode } from '#contract/query-words.ts';
import { hrefWith, query } from '../state/url.ts';

export const columns = ['fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg', 'fTarget'] as const;
export type FilterColumn = (typeof columns)[number];
export const modes = [
  'contains',
  'startsWith',
  'endsWith',
  'exact',
  'isNot',
  'notContains',
] as const satisfies readonly MatchMode[];
export const levels = ['safe', 'warn', 'danger'] as const;

/** Without a mode: an exact one. */
const plain = ['fThreat', 'fSrcMac', 'fDevice', 'fUnknown'] as const;
/** `sourceId` goes with `sourceKind`, and has one value. */
export type FilterName = FilterColumn | (typeof plain)[number] | 'sourceId';

export const hasMode = (name: FilterName): name is FilterColumn => columns.some((one) => one === name);

export interface Filter {
  name: FilterName;
  /** Null: exact. */
  mode: MatchMode | null;
  /** Any of them matches; with a negative mode, none. */
  values: readonly string[];
}

export const filters = computed((): Filter[] => {
  const valuesOf = (name: string) => query.value.getAll(name).filter((value) => value !== '');
  const moded = columns.map((name) => {
    const asked = query.value.get(`${name}Mode`);
    return { name, mode: modes.find((mode) => mode === asked) ?? 'contains', values: valuesOf(name) };
  });
  const exact = plain.map((name) => ({ name, mode: null, values: valuesOf(name) }));
  const scope = query.value.get('sourceKind') === null ? [] : valuesOf('sourceId').slice(0, 1);
  return [...moded, ...exact, { name: 'sourceId' as const, mode: null, values: scope }].filter(
    ({ values }) => values.length > 0,
  );
});

/** `all` with one more: a value of the same column and mode is another choice, of another mode it replaces what was there. */
export function addFilter(all: readonly Filter[], added: Filter): Filter[] {
  const same = all.find(({ name, mode }) => name === added.name && mode === added.mode);
  const before = added.name === 'sourceId' ? [] : (same?.values ?? []);
  const values = [...new Set([...before, ...added.values])];
  return [...all.filter(({ name }) => name !== added.name), { ...added, values }];
}

/** Characters that the API takes as a value. */
export function maxLength(name: FilterName): number {
  return ['fSrc', 'fDst', 'fOrg'].includes(name) ? 512 : 64;
}

/** As parameters of an address, and of the API. */
export function toParameters(all: readonly Filter[]): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    all.flatMap(({ name, mode, values }) => [
      [name, values],
      ...(mode === null ? [] : [[`${name}Mode`, mode]]),
      ...(name === 'sourceId' ? [['sourceKind', query.value.get('sourceKind') ?? 'router']] : []),
    ]),
  );
}

/** Every parameter of a filter, empty: what an address without filters has. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(
  [...columns.flatMap((name) => [name, `${name}Mode`]), ...plain, 'sourceId', 'sourceKind'].map((name) => [name, null]),
);

/** The address of the same view with these filters alone, and no row open. */
export function hrefWithFilters(all: readonly Filter[]): string {
  return hrefWith({ ...noFilters, ...toParameters(all), open: null });
}
