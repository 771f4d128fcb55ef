// When backups are made, and how many are stored.
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, NumberField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { words } from '../../text/settings/words.ts';

interface Props {
  config: Reply<'GET /api/backup/list'>['config'];
  saved: () => void;
}

export function Plan({ config, saved }: Props) {
  const t = words.value.backups;
  const { intervalHours, maxGenerations, maxBackupBytes, autoPrune } = config;
  const save = async (values: FormData) => {
    const body = {
      intervalHours: readText(values, 'interval'),
      maxGenerations: readText(values, 'generations'),
      maxBackupBytes: readText(values, 'bytes'),
      autoPrune: values.has('autoPrune'),
    };
    await ask('POST /api/backup/config', { body });
    saved();
  };
  return (
    <Card title={t.plan} part="plan">
      <Form submit={words.value.save} done={words.value.saved} save={save}>
        <NumberField name="interval" label={t.interval} min={1} value={intervalHours} />
        <NumberField name="generations" label={t.generations} min={2} value={maxGenerations} />
        <NumberField name="bytes" label={t.bytes} min={0} value={maxBackupBytes} />
        <CheckField name="autoPrune" label={t.autoPrune} isOn={autoPrune} />
      </Form>
    </Card>
  );
}
