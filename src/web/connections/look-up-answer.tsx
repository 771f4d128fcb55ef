// The answer of a reputation service, or why there is none. The page adds no judgement.

import type { LookUpFailure, ProviderName } from '#contract/threat.ts';
import type { Reply } from '../api/client.ts';
import { Fact } from '../parts/fact.tsx';
import { age, country, dateTime, duration, joinWords, number } from '../text/format.ts';
import { words } from '../text/log/words.ts';

export type Answers = Reply<'POST /api/threat/manual-lookup'>['results'];
type Answer = NonNullable<Answers[ProviderName]>;

export function LookUpAnswer({ name, answer }: { name: ProviderName; answer: Answer }) {
  const t = words.value.lookUp;
  return (
    <section class="look-up-answer">
      <h3>{t.names[name]}</h3>
      {answer.ok ? (
        <>
          <Summary summary={answer.summary} />
          <small>
            {answer.cached ? t.answeredEarlier(age(answer.checkedAt)) : t.answeredNow(age(answer.checkedAt))}
          </small>
        </>
      ) : (
        <p class="problem">{describeLookUpFailure(answer)}</p>
      )}
    </section>
  );
}

function describeLookUpFailure({ code, error, retryAfterMs, status }: LookUpFailure): string {
  const sentence = words.value.lookUp.failures[code]?.(duration(retryAfterMs ?? 0)) ?? error;
  return status === undefined ? sentence : `${sentence} (HTTP ${status})`;
}

function Summary({ summary }: { summary: object }) {
  const t = words.value.lookUp;
  const names: Readonly<Record<string, string>> = t.facts;
  const facts = Object.entries(summary).flatMap(([key, value]) => {
    const shown = formatFact(key, value);
    return shown === null ? [] : [{ key, shown }];
  });
  // Some services answer without any fact.
  if (facts.length === 0) {
    return <p>{t.nothingReported}</p>;
  }
  return (
    <dl>
      {facts.map(({ key, shown }) => (
        <Fact key={key} name={names[key] ?? key}>
          {shown}
        </Fact>
      ))}
    </dl>
  );
}

/** Null for an empty value. */
function formatFact(key: string, value: unknown): string | null {
  if (typeof value === 'number') {
    return key.endsWith('At') ? dateTime(value) : number(value);
  }
  if (typeof value === 'string' && value !== '') {
    return key.startsWith('country') ? country(value) : value;
  }
  const names = Array.isArray(value) ? value.map(({ name }: { name?: string }) => name ?? '') : [];
  return names.length === 0 ? null : joinWords(names);
}
