// The button of an action and its outcome, which is announced to screen readers.
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/client.ts';
import type { Action } from '../state/action.ts';
import { hubWords } from '../text/hub/words.ts';
import { text } from '../text/text.ts';
import { describeRefusal } from './refusal.ts';

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
  reason?: (error: ApiError) => ComponentChildren;
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

/** A refusal in the language of the page; what another program said follows in its own words. */
export function describeError(error: ApiError): ComponentChildren {
  const [sentence, detail] = describeRefusal(error, text.value, hubWords.value);
  return withEnglish(sentence, detail);
}

export function withEnglish(sentence: string, detail: string): ComponentChildren {
  return detail === '' ? (
    sentence
  ) : (
    <>
      {sentence}{' '}
      <span lang="en" dir="auto">
        {detail}
      </span>
    </>
  );
}

/** The error of an action, announced at once. */
export function Problem({ error, reason = describeError }: { error: unknown; reason?: Props['reason'] }) {
  return (
    <p class="problem" role="alert" dir="auto">
      {error instanceof ApiError ? reason(error) : String(error)}
    </p>
  );
}
