// Whether the provider that is saved answers, and which models it has.
import { useState } from 'preact/hooks';
import { describeAiError } from '../../ai/failure.ts';
import { formatCost, type Provider, providerName } from '../../ai/provider.ts';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/ai/words.ts';
import { number } from '../../text/format.ts';
import type { Pricings } from './model-field.tsx';

export function TestProvider({ provider, tested }: { provider: Provider; tested: (models: Pricings) => void }) {
  const t = words.value;
  const action = useAction();
  const [said, setSaid] = useState('');
  const test = () =>
    action.run(async () => {
      const answer = await ask('POST /api/ai/test', { body: {} });
      const { models, modelPricing, verified, model, estimatedCostUsd } = answer;
      tested(modelPricing.models);
      const listing = t.tested(
        providerName(provider),
        models.length,
        number(models.length),
        number(modelPricing.priced),
      );
      const asked = verified ? `${t.answered(model ?? '')} (${formatCost(provider, estimatedCostUsd)})` : t.unanswered;
      setSaid(verified === undefined ? listing : `${listing} ${asked}`);
    });
  return (
    <Card title={t.test}>
      <p class="help">{t.testHelp}</p>
      <p class="actions">
        <button type="button" disabled={action.isBusy} aria-busy={action.isBusy} onClick={() => void test()}>
          {t.test}
        </button>
      </p>
      <Outcome action={action} done={said} reason={describeAiError} />
    </Card>
  );
}
