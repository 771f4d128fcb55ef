// The filters of the log, stored in the URL under the same names as in the API.
import { computed } from '@preact/signals';
import type { MatchMode } from '#contract/query-words.ts';
import { hrefWith, query } from '../state/url.ts';
import { country } from '../text/format.ts';
import { findCountry } from './countries.ts';

export const columns = ['fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg', 'fTarget', 'fProcess'] as const;
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

/** Filters without a mode: they match exactly. */
const plain = ['fThreat', 'fSrcMac', 'fDevice', 'fUnknown'] as const;
/** `sourceId` goes with `sourceKind`, and has one value. */
export type FilterName = FilterColumn | (typeof plain)[number] | 'sourceId';

export const hasMode = (name: FilterName): name is FilterColumn => columns.some((one) => one === name);

/** A country is stored as its code, of which no part is searched. */
export const modesOf = (name: FilterColumn): readonly MatchMode[] => (name === 'fCountry' ? ['exact', 'isNot'] : modes);

export const isNegative = (mode: MatchMode): boolean => mode === 'isNot' || mode === 'notContains';

/** What the API takes for what was typed: of a country its code. */
export function toValue(name: FilterName, typed: string): string {
  return name === 'fCountry' ? (findCountry(typed) ?? typed) : typed;
}

/** A value as it is shown: of a country its name, unless only a part of its code is searched. */
export function shownValue({ name, mode }: Pick<Filter, 'name' | 'mode'>, value: string): string {
  return name === 'fCountry' && (mode === 'exact' || mode === 'isNot') ? country(value) : value;
}

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

/** Adds a filter. Values of the same column and mode are combined; another mode replaces the filter of the column. */
export function addFilter(all: readonly Filter[], added: Filter): Filter[] {
  const same = all.find(({ name, mode }) => name === added.name && mode === added.mode);
  const before = added.name === 'sourceId' ? [] : (same?.values ?? []);
  const values = [...new Set([...before, ...added.values])];
  return [...all.filter(({ name }) => name !== added.name), { ...added, values }];
}

/** Most characters of a value that the API takes. */
export function maxLength(name: FilterName): number {
  return ['fSrc', 'fDst', 'fOrg', 'fProcess'].includes(name) ? 512 : 64;
}

/** The filters as query parameters, for a URL of the page or of the API. */
export function toParameters(all: readonly Filter[]): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    all.flatMap(({ name, mode, values }) => [
      [name, values],
      ...(mode === null ? [] : [[`${name}Mode`, mode]]),
      ...(name === 'sourceId' ? [['sourceKind', query.value.get('sourceKind') ?? 'router']] : []),
    ]),
  );
}

/** Removes every filter when it is merged into the parameters of a URL. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(
  [...columns.flatMap((name) => [name, `${name}Mode`]), ...plain, 'sourceId', 'sourceKind'].map((name) => [name, null]),
);

/** The URL of this view with only these filters, and no row open. */
export function hrefWithFilters(all: readonly Filter[]): string {
  return hrefWith({ ...noFilters, ...toParameters(all), open: null });
}
