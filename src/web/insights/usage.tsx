// What answers used and cost, this month and the last. What is not known has a line of its own.
import { formatDollars, providerName } from '../ai/provider.ts';
import type { Reply } from '../api/client.ts';
import { calendar, now } from '../clock.ts';
import { Card } from '../parts/card.tsx';
import { Failure } from '../parts/note.tsx';
import { dot } from '../parts/outside.ts';
import { useAsked } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { number, when } from '../text/format.ts';

type Month = Reply<'GET /api/ai/usage/monthly'>['current'];

export function Usage() {
  const t = words.value;
  const query = { timezoneOffset: String(calendar(now()).getTimezoneOffset()) };
  const { value, error, reload } = useAsked('GET /api/ai/usage/monthly', { query });
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const months = [value.current, value.previous];
  const rows: [name: string, of: (month: Month) => string][] = [
    [t.rows.requests, ({ requests }) => number(requests)],
    [t.rows.input, ({ inputTokens }) => number(inputTokens)],
    [t.rows.output, ({ outputTokens }) => number(outputTokens)],
    [t.rows.cost, formatMonthCost],
    [t.rows.unanswered, formatUnanswered],
    [t.rows.missing, ({ usageMissingRequests }) => number(usageMissingRequests)],
    [t.rows.unpriced, ({ unknownPriceRequests }) => number(unknownPriceRequests)],
  ];
  const unpriced = months.flatMap(({ unpricedModels }) => unpricedModels);
  return (
    <>
      <Card title={t.usage}>
        <table class="comparison">
          <thead>
            <tr>
              <td />
              <th scope="col">{t.thisMonth}</th>
              <th scope="col">{t.lastMonth}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, of]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {months.map((month) => (
                  <td key={month.from}>{of(month)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p class="help">{t.usageHelp(value.pricing.catalogVersion)}</p>
      </Card>
      {unpriced.length === 0 ? null : (
        <Card title={t.unpricedModels}>
          <ul class="rows">
            {unpriced.map(({ provider, model, totalTokens, lastUsedAt }) => (
              <li key={`${provider} ${model} ${lastUsedAt}`}>
                <span>
                  {model}{' '}
                  <small>
                    {providerName(provider)}
                    {dot}
                    {when(lastUsedAt)}
                  </small>
                </span>
                <span class="figure">{t.tokensOf(number(totalTokens))}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function formatUnanswered({ unanswered }: Month): string {
  const count = number(unanswered.requests);
  return unanswered.requests === 0 ? count : `${count}${dot}${formatMonthCost(unanswered)}`;
}

function formatMonthCost({ requests, pricedRequests, estimatedCostUsd: cost }: Month['unanswered']): string {
  const t = words.value;
  if (requests === 0) {
    return t.nothingUsed;
  }
  if (cost === null) {
    return t.costUnknown;
  }
  const known = cost === 0 ? t.noCharge : formatDollars(cost);
  return pricedRequests < requests ? `${known} ${t.partly(number(pricedRequests), number(requests))}` : known;
}
