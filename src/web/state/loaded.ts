// Loads what a view shows. The old value stays until the new one has arrived.
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask, type Input, type Reply, type RouteName, toApiError } from '../api/client.ts';

export interface Loaded<T> {
  /** Null before the first answer. */
  value: T | null;
  /** A request is running. */
  isLoading: boolean;
  error: ApiError | null;
  /** The value may belong to what was asked before: a request is running, or the last one failed. */
  isStale: boolean;
  reload: () => void;
}

/** Loads again whenever `key` changes. A superseded answer is dropped. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'value' | 'isLoading' | 'error'>>({
    value: null,
    isLoading: true,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) {
          setState({ value, isLoading: false, error: null });
        }
      },
      (error: unknown) => {
        if (!stop.signal.aborted) {
          setState((before) => ({ ...before, isLoading: false, error: toApiError(error) }));
        }
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  const isStale = state.isLoading || state.error !== null;
  return { ...state, isStale, reload: () => setTurn((before) => before + 1) };
}

/** The reply of one route. Loads again whenever `input` or `turn` changes. */
export function useAsked<N extends RouteName>(name: N, input: Input<N>, turn = 0): Loaded<Reply<N>> {
  return useLoaded(JSON.stringify([input, turn]), (signal) => ask(name, input, signal));
}
