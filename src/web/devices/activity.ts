// When each device was active in the period. A summary counts devices in one window, so each part of the period is asked.
import { ask, type Reply } from '../api/client.ts';
import { type Loaded, useLoaded } from '../state/loaded.ts';
import { observedShares } from '../state/observed.ts';
import { range } from '../state/range.ts';

const parts = 12;

export interface Activity {
  from: number;
  to: number;
  /** Share of each part that was observed. */
  observed: readonly number[];
  /** Connections of an address in each part. */
  of: (address: string) => number[];
}

/** Loads again when a part has passed, not with each minute. */
export function useActivity(): Loaded<Activity> {
  const { name, from, to } = range.value;
  const partMs = (to - from) / parts;
  return useLoaded(name === null ? `${from} ${to}` : `${name} ${Math.floor(to / partMs)}`, async (stop) => {
    const coverage = await ask(
      'GET /api/coverage',
      { query: { from: String(from), to: String(to), buckets: String(parts) } },
      stop,
    );
    const counted: Reply<'GET /api/connections/summary'>['byDevice'][] = [];
    // One after the other, so that the hub can answer others in between.
    for (let part = 0; part < parts; part += 1) {
      const start = Math.round(from + part * partMs);
      const end = Math.round(from + (part + 1) * partMs) - 1;
      const query = { from: String(start), to: String(Math.max(start, end)), buckets: '1' };
      const { byDevice } = await ask('GET /api/connections/summary', { query }, stop);
      counted.push(byDevice);
    }
    const counts = counted.map((devices) => new Map(devices.map(({ src, count }) => [src, count])));
    return {
      from,
      to,
      observed: observedShares(coverage, parts),
      of: (address) => counts.map((part) => part.get(address) ?? 0),
    };
  });
}
