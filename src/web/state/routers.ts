// The routers with their states, as they change.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { onEvent, onMissed } from './live.ts';
import { type Loaded, useLoaded } from './loaded.ts';

export type Router = Reply<'GET /api/routers'>['routers'][number];

/** `value` is the latest of what was asked for and what the hub has sent since; there may be at most `most`. */
export function useRouters(): Loaded<readonly Router[]> & { most: number } {
  const sent = useRef(0);
  const loaded = useLoaded('routers', async (signal) => {
    const sentBefore = sent.current;
    return { ...(await ask('GET /api/routers', {}, signal)), sentBefore };
  });
  const [latest, setLatest] = useState<readonly Router[] | null>(null);
  // Before the question is sent: what changes while it is answered is heard.
  useLayoutEffect(
    () =>
      onEvent('routers-status', (routers) => {
        sent.current += 1;
        setLatest(routers as Router[]);
      }),
    [],
  );
  useLayoutEffect(() => onMissed(loaded.again), []);
  const { value } = loaded;
  useLayoutEffect(() => {
    // What was sent since the question is newer than its answer.
    setLatest((now) => (value !== null && sent.current > value.sentBefore ? now : null));
  }, [value]);
  return { ...loaded, most: value?.maxRouters ?? Number.POSITIVE_INFINITY, value: latest ?? value?.routers ?? null };
}
