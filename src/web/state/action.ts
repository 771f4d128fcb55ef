// An action of the user: running, done, or failed.

import { useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { toApiError } from '../api/client.ts';

export interface Action {
  isBusy: boolean;
  isDone: boolean;
  error: ApiError | null;
  /** Resolves to whether it succeeded; `work` rejects with ApiError. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  /** Clears the outcome. An action that runs stays busy, so that it cannot be started a second time. */
  reset: () => void;
}

const idle = { isBusy: false, isDone: false, error: null };

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run' | 'reset'>>(idle);
  const run: Action['run'] = async (work) => {
    setState({ ...idle, isBusy: true });
    try {
      await work();
      setState({ ...idle, isDone: true });
      return true;
    } catch (error) {
      setState({ ...idle, error: toApiError(error) });
      return false;
    }
  };
  return { ...state, run, reset: () => setState((before) => (before.isBusy ? before : idle)) };
}
