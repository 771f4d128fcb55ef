// Makes a backup now.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

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
        <button type="button" class="main" disabled={action.isBusy} onClick={() => void action.run(create)}>
          {action.isBusy ? text.value.busy : t.create}
        </button>
      </p>
      <Outcome action={action} done={t.created(name)} />
    </>
  );
}
