// A form that says what became of it. What was typed stays when saving fails; passwords are cleared when it succeeds.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { useAction } from '../state/action.ts';
import { text } from '../text/text.ts';
import { describeError, Outcome } from './outcome.tsx';

interface Props {
  /** Of the button. */
  submit: string;
  /** What is said when `save` has succeeded; nothing when absent. */
  done?: string;
  /** Rejects with ApiError when it fails. */
  save: (values: FormData) => Promise<unknown>;
  /** Its passwords are needed again: a test, not a change. */
  keepsSecrets?: boolean;
  /** Says why it failed. */
  reason?: (error: ApiError) => string;
  /** More buttons behind the first one. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

export function Form({ submit, done, save, keepsSecrets = false, reason = describeError, more, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const action = useAction();
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    if ((await action.run(() => save(values))) && !keepsSecrets) {
      for (const field of form.current?.querySelectorAll<HTMLInputElement>('input[type=password]') ?? []) {
        field.value = '';
      }
    }
  };
  return (
    <form ref={form} class="form" onSubmit={(event) => void onSubmit(event)}>
      {children}
      <p class="actions">
        <button type="submit" class="main" disabled={action.isBusy} aria-busy={action.isBusy}>
          {action.isBusy ? text.value.busy : submit}
        </button>
        {more}
      </p>
      <Outcome {...{ action, done, reason }} />
    </form>
  );
}

/** The text of a field, without blanks around it; empty when there is no such field. */
export function readText(values: FormData, name: string): string {
  return String(values.get(name) ?? '').trim();
}

/** A secret as it was typed; undefined when nothing was, which leaves the stored one. */
export function readSecret(values: FormData, name: string): string | undefined {
  return String(values.get(name) ?? '') || undefined;
}
