// The selection (device, target, country) and the picture, stored in the URL. It filters all pictures and tables.
import { computed } from '@preact/signals';
import { rangeParameters } from '../state/range.ts';
import { isNarrow } from '../state/screen.ts';
import { hrefTo, hrefWith, query } from '../state/url.ts';

const allViews = ['lanes', 'graph', 'world'] as const;
export type View = (typeof allViews)[number];

/** A narrow screen has no graph: its names would not be readable. */
export const views = computed((): readonly View[] => allViews.filter((one) => one !== 'graph' || !isNarrow.value));

export const view = computed((): View => views.value.find((one) => one === query.value.get('view')) ?? 'lanes');

/** `device` is a source address, `target` a key of `byTarget`, `country` a two-letter code. */
export const kinds = ['device', 'target', 'country'] as const;
export type Kind = (typeof kinds)[number];

/** The longest key that the API takes. */
const longest = 512;

export const selection = computed(
  (): Partial<Record<Kind, string>> =>
    Object.fromEntries(
      kinds.flatMap((kind) => {
        const value = query.value.get(kind);
        return value === null || value === '' || value.length > longest ? [] : [[kind, value]];
      }),
    ),
);

/** The URL of this picture with one more selection; null when the API does not take the value. */
export const hrefSelecting = (kind: Kind, value: string): string | null =>
  value.length > longest ? null : hrefWith({ [kind]: value });

export const hrefDeselecting = (kind: Kind): string => hrefWith({ [kind]: null });

export const hrefSelectingNothing = (): string => hrefWith({ device: null, target: null, country: null });

export interface LogFilter {
  device?: string;
  target?: string;
  country?: string;
  /** An address, or a host. */
  destination?: string;
  /** None of these. */
  notDevices?: readonly string[];
  notTargets?: readonly string[];
  unknown?: 'country' | 'place';
}

/** The URL of the log with the connections that a number counts; null when no filter can express it. */
export function logHref(door: LogFilter = {}): string | null {
  const { device, target, country, destination, notDevices, notTargets, unknown } = { ...selection.value, ...door };
  const texts = [target, destination, ...(notTargets ?? [])];
  const address = hrefTo('connections', {
    ...rangeParameters.value,
    ...filterParameters('fSrc', device === undefined ? notDevices : [device], device === undefined),
    ...filterParameters('fTarget', target === undefined ? notTargets : [target], target === undefined),
    ...filterParameters('fDst', destination === undefined ? undefined : [destination]),
    ...filterParameters('fCountry', country === undefined ? undefined : [country]),
    fUnknown: unknown,
  });
  return texts.some((text) => text !== undefined && text.length > longest) || address.length > longestAddress
    ? null
    : address;
}

/** A URL length that servers and proxies accept. */
const longestAddress = 6000;

function filterParameters(name: string, values: readonly string[] | undefined, isNegative = false) {
  return values === undefined ? {} : { [name]: values, [`${name}Mode`]: isNegative ? 'isNot' : 'exact' };
}
