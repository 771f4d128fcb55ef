// When backups are made, and how many are stored.
import type { Reply } from '../../api/client.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';

interface Props {
  config: Reply<'GET /api/backup/list'>['config'];
  saved: () => void;
}

export function Plan({ config, saved }: Props) {
  const t = words.value.backups;
  return (
    <FormCard title={t.plan} part="plan" route="POST /api/backup/config" words={t} values={config} saved={saved} />
  );
}
