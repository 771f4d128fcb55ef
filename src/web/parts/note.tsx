// A state in words: what is the case, and what to do.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { text } from '../text/text.ts';

export function Note({ title, help, children }: { title: string; help?: string; children?: ComponentChildren }) {
  return (
    <div class="note" role="status">
      <p class="note-title">{title}</p>
      {help === undefined ? null : <p dir="auto">{help}</p>}
      {children}
    </div>
  );
}

/** Why something could not be loaded. */
export function Failure({ error, again }: { error: ApiError; again: () => void }) {
  const t = text.value;
  if (error.status === 403) {
    return <Note title={t.forbidden} help={t.forbiddenHelp} />;
  }
  const [title, help] = error.code === 'unreachable' ? [t.unreachable, t.unreachableHelp] : [t.failed, error.message];
  return (
    <Note title={title} help={help}>
      <button type="button" onClick={again}>
        {t.again}
      </button>
    </Note>
  );
}
