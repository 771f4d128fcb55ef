// A form that shows whether it was saved. A failure keeps what was typed; success clears the passwords.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { useAction } from '../state/action.ts';
import { text } from '../text/text.ts';
import { describeError, Outcome } from './outcome.tsx';

interface Props {
  /** Label of the button. */
  submit: string;
  /** Shown after `save` has succeeded. */
  done?: string;
  /** Rejects with ApiError when it fails. */
  save: (values: FormData) => Promise<unknown>;
  /** Keeps the passwords after success: the form is a test and may be sent again. */
  keepsSecrets?: boolean;
  /** Says why it failed. */
  reason?: (error: ApiError) => string;
  /** More buttons after the first one. */
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
      <Outcome action={action} done={done} reason={reason} />
    </form>
  );
}

/** The trimmed text of a field; empty when there is no such field. */
export function readText(values: FormData, name: string): string {
  return String(values.get(name) ?? '').trim();
}

/** The secret as typed; undefined when the field is empty, which keeps the stored one. */
export function readSecret(values: FormData, name: string): string | undefined {
  return String(values.get(name) ?? '') || undefined;
}
