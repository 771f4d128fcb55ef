// The model field with the listed models as suggestions, and the price of the model.
import { useId, useState } from 'preact/hooks';
import { formatDollars, type Provider } from '../../ai/provider.ts';
import { ask, type Reply } from '../../api/client.ts';
import { useLoaded } from '../../state/loaded.ts';
import { useTyped } from '../../state/typed.ts';
import { words } from '../../text/ai/words.ts';

export type Pricings = Reply<'POST /api/ai/test'>['modelPricing']['models'];

interface Props {
  provider: Provider;
  value: string;
  listed: Pricings;
}

export function ModelField({ provider, value, listed }: Props) {
  const t = words.value;
  const id = useId();
  const [model, setModel] = useState(value);
  const { text, type } = useTyped(model, setModel);
  const price = useLoaded(model, async (signal) =>
    model === '' ? null : (await ask('POST /api/ai/pricing/check', { body: { provider, model } }, signal)).pricing,
  );
  const models = listed.filter((one) => one.provider === provider);
  return (
    <div class="field">
      <label for={id}>{t.model}</label>
      <input
        id={id}
        name="model"
        list={`${id}-list`}
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-describedby={`${id}-help`}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {models.map((one) => (
          <option key={one.model} value={one.model}>
            {priceText(provider, one.pricing)}
          </option>
        ))}
      </datalist>
      <small id={`${id}-help`}>
        {model === '' || price.isLoading ? '' : priceText(provider, price.value)}
        <br />
        {t.modelHelp}
      </small>
    </div>
  );
}

function priceText(provider: Provider, pricing: Pricings[number]['pricing']): string {
  const t = words.value;
  return provider === 'local'
    ? t.noCharge
    : pricing
      ? `${t.price(formatDollars(pricing.inputUsdPerMillion), formatDollars(pricing.outputUsdPerMillion))}, ${t.priceSince(pricing.effectiveFrom)}`
      : t.noPrice;
}
