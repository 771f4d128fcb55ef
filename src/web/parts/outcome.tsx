// What became of an action, said where it was begun and to who listens.
import type { ApiError } from '../api/client.ts';
import type { Action } from '../state/action.ts';
import { text } from '../text/text.ts';

interface Props {
  action: Action;
  done?: string | undefined;
  /** Says why it failed. */
  reason?: (error: ApiError) => string;
}

export function Outcome({ action, done, reason = describeError }: Props) {
  return (
    <div aria-live="polite">
      {action.error ? <p class="problem">{reason(action.error)}</p> : null}
      {action.isDone && done !== undefined ? <p class="done">{done}</p> : null}
    </div>
  );
}

export function describeError(error: ApiError): string {
  const t = text.value;
  if (error.code === 'unreachable') {
    return `${t.unreachable} ${t.unreachableHelp}`;
  }
  return error.status === 403 ? `${t.forbiddenAction} ${t.forbiddenHelp}` : error.message;
}
