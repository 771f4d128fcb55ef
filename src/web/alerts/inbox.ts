// The detections of the period in pages. New ones are only counted until the user asks for them.
import { useEffect, useState } from 'preact/hooks';
import type { DetectionLevel, DetectionType } from '#contract/detection.ts';
import { type ApiError, ask, toApiError } from '../api/client.ts';
import type { Detection } from '../state/causes.ts';
import { onEvent, onMissed } from '../state/live.ts';
import { range } from '../state/range.ts';

const pageRows = '100';

export interface Inbox {
  /** Null before the first answer. */
  logs: readonly Detection[] | null;
  /** There are older matches to load. */
  hasMore: boolean;
  more: () => void;
  /** Detections that arrived after loading. */
  fresh: number;
  reload: () => void;
  isLoading: boolean;
  error: ApiError | null;
}

interface Page {
  logs: readonly Detection[];
  next: string | null;
}

/** What to show; null or an empty list: no restriction. */
export interface AlertQuery {
  kind: DetectionType | null;
  level: DetectionLevel | null;
  /** Addresses of one device, and its MAC addresses. */
  src: readonly string[];
  srcMac: readonly string[];
}

/** The same rule as in the hub. */
function matchesQuery({ kind, level, src, srcMac }: AlertQuery, one: Detection): boolean {
  const ofLevel = one.threatConfidence === 'high' ? 'danger' : one.type === 'new_device' ? 'info' : 'warn';
  const ofDevice = one.srcMac === null ? src.includes(one.src ?? '') : srcMac.includes(one.srcMac);
  return (
    (kind === null || kind === one.type) &&
    (level === null || level === ofLevel) &&
    (src.length + srcMac.length === 0 || ofDevice)
  );
}

/** `asked` null: the filter is not known yet, and nothing is loaded. */
export function useInbox(asked: AlertQuery | null): Inbox {
  const { name, from, to } = range.value;
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState<Page | null>(null);
  const [before, setBefore] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [error, setError] = useState<ApiError | null>(null);
  const [fresh, setFresh] = useState(0);
  const reload = () => {
    setBefore(null);
    setTurn((count) => count + 1);
  };
  const key = JSON.stringify([asked, name ?? [from, to]]);
  // Another query starts with its first page.
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
      ...period,
      src,
      srcMac,
      limit: pageRows,
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
          setError(toApiError(reason));
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
  useEffect(() => onMissed(reload), []);
  return {
    logs: loaded?.logs ?? null,
    hasMore: loaded?.next !== null && loaded !== null,
    more: () => setBefore(loaded?.next ?? null),
    fresh,
    reload,
    isLoading,
    error,
  };
}
