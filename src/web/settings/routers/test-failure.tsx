// Why a router test failed: the class of the failure, and the details.
import type { Fact } from '#contract/facts.ts';
import type { ApiError } from '../../api/client.ts';
import { Icon } from '../../parts/icon.tsx';
import { MessageText } from '../../parts/message.tsx';
import { describeFacts } from '../../text/hub/facts.ts';
import { hubWords } from '../../text/hub/words.ts';
import { words } from '../../text/settings/words.ts';

/** The class of the failure; null when `error` is not the result of a test. */
export function failedTest({ status, details }: ApiError): string | null {
  const { diag } = details as { diag?: { failure?: unknown } };
  return status === 502 && typeof diag?.failure === 'string' ? diag.failure : null;
}

export function TestFailure({ error }: { error: ApiError }) {
  const t = words.value.routers;
  const sentences: Readonly<Record<string, string>> = t.failures;
  const { diag = {}, errorFacts = [] } = error.details as {
    diag?: Readonly<Record<string, unknown>>;
    errorFacts?: Fact[];
  };
  const { diagnostics } = hubWords.value.routers;
  const isNamed = (name: string) => diagnostics === undefined || name in diagnostics;
  const facts = Object.entries(diag).filter(([name, value]) => isNamed(name) && typeof value === 'string' && value);
  const sentence = sentences[failedTest(error) ?? ''];
  const hasReason = describeFacts(errorFacts).length > 0;
  const saysMore = diagnostics === undefined || !(sentence || hasReason);
  return (
    <div class="evidence danger" role="alert">
      <p class="state">
        <Icon name="danger" />
        <strong>{t.testFailed}</strong>
      </p>
      <p>{hasReason ? <MessageText message={error.message} messageFacts={errorFacts} /> : sentence}</p>
      <details hidden={!saysMore && facts.length === 0}>
        <summary>{words.value.diagnostics}</summary>
        {saysMore ? (
          <p dir="auto" lang="en">
            {error.message}
          </p>
        ) : null}
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{diagnostics?.[name] ?? name}</dt>
              <dd>
                <bdi>{value as string}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
