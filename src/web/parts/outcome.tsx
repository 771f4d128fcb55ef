// What became of an action, said where it was begun and to who listens.
import type { ApiError } from '../api/client.ts';
import type { Action } from '../state/action.ts';
import { text } from '../text/text.ts';

export function Outcome({ action, done }: { action: Action; done?: string | undefined }) {
  return (
    <div aria-live="polite">
      {action.error ? <p class="problem">{reasonOf(action.error)}</p> : null}
      {action.isDone && done !== undefined ? <p class="done">{done}</p> : null}
    </div>
  );
}

export function reasonOf(error: ApiError): string {
  const t = text.value;
  if (error.code === 'unreachable') {
    return `${t.unreachable} ${t.unreachableHelp}`;
  }
  return error.status === 403 ? `${t.forbiddenAction} ${t.forbiddenHelp}` : error.message;
}
