// The routers with their states, as they change.
import { useEffect, useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { onEvent, onMissed } from './live.ts';
import { type Loaded, useLoaded } from './loaded.ts';

export type Router = Reply<'GET /api/routers'>['routers'][number];

/** `value` is the latest of what was asked for and what the hub has sent since; there may be at most `most`. */
export function useRouters(): Loaded<readonly Router[]> & { most: number } {
  const loaded = useLoaded('routers', (signal) => ask('GET /api/routers', {}, signal));
  const [latest, setLatest] = useState<readonly Router[] | null>(null);
  useEffect(() => onEvent('routers-status', (routers) => setLatest(routers as Router[])), []);
  useEffect(() => onMissed(loaded.again), []);
  useEffect(() => setLatest(null), [loaded.value]);
  const most = loaded.value?.maxRouters ?? Number.POSITIVE_INFINITY;
  return { ...loaded, most, value: latest ?? loaded.value?.routers ?? null };
}
