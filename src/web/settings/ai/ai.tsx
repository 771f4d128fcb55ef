// Who answers questions: the provider, its model, key and price, what was agreed to, and whether it answers now.

import { useState } from 'preact/hooks';
import type { AiChoice, AiCloudName } from '#contract/ai-records.ts';
import { describeAiError } from '../../ai/failure.ts';
import { providerName } from '../../ai/provider.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { CheckField, Group } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/ai/words.ts';
import type { Pricings } from './model-field.tsx';
import { type Config, ProviderFields } from './provider-fields.tsx';
import { TestProvider } from './test-provider.tsx';

const choices = ['disabled', 'local', 'cloud_a', 'cloud_b', 'cloud_c'] as const;
const clouds = ['cloud_a', 'cloud_b', 'cloud_c'] as const;

export function Ai() {
  const { value, error, isLoading, reload } = useAsked('GET /api/config/ai', {});
  const [listed, setListed] = useState<Pricings>([]);
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      {value ? (
        <>
          <Card title={words.value.who} part="provider" isDimmed={isLoading}>
            <ProviderForm config={value} listed={listed} setListed={setListed} saved={reload} />
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

function ProviderForm({ config, listed, setListed, saved }: Props) {
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
          <Choice key={one} type="radio" name="provider" isChosen={one === chosen} choose={() => setChosen(one)}>
            {t.choices[one]}
          </Choice>
        ))}
      </div>
      {chosen === 'disabled' ? null : (
        <ProviderFields key={chosen} provider={chosen} config={config} listed={listed} setListed={setListed} />
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

/** Contains only what the form shows: other settings stay as they are. */
function toConfigBody(provider: AiChoice, values: FormData, others: readonly AiCloudName[]) {
  const cloudConsent = Object.fromEntries(
    clouds
      .filter((name) => name === provider || others.includes(name))
      .map((name) => [name, values.has(`consent-${name}`)]),
  );
  const key = readSecret(values, 'key');
  const hasKey = provider === 'cloud_a' || provider === 'cloud_b';
  return {
    provider,
    cloudConsent,
    ...(provider === 'disabled' ? {} : { models: { [provider]: readText(values, 'model') } }),
    ...(provider === 'local' ? { localEndpoint: readText(values, 'endpoint') } : {}),
    ...(hasKey && key !== undefined ? { keys: { [provider]: key } } : {}),
    ...(hasKey && values.has('clear') ? { clearKeys: [provider] } : {}),
    ...(provider === 'cloud_c'
      ? {
          region: readText(values, 'region'),
          guardrail: {
            enabled: values.has('guardrail'),
            id: readText(values, 'guardrailId'),
            version: readText(values, 'guardrailVersion'),
          },
        }
      : {}),
  };
}
