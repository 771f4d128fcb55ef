// Live updates by server-sent events. The browser reconnects and resumes after the last event.
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LiveEventData, LiveEventName } from '#contract/events.ts';
import { apiUrl, ask } from '../api/client.ts';
import { every, now } from '../clock.ts';
import { connectionId } from './connection-id.ts';

type LiveState = 'on' | 'connecting' | 'off';

interface Waiting {
  name: LiveEventName;
  data: unknown;
}

/** Most events that wait: with more, everything is loaded again instead. */
const mostWaiting = 500;

export const live = signal<LiveState>('off');

type Listeners = { [N in LiveEventName]?: Set<(data: LiveEventData<N>) => void> };
const listeners: Listeners = {};
/** Called when events may have been missed, so that everything is loaded again. */
const missed = new Set<() => void>();

const names = [
  'routers-status',
  'connections-update',
  'threat-feeds',
  'detection',
  'alerts',
  'beacon',
  'new-device',
  'network-update',
  'notes-update',
  'ai-notification',
] as const satisfies LiveEventName[];

/** The events that came while updates are paused; null: they are not. */
const waiting = signal<readonly Waiting[] | null>(null);

/** The instant at which the pause began, in epoch milliseconds. */
let pausedAt = 0;

export const isPaused = computed(() => waiting.value !== null);

/** The connections that were first seen during the pause. The events may not have had every one (`isLeast`). */
export const waitingNew = computed(() => {
  const updates = (waiting.value ?? []).flatMap(({ name, data }) =>
    name === 'connections-update' ? [data as LiveEventData<'connections-update'>] : [],
  );
  const added = updates.flatMap(({ connections }) => connections.filter((one) => one.firstSeen > pausedAt));
  return {
    count: new Set(added.map(connectionId)).size,
    isLeast: updates.some(({ truncated }) => truncated) || waiting.value?.length === mostWaiting,
  };
});

export function pauseLive(): void {
  pausedAt = now();
  waiting.value = [];
}

/** Tells the page what came meanwhile. */
export function resumeLive(): void {
  const came = waiting.value ?? [];
  waiting.value = null;
  if (came.length === mostWaiting) {
    reloadAll();
  } else {
    for (const { name, data } of came) {
      tell(name, data);
    }
  }
}

function tell(name: LiveEventName, data: unknown): void {
  for (const listener of listeners[name] ?? []) {
    (listener as (parsed: unknown) => void)(data);
  }
}

function reloadAll(): void {
  for (const listener of missed) {
    listener();
  }
}

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

/** After so long without an event, the page asks the hub whether it is there: it tells of a cut network within 22 s. */
const askEveryMs = 8000;
const answersWithinMs = 6000;

/** Opens the stream, and watches that the hub is there: nothing tells a browser that the network was cut. */
export function openLive(): () => void {
  let isHeard = false;
  const hear = () => {
    isHeard = true;
    live.value = 'on';
  };
  let source = openStream(hear, false);
  live.value = 'connecting';
  const ended = new AbortController();
  const markLost = () => {
    if (!ended.signal.aborted) {
      live.value = 'connecting';
    }
  };
  const check = async () => {
    try {
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(answersWithinMs)]);
      const { authenticated } = await ask('GET /api/auth/status', {}, signal);
      if (authenticated && live.value !== 'on') {
        source.close();
        source = openStream(hear, true);
      }
    } catch {
      markLost();
    }
  };
  const stop = every(askEveryMs, () => {
    if (!isHeard) {
      void check();
    }
    isHeard = false;
  });
  addEventListener('offline', markLost);
  return () => {
    ended.abort();
    stop();
    removeEventListener('offline', markLost);
    source.close();
    live.value = 'off';
  };
}

/** `hear` is called with each event. A stream that replaces another one may have missed events (`isLater`). */
function openStream(hear: () => void, isLater: boolean): EventSource {
  const source = new EventSource(apiUrl('/api/events'));
  const reload = () => {
    hear();
    reloadAll();
  };
  source.addEventListener('ready', isLater ? reload : hear);
  source.addEventListener('resync', reload);
  for (const name of names) {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      hear();
      const parsed = JSON.parse(data) as unknown;
      if (waiting.value === null) {
        tell(name, parsed);
      } else {
        waiting.value = [...waiting.value, { name, data: parsed }].slice(-mostWaiting);
      }
    });
  }
  source.addEventListener('error', () => {
    live.value = source.readyState === EventSource.CLOSED ? 'off' : 'connecting';
  });
  return source;
}
