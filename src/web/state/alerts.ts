// Alerts as the page shows them: loaded again whenever one of them changes, here or in another browser.
import type { Reply } from '../api/client.ts';
import { ask, type Input } from '../api/client.ts';
import { useEvents } from './live.ts';
import { type Loaded, useLoaded } from './loaded.ts';

export type AlertPage = Reply<'GET /api/alerts'>;
export type Alert = AlertPage['alerts'][number];
export type Detection = Alert['lead'];

/** Loads again whenever `key` changes or an alert does. */
export function useAlerts<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useLoaded(key, load);
  useEvents(['alerts'], loaded.reload);
  return loaded;
}

export type AlertQuery = NonNullable<Input<'GET /api/alerts'>['query']>;

export const askAlerts = (query: AlertQuery, signal: AbortSignal): Promise<AlertPage> =>
  ask('GET /api/alerts', { query }, signal);
