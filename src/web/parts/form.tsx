// A form that shows whether it was saved. A failure keeps what was typed; success clears the passwords.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { useAction } from '../state/action.ts';
import { setUnsaved } from '../state/unsaved.ts';
import { describeProblem } from '../text/hub/words.ts';
import { text } from '../text/text.ts';
import { type RefusedField, RefusedFieldContext } from './fields.tsx';
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
  /** The form asks something and saves nothing: it may be left at any time. */
  isQuestion?: boolean;
  reason?: (error: ApiError) => ComponentChildren;
  /** More buttons after the first one. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

export function Form(props: Props) {
  const { submit, done, save, keepsSecrets = false, reason = describeError, more, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const action = useAction();
  const unsaved = useUnsaved(form, props.isQuestion ?? false);
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    // What is being saved may lead to another page.
    unsaved.pause();
    if ((await action.run(() => save(values))) && !keepsSecrets) {
      for (const field of form.current?.querySelectorAll<HTMLInputElement>('input[type=password]') ?? []) {
        field.value = '';
      }
      unsaved.reset();
    }
    unsaved.compare();
  };
  const refused = findRefusedField(form.current, action.error);
  useEffect(() => findField(form.current, refused?.name ?? '')?.focus(), [action.error]);
  return (
    <form ref={form} class="form" onInput={unsaved.compare} onSubmit={(event) => void onSubmit(event)}>
      <RefusedFieldContext.Provider value={refused}>{children}</RefusedFieldContext.Provider>
      <p class="actions">
        <button type="submit" class="main" disabled={action.isBusy} aria-busy={action.isBusy}>
          {action.isBusy ? text.value.busy : submit}
        </button>
        {more}
      </p>
      <Outcome action={refused ? { ...action, error: null } : action} done={done} reason={reason} />
    </form>
  );
}

function findField(form: HTMLFormElement | null, name: string): HTMLElement | null {
  return form?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`) ?? null;
}

/** The field that the hub refused. Of a list it names the entry, such as `allowList.3`: the field is `allowList`. */
function findRefusedField(form: HTMLFormElement | null, error: ApiError | null): RefusedField | null {
  const member = String(error?.details.field ?? '');
  const [, whole = '', entry] = /^(.*?)(?:\.(\d+))?$/.exec(member) ?? [];
  if (error === null || findField(form, whole) === null) {
    return null;
  }
  const reason = error.message.slice(member.length + 1);
  const [sentence, detail] = describeProblem(error?.details.problem, reason);
  const begun = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  const shown = entry === undefined ? begun : text.value.line(String(Number(entry) + 1), sentence);
  return { name: whole, reason: shown, detail };
}

/** Compares what the form holds with what it held when it was shown or saved last. */
function useUnsaved(form: RefObject<HTMLFormElement | null>, isQuestion: boolean) {
  const saved = useRef('');
  const read = () => JSON.stringify(form.current === null ? [] : [...new FormData(form.current)]);
  const reset = () => {
    saved.current = read();
  };
  useLayoutEffect(() => {
    reset();
    return () => setUnsaved(form, false);
  }, []);
  return {
    reset,
    pause: () => setUnsaved(form, false),
    compare: () => setUnsaved(form, !isQuestion && form.current !== null && read() !== saved.current),
  };
}

/** The trimmed text of a field; empty when there is no such field. */
export function readText(values: FormData, name: string): string {
  return String(values.get(name) ?? '').trim();
}

/** The secret as typed; undefined when the field is empty, which keeps the stored one. */
export function readSecret(values: FormData, name: string): string | undefined {
  return String(values.get(name) ?? '') || undefined;
}
