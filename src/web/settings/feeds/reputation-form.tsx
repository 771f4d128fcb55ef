// Keys of the services that a manual look-up asks.
import type { ProviderName } from '#contract/threat.ts';
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, NumberField, SecretField } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { words } from '../../text/settings/words.ts';

interface Props {
  config: Reply<'GET /api/config/manual-threat'>;
  saved: () => void;
}

export function ReputationForm({ config, saved }: Props) {
  const t = words.value.feeds;
  const names = Object.keys(t.providers) as ProviderName[];
  const save = async (values: FormData) => {
    const keys = Object.fromEntries(
      names.flatMap((name) => {
        const key = readSecret(values, name);
        return key === undefined ? [] : [[name, key]];
      }),
    );
    const body = {
      keys,
      clearKeys: names.filter((name) => values.has(`clear-${name}`)),
      cacheTtlMinutes: Number(readText(values, 'cache')),
      minIntervalSeconds: Number(readText(values, 'interval')),
    };
    await ask('POST /api/config/manual-threat', { body });
    saved();
  };
  return (
    <Card title={t.reputation} part="reputation">
      <p class="help">{t.reputationHelp}</p>
      <Form submit={words.value.save} done={words.value.saved} save={save}>
        {names.map((name) => (
          <div key={name} class="form">
            <SecretField name={name} label={t.providers[name]} isSet={config.providers[name].keySet} />
            {config.providers[name].keySet ? (
              <CheckField name={`clear-${name}`} label={`${t.clearAuthKey}: ${t.providers[name]}`} isOn={false} />
            ) : null}
          </div>
        ))}
        <NumberField name="cache" label={t.cacheMinutes} min={5} max={1440} value={config.cacheTtlMinutes} />
        <NumberField name="interval" label={t.intervalSeconds} min={1} max={3600} value={config.minIntervalSeconds} />
      </Form>
    </Card>
  );
}
