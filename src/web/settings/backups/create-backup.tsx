// Makes a backup now.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/settings/words.ts';

export function CreateBackup({ made }: { made: () => void }) {
  const t = words.value.backups;
  const action = useAction();
  const [name, setName] = useState('');
  const create = async () => {
    const answer = await ask('POST /api/backup/create', { body: {} });
    setName(answer.name);
    made();
  };
  return (
    <>
      <p class="actions">
        <ActionButton action={action} work={create} label={t.create} kind="main" saysBusy />
      </p>
      <Outcome action={action} done={t.created(name)} />
    </>
  );
}
