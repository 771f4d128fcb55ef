// Messages in place of content: a state with what to do, a warning, a failure.

import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { text } from '../text/text.ts';
import { Icon } from './icon.tsx';
import { describeError } from './outcome.tsx';
import { isForbidden } from './refusal.ts';

export function Note({
  title,
  help,
  children,
}: {
  title: string;
  help?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="note" role="status">
      <p class="note-title">{title}</p>
      {help === undefined ? null : <p dir="auto">{help}</p>}
      {children}
    </div>
  );
}

/** A problem in a list or a form, with a warning icon. */
export function Warning({ children }: { children: ComponentChildren }) {
  return (
    <p class="state warn">
      <Icon name="warn" />
      {children}
    </p>
  );
}

/** Why something could not be loaded, with a button that tries again. Renders nothing without an error. */
export function Failure({ error, reload }: { error: ApiError | null; reload: () => void }) {
  const t = text.value;
  if (error === null) {
    return null;
  }
  if (isForbidden(error)) {
    return <Note title={t.forbidden} help={t.forbiddenHelp} />;
  }
  const [title, help] =
    error.code === 'unreachable' ? [t.unreachable, t.unreachableHelp] : [t.failed, describeError(error)];
  return (
    <Note title={title} help={help}>
      <button type="button" onClick={reload}>
        {t.again}
      </button>
    </Note>
  );
}
