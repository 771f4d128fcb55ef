// Restores a backup from a file of this computer: the hub verifies it, then the user confirms.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ask, toApiError } from '../../api/client.ts';
import { sendFile } from '../../api/upload.ts';
import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { bytes, dateTime } from '../../text/format.ts';
import { words } from '../../text/restore/words.ts';
import { text } from '../../text/text.ts';
import { type BackupFile, mostBytes, readBackupFile } from './backup-file.ts';
import { RestoreButton, type Restored } from './restore-dialog.tsx';
import { describeRestoreProblem } from './restore-problem.ts';
import { RestoreProgress } from './restore-progress.tsx';

type State =
  | { is: 'none' }
  | { is: 'checking'; size: number; share: number }
  | { is: 'refused'; problem: ComponentChildren }
  | { is: 'found'; backup: BackupFile; ownSchema: number };

export function RestoreFile({ restored }: { restored: (result: Restored) => void }) {
  const t = words.value;
  const id = useId();
  const [state, setState] = useState<State>({ is: 'none' });
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const choose = async (input: HTMLInputElement) => {
    stop.current.abort();
    const [file] = input.files ?? [];
    if (file === undefined) {
      setState({ is: 'none' });
      return;
    }
    stop.current = new AbortController();
    const { signal } = stop.current;
    const report = (share: number) => setState({ is: 'checking', size: file.size, share });
    report(0);
    const outcome = await checkFile(file, report, signal);
    if (!signal.aborted) {
      setState(outcome);
    }
  };
  const cancel = () => {
    stop.current.abort();
    setState({ is: 'none' });
  };
  return (
    <Card title={t.fromFile} part="restore">
      <div class="form">
        <div class="field">
          <label for={id}>{t.file}</label>
          <input
            id={id}
            type="file"
            accept=".db,application/vnd.sqlite3,application/octet-stream"
            aria-describedby={`${id}-help`}
            // The same file may be chosen again after it was refused.
            onClick={({ currentTarget }) => {
              currentTarget.value = '';
            }}
            onChange={({ currentTarget }) => void choose(currentTarget)}
          />
          <small id={`${id}-help`}>{t.fromFileHelp}</small>
        </div>
        {state.is === 'refused' ? (
          <p class="problem" role="alert">
            {state.problem}
          </p>
        ) : null}
        {state.is === 'checking' ? (
          <div>
            <RestoreProgress label={t.checking} size={state.size} share={state.share} working={t.verifying} />
            <p class="actions">
              <button type="button" onClick={cancel}>
                {text.value.cancel}
              </button>
            </p>
          </div>
        ) : null}
        {state.is === 'found' ? <Found {...state} restored={restored} /> : null}
      </div>
    </Card>
  );
}

async function checkFile(file: File, report: (share: number) => void, signal: AbortSignal): Promise<State> {
  const t = words.value.problems;
  const refuse = (problem: string): State => ({ is: 'refused', problem: `${problem} ${t.nothingChanged}` });
  try {
    const [backup, { schemaVersion }] = await Promise.all([readBackupFile(file), ask('GET /api/status', {}, signal)]);
    if (backup === null) {
      return refuse(t.notBackup);
    }
    if (file.size > mostBytes) {
      return refuse(t.tooLarge(bytes(mostBytes)));
    }
    if (backup.schema > schemaVersion) {
      return refuse(t.newer(String(backup.schema), String(schemaVersion)));
    }
    await sendFile('POST /api/backup/check', file, report, signal);
    return { is: 'found', backup, ownSchema: schemaVersion };
  } catch (error) {
    return { is: 'refused', problem: describeRestoreProblem(toApiError(error), false) };
  }
}

interface FoundProps {
  backup: BackupFile;
  ownSchema: number;
  restored: (result: Restored) => void;
}

function Found({ backup, ownSchema, restored }: FoundProps) {
  const t = words.value;
  const { file, at, isNamed, schema } = backup;
  const version = String(schema);
  return (
    <section aria-label={t.found} role="status">
      <dl class="facts">
        <Fact name={isNamed ? t.made : t.changed}>{dateTime(at)}</Fact>
        <Fact name={t.version}>
          {schema === ownSchema ? t.sameVersion(version) : t.olderVersion(version, String(ownSchema))}
        </Fact>
        <Fact name={t.size}>{bytes(file.size)}</Fact>
        <Fact name={t.verified}>{t.whole}</Fact>
      </dl>
      <p class="actions">
        <RestoreButton
          at={at}
          size={file.size}
          start={(report, signal) => sendFile('POST /api/backup/upload', file, report, signal)}
          restored={restored}
        />
      </p>
    </section>
  );
}
