// Something that a person does: under way, done, or failed with a reason.
import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Action {
  isBusy: boolean;
  isDone: boolean;
  error: ApiError | null;
  /** Resolves to whether it succeeded; `work` rejects with ApiError. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ isBusy: false, isDone: false, error: null });
  const run: Action['run'] = async (work) => {
    setState({ isBusy: true, isDone: false, error: null });
    try {
      await work();
      setState({ isBusy: false, isDone: true, error: null });
      return true;
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, 'failed', String(error));
      setState({ isBusy: false, isDone: false, error: known });
      return false;
    }
  };
  return { ...state, run };
}
