// The backups: list, create, restore, schedule and cleanup.
import { useEffect, useState } from 'preact/hooks';
import { every } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { MessageText } from '../../parts/message.tsx';
import { Failure, Note, Warning } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { isPageKept, keepPage, may, session } from '../../state/session.ts';
import { bytes, dateTime } from '../../text/format.ts';
import { words as restoreWords } from '../../text/restore/words.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { BackupRow } from './backup-row.tsx';
import { CreateBackup } from './create-backup.tsx';
import { Plan } from './plan.tsx';
import { Prune } from './prune.tsx';
import type { Restored as Result } from './restore-dialog.tsx';
import { RestoreFile } from './restore-file.tsx';

/** Backups that start elsewhere, such as the daily one, appear within this time. */
const lookAgainMs = 10_000;

export function Backups() {
  const t = words.value.backups;
  const { value, error, reload } = useAsked('GET /api/backup/list', {});
  const [restored, setRestored] = useState<Result | null>(null);
  // While a restore is under way the hub answers nobody, and then every session has ended.
  useEffect(() => every(lookAgainMs, () => isPageKept() || reload()), []);
  if (restored !== null) {
    return <Restored {...restored} />;
  }
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const { activity, config, diagnostics, hook, pruneJob } = value;
  const { entries, summary } = diagnostics;
  const newestFirst = entries.toSorted((one, other) => other.created.localeCompare(one.created));
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <Card title={t.list} part="backups">
        <p class="help">{t.room(bytes(summary.backupBytes), bytes(summary.freeBytes))}</p>
        {summary.migrationReady ? null : <Warning>{t.noMigration(bytes(summary.shortfallBytes))}</Warning>}
        {hook?.error ? (
          <Warning>
            {t.hook}: <MessageText message={hook.error} messageFacts={hook.errorFacts} />
          </Warning>
        ) : null}
        <p role="status">
          {activity ? t.activities[activity.what] : hook?.running ? `${t.hook}: ${t.hookRunning}` : ''}
        </p>
        {entries.length === 0 ? <Note title={t.empty} help={t.emptyHelp} /> : null}
        <ul class="items">
          {newestFirst.map((entry) => (
            <BackupRow key={entry.name} entry={entry} restored={setRestored} />
          ))}
        </ul>
        <CreateBackup made={reload} />
      </Card>
      {may('backup.restore') ? <RestoreFile restored={setRestored} /> : null}
      <Plan config={config} saved={reload} />
      <Prune latest={pruneJob} ended={reload} />
    </div>
  );
}

/** A restore ends every session, this one too. */
function Restored({ at, former, missing }: Result) {
  const t = restoreWords.value;
  useEffect(keepPage, []);
  const logIn = () => {
    session.value = { state: 'out' };
  };
  return (
    <Card title={t.restored}>
      <p role="status" dir="auto">
        {t.result(dateTime(at), former)}
      </p>
      {missing === null ? null : <p>{t.nothingCarriedOver}</p>}
      <p>{t.sessionsEnded}</p>
      <p class="actions">
        <button type="button" class="main" onClick={logIn}>
          {text.value.signIn.submit}
        </button>
      </p>
    </Card>
  );
}
