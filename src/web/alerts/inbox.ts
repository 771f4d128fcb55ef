// The detections of the period, page after page as they are asked for. What comes later waits until it is asked for.
import { useEffect, useState } from 'preact/hooks';
import type { DetectionType } from '#contract/detection.ts';
import { ApiError, ask } from '../api/client.ts';
import type { Detection } from '../state/causes.ts';
import { onEvent, onMissed } from '../state/live.ts';
import { range } from '../state/range.ts';

const pageRows = '100';

export interface Inbox {
  /** Null before the first answer. */
  logs: readonly Detection[] | null;
  /** Older ones match that are not loaded. */
  hasMore: boolean;
  more: () => void;
  /** How many came since. */
  fresh: number;
  again: () => void;
  isLoading: boolean;
  error: ApiError | null;
}

interface Page {
  logs: readonly Detection[];
  next: string | null;
}

/** `kind` null: all of them. */
export function useInbox(kind: DetectionType | null): Inbox {
  const { name, from, to } = range.value;
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState<Page | null>(null);
  const [before, setBefore] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [error, setError] = useState<ApiError | null>(null);
  const [fresh, setFresh] = useState(0);
  const again = () => {
    setBefore(null);
    setTurn((count) => count + 1);
  };
  const key = [kind, name ?? `${from} ${to}`].join(' ');
  // The next page of other rows is not theirs.
  useEffect(() => setBefore(null), [key]);
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    const period = { from: String(from), ...(name === null ? { to: String(to) } : {}) };
    const query = { ...period, ...(kind && { type: kind }), ...(before && { before }), limit: pageRows };
    ask('GET /api/notification-log', { query }, stop.signal).then(
      ({ logs, next }) => {
        setLoaded((old) => ({ logs: before === null ? logs : [...(old?.logs ?? []), ...logs], next }));
        setError(null);
        setLoading(false);
        if (before === null) {
          setFresh(0);
        }
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) {
          setError(reason instanceof ApiError ? reason : new ApiError(0, 'failed', String(reason)));
          setLoading(false);
        }
      },
    );
    return () => stop.abort();
  }, [key, before, turn]);
  useEffect(
    () =>
      onEvent('detection', ({ type }) => {
        if (name !== null && (kind === null || kind === type)) {
          setFresh((count) => count + 1);
        }
      }),
    [key],
  );
  useEffect(() => onMissed(again), []);
  return {
    logs: loaded?.logs ?? null,
    hasMore: loaded?.next !== null && loaded !== null,
    more: () => setBefore(loaded?.next ?? null),
    ...{ fresh, again, isLoading, error },
  };
}
