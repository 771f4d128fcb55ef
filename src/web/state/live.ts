// Live updates by server-sent events. The browser reconnects and resumes after the last event.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LiveEventData, LiveEventName } from '#contract/events.ts';
import { apiUrl } from '../api/client.ts';
import { now } from '../clock.ts';

export type LiveState = 'on' | 'connecting' | 'off';

export const live = signal<{ state: LiveState; lastAt: number | null }>({ state: 'off', lastAt: null });

type Listeners = { [N in LiveEventName]?: Set<(data: LiveEventData<N>) => void> };
const listeners: Listeners = {};
/** Called when events may have been missed, so that everything is loaded again. */
const missed = new Set<() => void>();

const names = [
  'routers-status',
  'connections-update',
  'threat-feeds',
  'detection',
  'beacon',
  'new-device',
  'network-update',
  'notes-update',
  'ai-notification',
] as const satisfies LiveEventName[];

/** The returned function unsubscribes. */
export function onEvent<N extends LiveEventName>(name: N, listener: (data: LiveEventData<N>) => void): () => void {
  const set = (listeners[name] ?? new Set()) as Set<(data: LiveEventData<N>) => void>;
  set.add(listener);
  Object.assign(listeners, { [name]: set });
  return () => void set.delete(listener);
}

export function onMissed(listener: () => void): () => void {
  missed.add(listener);
  return () => void missed.delete(listener);
}

/**
 * Calls `listener` for each of these events, and when events may have been missed, while the component is mounted. Keeps
 * the `names` and the `listener` of the first render.
 */
export function useEvents(names: readonly LiveEventName[], listener: () => void): void {
  useEffect(() => {
    const ends = [...names.map((name) => onEvent(name, listener)), onMissed(listener)];
    return () => {
      for (const end of ends) {
        end();
      }
    };
  }, []);
}

/** Opens the stream. The returned function closes it. */
export function openLive(): () => void {
  const source = new EventSource(apiUrl('/api/events'));
  const isHere = () => {
    live.value = { state: 'on', lastAt: now() };
  };
  live.value = { ...live.value, state: 'connecting' };
  source.addEventListener('ready', isHere);
  source.addEventListener('resync', () => {
    isHere();
    for (const listener of missed) {
      listener();
    }
  });
  for (const name of names) {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      isHere();
      for (const listener of listeners[name] ?? []) {
        (listener as (parsed: unknown) => void)(JSON.parse(data));
      }
    });
  }
  source.addEventListener('error', () => {
    live.value = { ...live.value, state: source.readyState === EventSource.CLOSED ? 'off' : 'connecting' };
  });
  return () => {
    source.close();
    live.value = { ...live.value, state: 'off' };
  };
}
