// The button of an action and its outcome, which is announced to screen readers.
import { ApiError } from '../api/client.ts';
import type { Action } from '../state/action.ts';
import { text } from '../text/text.ts';

interface ButtonProps {
  action: Action;
  /** Rejects with ApiError. */
  work: () => Promise<unknown>;
  label: string;
  /** Label for screen readers, where several buttons have the same one. */
  about?: string;
  kind?: 'main' | '';
  /** Shows that it runs in place of the label. */
  saysBusy?: boolean;
}

/** Runs `work` as `action`, and is disabled while it runs. */
export function ActionButton({ action, work, label, about, kind = '', saysBusy = false }: ButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={about}
      disabled={action.isBusy}
      aria-busy={action.isBusy}
      onClick={() => void action.run(work)}
    >
      {saysBusy && action.isBusy ? text.value.busy : label}
    </button>
  );
}

interface Props {
  action: Action;
  done?: string | undefined;
  reason?: (error: ApiError) => string;
}

export function Outcome({ action, done, reason = describeError }: Props) {
  return (
    <div aria-live="polite">
      {action.error ? (
        <p class="problem" dir="auto">
          {reason(action.error)}
        </p>
      ) : null}
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

/** The error of an action, announced at once. */
export function Problem({ error }: { error: unknown }) {
  return (
    <p class="problem" role="alert" dir="auto">
      {error instanceof ApiError ? describeError(error) : String(error)}
    </p>
  );
}
