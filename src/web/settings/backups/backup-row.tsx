// One generation: when, how large, whether it was verified; download and restore.
import { apiUrl, ask, type Reply } from '../../api/client.ts';
import { parseInstant } from '../../clock.ts';
import { Icon } from '../../parts/icon.tsx';
import { Message } from '../../parts/message.tsx';
import { may } from '../../state/session.ts';
import { bytes, dateTime } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { RestoreButton, type Restored } from './restore-dialog.tsx';

export type Entry = Reply<'GET /api/backup/list'>['diagnostics']['entries'][number];

export function BackupRow({ entry, restored }: { entry: Entry; restored: (result: Restored) => void }) {
  const t = words.value.backups;
  const { name, kind, size, created, integrity, error = null, errorFacts } = entry;
  const at = parseInstant(created);
  return (
    <li>
      <h3>{dateTime(at)}</h3>
      <p class={integrity === 'failed' ? 'state danger' : 'state'}>
        {integrity === 'failed' ? <Icon name="danger" /> : null}
        <span>{t.integrities[integrity]}</span>
        <span>{bytes(size)}</span>
        <span>{t.kinds[kind]}</span>
      </p>
      <Message message={error} messageFacts={errorFacts} />
      <p class="help" dir="auto">
        {name}
      </p>
      {may('backup.restore') ? (
        <p class="actions">
          <a class="button" href={apiUrl(`/api/backup/download/${encodeURIComponent(name)}`).href} download={name}>
            {t.download}
          </a>
          <RestoreButton
            at={at}
            size={null}
            start={() => ask('POST /api/backup/restore', { body: { name } })}
            restored={restored}
          />
        </p>
      ) : null}
    </li>
  );
}
