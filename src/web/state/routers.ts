// The routers with their live states.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { number } from '../text/format.ts';
import { hubWords } from '../text/hub/words.ts';
import { text } from '../text/text.ts';
import { onEvent, onMissed } from './live.ts';
import { type Loaded, useLoaded } from './loaded.ts';

export type Router = Reply<'GET /api/routers'>['routers'][number];

export const routerName = ({ displayName, hostName, id }: Router) => displayName || hostName || id;

/** `value` is the newer of the last reply and the last event. `most`: how many routers the hub allows. */
export function useRouters(): Loaded<readonly Router[]> & { most: number } {
  const sent = useRef(0);
  const loaded = useLoaded('routers', async (signal) => {
    const sentBefore = sent.current;
    return { ...(await ask('GET /api/routers', {}, signal)), sentBefore };
  });
  const [latest, setLatest] = useState<readonly Router[] | null>(null);
  // Subscribes before the request, so that no change is missed.
  useLayoutEffect(
    () =>
      onEvent('routers-status', (routers) => {
        sent.current += 1;
        setLatest(routers as Router[]);
      }),
    [],
  );
  useLayoutEffect(() => onMissed(loaded.reload), []);
  const { value } = loaded;
  useLayoutEffect(() => {
    // An event that came during the request is newer than the reply.
    setLatest((now) => (value !== null && sent.current > value.sentBefore ? now : null));
  }, [value]);
  return { ...loaded, most: value?.maxRouters ?? Number.POSITIVE_INFINITY, value: latest ?? value?.routers ?? null };
}

/** Why a router has no current rows, or not all of them, in the language of the page. */
export function describeRouter({ state, failure, ready, sessionCount, nextPollAt, message }: Router): string {
  const t = text.value;
  const { failures, waits, incomplete } = hubWords.value.routers;
  if (failure !== null) {
    const sentence = failures[failure];
    return sentence === undefined ? message : `${sentence}${nextPollAt === null ? (waits ?? '') : ''}`;
  }
  const known: Readonly<Record<string, string>> = { connecting: t.neverPolled, disabled: t.routerOff };
  return known[state] ?? (ready ? incomplete?.(number(sessionCount)) : undefined) ?? message;
}
