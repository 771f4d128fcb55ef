// Who answers questions: the provider, its model, key and price, what was agreed to, and whether it answers now.
import { useState } from 'preact/hooks';
import type { AiChoice, AiCloudName } from '#contract/ai-records.ts';
import { describeAiError } from '../../ai/failure.ts';
import { providerName } from '../../ai/provider.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, Group } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { words } from '../../text/ai/words.ts';
import type { Pricings } from './model-field.tsx';
import { type Config, ProviderFields } from './provider-fields.tsx';
import { TestProvider } from './test-provider.tsx';

const choices = ['disabled', 'local', 'cloud_a', 'cloud_b', 'cloud_c'] as const;
const clouds = ['cloud_a', 'cloud_b', 'cloud_c'] as const;

export function Ai() {
  const { value, error, isLoading, again } = useLoaded('ai', (signal) => ask('GET /api/config/ai', {}, signal));
  const [listed, setListed] = useState<Pricings>([]);
  return (
    <div class="stack">
      {error ? <Failure error={error} again={again} /> : null}
      {value ? (
        <>
          <Card title={words.value.who} isDimmed={isLoading}>
            <Choice {...{ config: value, listed, setListed, saved: again }} />
          </Card>
          {value.provider === 'disabled' ? null : <TestProvider provider={value.provider} tested={setListed} />}
        </>
      ) : null}
    </div>
  );
}

interface Props {
  config: Config;
  listed: Pricings;
  setListed: (models: Pricings) => void;
  saved: () => void;
}

function Choice({ config, listed, setListed, saved }: Props) {
  const t = words.value;
  const [chosen, setChosen] = useState<AiChoice>(config.provider);
  const isAgreed = (name: AiCloudName) => config.providers[name].consented;
  const others = clouds.filter((name) => name !== chosen && isAgreed(name));
  const save = async (values: FormData) => {
    await ask('POST /api/config/ai', { body: toConfigBody(chosen, values, others) });
    saved();
  };
  return (
    <Form submit={t.save} done={t.saved} reason={describeAiError} save={save}>
      <p class="help">{t.whoHelp}</p>
      <div>
        {choices.map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="provider" checked={one === chosen} onChange={() => setChosen(one)} />
            {t.choices[one]}
          </label>
        ))}
      </div>
      {chosen === 'disabled' ? null : (
        <ProviderFields key={chosen} {...{ provider: chosen, config, listed, setListed }} />
      )}
      {others.length === 0 ? null : (
        <Group label={t.consents}>
          {others.map((name) => (
            <CheckField key={name} name={`consent-${name}`} label={providerName(name)} isOn />
          ))}
        </Group>
      )}
    </Form>
  );
}

/** Only what is on the form: the rest stays as it is. */
function toConfigBody(provider: AiChoice, values: FormData, others: readonly AiCloudName[]) {
  const cloudConsent = Object.fromEntries(
    clouds
      .filter((name) => name === provider || others.includes(name))
      .map((name) => [name, values.has(`consent-${name}`)]),
  );
  const key = readSecret(values, 'key');
  const hasKey = provider === 'cloud_a' || provider === 'cloud_b';
  return {
    ...{ provider, cloudConsent },
    ...(provider === 'disabled' ? {} : { models: { [provider]: readText(values, 'model') } }),
    ...(provider === 'local' ? { localEndpoint: readText(values, 'endpoint') } : {}),
    ...(hasKey && key !== undefined ? { keys: { [provider]: key } } : {}),
    ...(hasKey && values.has('clear') ? { clearKeys: [provider] } : {}),
    ...(provider === 'cloud_c'
      ? {
          region: readText(values, 'region'),
          guardrail: {
            enabled: values.has('guardrail'),
            ...{ id: readText(values, 'guardrailId'), version: readText(values, 'guardrailVersion') },
          },
        }
      : {}),
  };
}
