// Copies of the database: which there are, a new one, one taken back, how many are stored.
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { every } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Failure, Note } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { session } from '../../state/session.ts';
import { bytes } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { BackupRow } from './backup-row.tsx';
import { CreateBackup } from './create-backup.tsx';
import { Plan } from './plan.tsx';
import { Prune } from './prune.tsx';

/** What is under way elsewhere, such as the backup of the day, is seen so late at most. */
const lookAgainMs = 10_000;

export function Backups() {
  const t = words.value.backups;
  const { value, error, again } = useLoaded('backups', (signal) => ask('GET /api/backup/list', {}, signal));
  const [restored, setRestored] = useState<string | null>(null);
  useEffect(() => (restored === null ? every(lookAgainMs, again) : undefined), [restored]);
  if (restored !== null) {
    return <Restored message={restored} />;
  }
  if (value === null) {
    return error ? <Failure error={error} again={again} /> : null;
  }
  const { activity, config, diagnostics, hook, pruneJob } = value;
  const { entries, summary } = diagnostics;
  const newestFirst = entries.toSorted((one, other) => other.created.localeCompare(one.created));
  return (
    <div class="stack">
      {error ? <Failure error={error} again={again} /> : null}
      <Card title={t.list}>
        <p class="help">{t.room(bytes(summary.backupBytes), bytes(summary.freeBytes))}</p>
        {summary.migrationReady ? null : (
          <p class="state warn">
            <Icon name="warn" />
            {t.noMigration(bytes(summary.shortfallBytes))}
          </p>
        )}
        {hook?.error ? (
          <p class="state warn">
            <Icon name="warn" />
            {t.hook}: {hook.error}
          </p>
        ) : null}
        <p role="status">{activity ? t.activity(activity.step) : hook?.running ? `${t.hook}: ${t.hookRunning}` : ''}</p>
        {entries.length === 0 ? <Note title={t.empty} help={t.emptyHelp} /> : null}
        <ul class="items">
          {newestFirst.map((entry) => (
            <BackupRow key={entry.name} entry={entry} restored={setRestored} />
          ))}
        </ul>
        <CreateBackup made={again} />
      </Card>
      <Plan config={config} saved={again} />
      <Prune latest={pruneJob} ended={again} />
    </div>
  );
}

/** A restore ends every session, this one too. */
function Restored({ message }: { message: string }) {
  const t = words.value.backups;
  const logIn = () => {
    session.value = { state: 'out' };
  };
  return (
    <Card title={t.restored}>
      <p role="status">{message}</p>
      <p>{t.sessionsEnded}</p>
      <p class="actions">
        <button type="button" class="main" onClick={logIn}>
          {text.value.signIn.submit}
        </button>
      </p>
    </Card>
  );
}
