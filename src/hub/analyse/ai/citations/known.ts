// What the facts that were sent say, as what an answer may state: addresses, hosts, numbers, and what follows from two of them.
import { hourMs } from '#kernel/time/time.ts';
import type { Context } from '../../insights/context-shape.ts';
import { toHalfWidth } from './masked-text.ts';
import { scanText } from './scan.ts';

export type Known = ReturnType<typeof collectKnown>;

export function collectKnown(context: Context) {
  const leaves = listLeaves(context);
  const texts = leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const stated = texts.flatMap((text) => scanText(text));
  const numbers = leaves.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  const written = stated.flatMap((token) => (token.kind === 'number' ? [token, ...token.parts] : []));
  const hosts = stated.flatMap((token) => (token.kind === 'host' && token.value !== null ? [token.value] : []));
  return {
    addresses: new Set(stated.flatMap((token) => (token.kind === 'address' ? (token.value ?? []) : []))),
    /** Lower case; hosts, and the domains that they lie in. */
    hosts: new Set(hosts.flatMap(listDomains)),
    /** Names that are found as they are written. */
    names: findNames(leaves),
    numbers: new Set([
      ...numbers,
      ...written.map(({ value }) => value),
      ...computeSums(context),
      ...listLengths(context),
    ]),
    /** Numbers that an answer may round, percent values and ratios apart. */
    fractions: numbers.filter((value) => !Number.isInteger(value)),
    percents: computePercents(context),
    ratios: countNames.flatMap((name) => computeRatios(context.current[name], context.previous[name])),
    /** Lengths of the periods in milliseconds. */
    durations: [context.range.hours * hourMs, context.previousRange.hours * hourMs],
  };
}

interface Leaf {
  name: string;
  value: unknown;
}

function listLeaves(value: unknown, name = ''): Leaf[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, one]) => listLeaves(one, Array.isArray(value) ? name : key))
    : [{ name, value }];
}

/** Words of a language are no names that a text states; what has a capital, a digit or a sign is. */
function findNames(leaves: readonly Leaf[]): string[] {
  const names = leaves.flatMap(({ name, value }) =>
    (name === 'name' || name === 'host') && typeof value === 'string' ? [toHalfWidth(value)] : [],
  );
  const worthwhile = names.filter((name) => name.length >= 3 && /\p{L}/u.test(name) && !/^[a-z ]+$/.test(name));
  return [...new Set(worthwhile)].sort((one, other) => other.length - one.length);
}

/** "a.b.example" lies in "b.example". */
function listDomains(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
}

const countNames = ['connections', 'devices', 'destinations', 'safe', 'warn', 'danger'] as const;

/** Of current and previous, and what warn and danger are together. */
function computeSums({ current, previous }: Context): number[] {
  return [
    ...countNames.flatMap((name) => [Math.abs(current[name] - previous[name]), current[name] + previous[name]]),
    ...[current, previous].map(({ warn, danger }) => warn + danger),
  ];
}

function listLengths(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return [...(Array.isArray(value) ? [value.length] : []), ...Object.values(value).flatMap(listLengths)];
}

/** Changes from previous to current, and parts of all connections of a period. */
function computePercents({
  current,
  previous,
  topServices,
  topDestinations,
  threats,
  deviceInventory,
  limits,
}: Context): number[] {
  const changes = countNames.flatMap((name) =>
    previous[name] === 0 ? [] : [Math.abs((current[name] - previous[name]) / previous[name]) * 100],
  );
  const rows = [topServices, topDestinations, threats, deviceInventory.devices].flat();
  const parts = [
    ...[current, previous].flatMap(({ connections: all, safe, warn, danger }) =>
      [safe, warn, danger].map((part) => [part, all] as const),
    ),
    ...rows.map(({ connections }) => [connections, current.connections] as const),
  ];
  const observed = [limits.observedPercent, limits.previousObservedPercent].flatMap((percent) => percent ?? []);
  const shares = parts.flatMap(([part, all]) => (all === 0 ? [] : [(part / all) * 100]));
  return [...changes, ...shares, ...observed, ...observed.map((percent) => 100 - percent)];
}

function computeRatios(one: number, other: number): number[] {
  return [...(other === 0 ? [] : [one / other]), ...(one === 0 ? [] : [other / one])];
}
