// What a view shows of an answer: the old one stays until the new one is here.
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Loaded<T> {
  /** Null before the first answer. */
  value: T | null;
  /** Another answer is under way. */
  isLoading: boolean;
  error: ApiError | null;
  again: () => void;
}

/** Asks again whenever `key` changes; an answer that was overtaken is dropped. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'again'>>({ value: null, isLoading: true, error: null });
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
          const known = error instanceof ApiError ? error : new ApiError(0, 'failed', String(error));
          setState((before) => ({ ...before, isLoading: false, error: known }));
        }
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}
