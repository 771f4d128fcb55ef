// What one provider needs to be asked.
import { useRef, useState } from 'preact/hooks';
import { describeAiError } from '../../ai/failure.ts';
import { type Provider, providerName } from '../../ai/provider.ts';
import { ask, type Reply } from '../../api/client.ts';
import { CheckField, SecretField, TextField } from '../../parts/fields.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/ai/words.ts';
import { number } from '../../text/format.ts';
import { ModelField, type Pricings } from './model-field.tsx';

export type Config = Reply<'GET /api/config/ai'>;

interface Props {
  provider: Provider;
  config: Config;
  /** Models that a test or a listing has named. */
  listed: Pricings;
  setListed: (models: Pricings) => void;
}

export function ProviderFields({ provider, config, listed, setListed }: Props) {
  const t = words.value;
  const model = <ModelField provider={provider} listed={listed} value={config.models[provider]} />;
  if (provider === 'local') {
    return (
      <>
        <TextField name="endpoint" label={t.endpoint} help={t.endpointHelp} value={config.localEndpoint} required />
        {model}
      </>
    );
  }
  const { keySet, consented } = config.providers[provider];
  return (
    <>
      {provider === 'cloud_c' ? (
        <Region config={config} setListed={setListed} />
      ) : (
        <SecretField name="key" label={t.key(providerName(provider))} isSet={keySet} />
      )}
      {keySet ? <CheckField name="clear" label={t.clearKey} isOn={false} /> : null}
      {model}
      {provider === 'cloud_c' ? <Guardrail config={config} /> : null}
      <CheckField
        name={`consent-${provider}`}
        label={t.consent(providerName(provider))}
        help={t.consentHelp}
        isOn={consented}
      />
    </>
  );
}

type Guardrails = Reply<'POST /api/ai/guardrails'>['guardrails'];

function Region({ config, setListed }: Pick<Props, 'config' | 'setListed'>) {
  const t = words.value;
  const action = useAction();
  const place = useRef<HTMLDivElement>(null);
  const [[models, guardrails], setFound] = useState<[number, Guardrails]>([0, []]);
  const list = () =>
    action.run(async () => {
      const region = place.current?.querySelector('input')?.value.trim() ?? '';
      const body = { region };
      const [found, filters] = await Promise.all([
        ask('POST /api/ai/models', { body }),
        ask('POST /api/ai/guardrails', { body }),
      ]);
      setListed(found.modelPricing.models);
      setFound([found.models.length, filters.guardrails]);
    });
  return (
    <div ref={place} class="form">
      <TextField name="region" label={t.region} help={t.regionHelp} value={config.region} required />
      {config.provider === 'disabled' ? (
        <p class="help">{t.listLater}</p>
      ) : (
        <p class="actions">
          <button type="button" disabled={action.isBusy} onClick={() => void list()}>
            {t.list}
          </button>
        </p>
      )}
      <Outcome action={action} done={t.listed(number(models), number(guardrails.length))} reason={describeAiError} />
      <datalist id="guardrails">
        {guardrails.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <datalist id="guardrail-versions">
        {[...new Set(guardrails.flatMap(({ versions }) => versions))].map((version) => (
          <option key={version} value={version} />
        ))}
      </datalist>
    </div>
  );
}

function Guardrail({ config: { guardrail } }: Pick<Props, 'config'>) {
  const t = words.value;
  return (
    <>
      <CheckField name="guardrail" label={t.guardrail} help={t.guardrailHelp} isOn={guardrail.enabled} />
      <TextField name="guardrailId" label={t.guardrailId} value={guardrail.id} list="guardrails" />
      <TextField
        name="guardrailVersion"
        label={t.guardrailVersion}
        value={guardrail.version}
        list="guardrail-versions"
      />
    </>
  );
}
