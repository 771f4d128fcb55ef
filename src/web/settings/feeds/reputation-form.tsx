// Keys of the services that a manual look-up asks.
import type { ProviderName } from '#contract/threat.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, NumberField, SecretField } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';

export function ReputationForm() {
  const t = words.value.feeds;
  const names = Object.keys(t.providers) as ProviderName[];
  const { value, error, isLoading, reload } = useAsked('GET /api/config/manual-threat', {});
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
    reload();
  };
  return (
    <Card title={t.reputation} part="reputation" isDimmed={isLoading}>
      <p class="help">{t.reputationHelp}</p>
      <Failure error={error} reload={reload} />
      {value ? (
        <Form submit={words.value.save} done={words.value.saved} save={save}>
          {names.map((name) => (
            <div key={name} class="form">
              <SecretField name={name} label={t.providers[name]} isSet={value.providers[name].keySet} />
              {value.providers[name].keySet ? (
                <CheckField name={`clear-${name}`} label={`${t.clearKey}: ${t.providers[name]}`} isOn={false} />
              ) : null}
            </div>
          ))}
          <NumberField name="cache" label={t.cacheMinutes} min={5} max={1440} value={value.cacheTtlMinutes} />
          <NumberField name="interval" label={t.intervalSeconds} min={1} max={3600} value={value.minIntervalSeconds} />
        </Form>
      ) : null}
    </Card>
  );
}
