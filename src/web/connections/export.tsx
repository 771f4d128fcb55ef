// Exports the matching rows as a file, with progress, cancel, and what was cut off.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { Problem } from '../parts/outcome.tsx';
import { saveFile } from '../parts/save-file.ts';
import { bytes, number } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import { brokeOff, type Exported, exportRows, type Format, type Progress } from './export-rows.ts';
import type { ListQuery } from './pages.ts';

type State =
  | { is: 'idle' | 'cancelled' }
  | { is: 'running'; progress: Progress | null }
  | { is: 'saved'; of: Exported }
  | { is: 'failed'; error: unknown; format: Format };

export function Export({ query }: { query: ListQuery }) {
  const t = words.value.export;
  const [state, setState] = useState<State>({ is: 'idle' });
  const running = useRef<AbortController | null>(null);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => () => running.current?.abort(), []);
  // The old outcome belongs to other filters.
  useEffect(() => setState((before) => (before.is === 'running' ? before : { is: 'idle' })), [JSON.stringify(query)]);
  const start = async (format: Format) => {
    const stop = new AbortController();
    running.current = stop;
    setState({ is: 'running', progress: null });
    try {
      const of = await exportRows(query, format, (progress) => setState({ is: 'running', progress }), stop.signal);
      saveFile(of.file, of.name);
      setState({ is: 'saved', of: { ...of, file: new Blob() } });
    } catch (error) {
      setState(stop.signal.aborted ? { is: 'cancelled' } : { is: 'failed', error, format });
    }
  };
  const isRunning = state.is === 'running';
  const cancel = () => {
    running.current?.abort();
    // The cancel button disappears: its focus goes to the first export button.
    requestAnimationFrame(() => first.current?.focus());
  };
  return (
    <fieldset class="export">
      <legend class="spoken">{text.value.exportAs}</legend>
      {(['csv', 'json'] as const).map((format) => (
        <button
          key={format}
          type="button"
          ref={format === 'csv' ? first : null}
          disabled={isRunning}
          onClick={() => void start(format)}
        >
          {t.exportAs(format.toUpperCase())}
        </button>
      ))}
      {isRunning ? (
        <p class="export-state">
          <progress
            aria-label={t.progress}
            max={Math.max(1, state.progress?.count ?? 1)}
            value={state.progress?.rows}
          />{' '}
          {state.progress === null
            ? t.waiting
            : t.rows(number(state.progress.rows), number(state.progress.count), bytes(state.progress.bytes))}{' '}
          <button type="button" onClick={cancel}>
            {t.cancel}
          </button>
        </p>
      ) : null}
      <div role="status" class="export-state">
        {state.is === 'cancelled' ? <p>{t.cancelled}</p> : null}
        {state.is === 'saved' ? <Saved of={state.of} /> : null}
      </div>
      {state.is === 'failed' ? (
        <div class="export-state">
          <Reason error={state.error} />
          <button type="button" onClick={() => void start(state.format)}>
            {text.value.again}
          </button>
        </div>
      ) : null}
    </fieldset>
  );
}

function Saved({ of: { rows, total, bytes: size } }: { of: Exported }) {
  const t = words.value.export;
  return rows < total ? (
    <p class="cut">{t.savedPart(number(rows), number(total))}</p>
  ) : (
    <p>{t.saved(number(rows), bytes(size))}</p>
  );
}

function Reason({ error }: { error: unknown }) {
  const t = words.value.export;
  return error instanceof ApiError && error.code === brokeOff ? (
    <p class="problem" role="alert">
      {t.interrupted(number(Number(error.details.rows)))}
    </p>
  ) : (
    <Problem error={error} />
  );
}
