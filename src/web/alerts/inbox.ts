// The detections of the period, page after page as they are asked for. What comes later waits until it is asked for.
import { useEffect, useState } from 'preact/hooks';
import type { DetectionLevel, DetectionType } from '#contract/detection.ts';
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

/** Null, or no address at all: all of them. */
export interface AlertQuery {
  kind: DetectionType | null;
  level: DetectionLevel | null;
  /** Addresses of one device, and its MAC addresses. */
  src: readonly string[];
  srcMac: readonly string[];
}

/** As the hub decides it. */
function matchesQuery({ kind, level, src, srcMac }: AlertQuery, one: Detection): boolean {
  const ofLevel = one.threatConfidence === 'high' ? 'danger' : one.type === 'new_device' ? 'info' : 'warn';
  const ofDevice = one.srcMac === null ? src.includes(one.src ?? '') : srcMac.includes(one.srcMac);
  return (
    (kind === null || kind === one.type) &&
    (level === null || level === ofLevel) &&
    (src.length + srcMac.length === 0 || ofDevice)
  );
}

/** `asked` null: it is not known yet what is asked for. */
export function useInbox(asked: AlertQuery | null): Inbox {
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
  const key = JSON.stringify([asked, name ?? [from, to]]);
  // The next page of other rows is not theirs.
  useEffect(() => setBefore(null), [key]);
  useEffect(() => {
    if (asked === null) {
      return undefined;
    }
    const stop = new AbortController();
    setLoading(true);
    const period = { from: String(from), ...(name === null ? { to: String(to) } : {}) };
    const { kind, level, src, srcMac } = asked;
    const query = {
      ...{ ...period, src, srcMac, limit: pageRows },
      ...(kind && { type: kind }),
      ...(level && { level }),
      ...(before && { before }),
    };
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
      onEvent('detection', (detection) => {
        if (name !== null && asked !== null && matchesQuery(asked, detection)) {
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
