// The columns of the log: what each shows, how wide it is, by what it is sorted and filtered.
import { computed, signal } from '@preact/signals';
import type { SortColumn } from '#contract/connections.ts';
import { hasFilterRow, logColumns, logWidths } from '../state/preferences.ts';
import { range } from '../state/range.ts';
import { isNarrow } from '../state/screen.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { text } from '../text/text.ts';
import { formatWidths, parseWidths, type Widths } from './column-widths.ts';
import type { FilterName } from './filters.ts';
import type { Row } from './pages.ts';

export interface Column {
  name: ColumnName;
  /** Minimum width in pixels. */
  least: number;
  /** Minimum width in pixels on a screen under 720 px; `least` applies when it is absent. */
  leastNarrow?: number;
  /** Minimum width in pixels while the column shows dates, which are longer than ages; `least` applies when it is absent. */
  leastDated?: number;
  /** Share of the remaining width, as `fr` in CSS; 0: the width is fixed. */
  share: number;
  sort?: SortColumn;
  filter?: FilterName;
  /** The value by which the filter of this column finds the row; null: unknown. */
  valueIn?: (row: Row) => string | null;
}

const names = [
  ...(['lastSeen', 'firstSeen', 'src', 'srcMac', 'srcDeviceId', 'dst', 'host', 'dport', 'proto'] as const),
  ...(['org', 'country', 'level', 'process', 'observers'] as const),
];
export type ColumnName = (typeof names)[number];

const dayMs = 86_400_000;
/** Holds a date with its year and time: `Nov 27, 2025, 07:24 PM`. */
const dateWidth = 188;

export const columns: readonly Column[] = [
  { name: 'lastSeen', least: 110, leastDated: dateWidth, leastNarrow: 84, share: 0, sort: 'lastSeen' },
  { name: 'firstSeen', least: dateWidth, leastNarrow: 84, share: 0 },
  { name: 'src', least: 80, share: 1.2, sort: 'src', filter: 'fSrc', valueIn: ({ src }) => src },
  { name: 'srcMac', least: 140, share: 0, filter: 'fSrcMac', valueIn: ({ srcMac }) => srcMac },
  { name: 'srcDeviceId', least: 140, share: 1, filter: 'fDevice', valueIn: ({ srcDeviceId }) => srcDeviceId },
  { name: 'dst', least: 110, share: 1.2, sort: 'dst', filter: 'fDst', valueIn: ({ dst }) => dst },
  { name: 'host', least: 80, share: 1.5, valueIn: ({ dstHost }) => dstHost },
  { name: 'dport', least: 60, share: 0, sort: 'dport', filter: 'fDport', valueIn: ({ dport }) => String(dport) },
  { name: 'proto', least: 72, share: 0, sort: 'proto', filter: 'fProto', valueIn: ({ proto }) => proto },
  { name: 'org', least: 110, share: 1.3, sort: 'org', filter: 'fOrg', valueIn: ({ org }) => org },
  { name: 'country', least: 90, share: 1, sort: 'country', filter: 'fCountry', valueIn: ({ country }) => country },
  {
    name: 'level',
    least: 100,
    leastNarrow: 88,
    share: 0,
    filter: 'fThreat',
    valueIn: ({ threatLevel }) => threatLevel,
  },
  { name: 'process', least: 110, share: 1, filter: 'fProcess', valueIn: ({ process }) => process },
  { name: 'observers', least: 110, share: 1, filter: 'sourceId', valueIn: ({ observedBy }) => observedBy[0] ?? null },
];

/** This column opens the details and cannot be hidden. */
export const opener: ColumnName = 'src';

const usual: readonly ColumnName[] = ['lastSeen', 'src', 'dst', 'host', 'dport', 'proto', 'org', 'country', 'level'];
const usualNarrow: readonly ColumnName[] = ['lastSeen', 'src', 'host', 'level'];

/** The columns that the URL names, as that of a saved view does; none: the choice of this browser counts. */
const columnsOfUrl = computed(() => {
  const asked = query.value.get('columns')?.split(',') ?? [];
  return columns.filter(({ name }) => asked.includes(name)).map(({ name }) => name);
});

/** In the order of `columns`. */
export const shownColumns = computed((): Column[] => {
  const chosen: readonly string[] =
    [columnsOfUrl.value, logColumns.value].find(({ length }) => length > 0) ?? (isNarrow.value ? usualNarrow : usual);
  return columns.filter(({ name }) => name === opener || chosen.includes(name));
});

/** Shows these columns. Where the URL names columns, it changes; else this browser remembers them. */
export function chooseColumns(names: readonly ColumnName[]): void {
  if (columnsOfUrl.value.length > 0) {
    navigate(hrefWith({ columns: names.join() }), 'replace');
  } else {
    logColumns.value = names;
  }
}

/** Shows the usual columns in their usual widths. */
export function restoreColumns(): void {
  logColumns.value = [];
  logWidths.value = '';
  navigate(hrefWith({ columns: null }), 'replace');
}

/** The column whose edge is being dragged, and how wide it is meanwhile. */
export const draggedWidth = signal<{ name: ColumnName; width: number } | null>(null);

/** In pixels, by the name of the column. A narrow screen has no room for them. */
const chosenWidths = computed((): Widths => {
  const { name, width } = draggedWidth.value ?? {};
  const widths = parseWidths(isNarrow.value ? '' : logWidths.value, names);
  return name === undefined || width === undefined ? widths : { ...widths, [name]: width };
});

/** Sets the width of a column; null restores it. */
export function chooseWidth(name: ColumnName, width: number | null): void {
  const { [name]: _, ...others } = chosenWidths.peek();
  logWidths.value = formatWidths(width === null ? others : { ...others, [name]: width });
}

/** Column widths for CSS grid, and the width of the whole row. */
export const layout = computed(() => {
  const gap = isNarrow.value ? 6 : 12;
  const { name, from, to } = range.value;
  const hasDates = name === null || to - from > dayMs;
  const leasts = shownColumns.value.map(({ name, least, leastNarrow = least, leastDated = least, filter }) => {
    const chosen = chosenWidths.value[name];
    if (chosen !== undefined) {
      return chosen;
    }
    const needed = isNarrow.value ? leastNarrow : hasDates ? leastDated : least;
    // A filter needs room to be typed in.
    return hasFilterRow.value && filter ? Math.max(needed, 120) : needed;
  });
  const template = shownColumns.value.map(({ name, share }, index) =>
    share === 0 || chosenWidths.value[name] !== undefined
      ? `${leasts[index]}px`
      : `minmax(${leasts[index]}px, ${share}fr)`,
  );
  const width = leasts.reduce((sum, one) => sum + one + gap, gap);
  return { template: template.join(' '), width: `${width}px`, gap: `${gap}px` };
});

/** Whether the column shows sightings inside a fixed period. The order of the rows is that of their last sighting of all. */
export const isSeenInPeriod = (name: ColumnName): boolean => name === 'lastSeen' && range.value.name === null;

export function columnTitle(name: ColumnName): string {
  const { columns: titles, filters, detail } = text.value;
  switch (name) {
    case 'lastSeen':
      return isSeenInPeriod(name) ? titles.seen : titles.lastSeen;
    case 'srcMac':
      return filters.names.fSrcMac;
    case 'srcDeviceId':
      return filters.names.fDevice;
    case 'observers':
      return filters.names.sourceId;
    case 'process':
      return detail.process;
    default:
      return titles[name];
  }
}
