// Why a router test failed: the class of the failure, and the details.
import type { ApiError } from '../../api/client.ts';
import { Icon } from '../../parts/icon.tsx';
import { words } from '../../text/settings/words.ts';

/** The class of the failure; null when `error` is not the result of a test. */
export function failedTest({ status, details }: ApiError): string | null {
  const { diag } = details as { diag?: { failure?: unknown } };
  return status === 502 && typeof diag?.failure === 'string' ? diag.failure : null;
}

export function TestFailure({ error }: { error: ApiError }) {
  const t = words.value.routers;
  const sentences: Readonly<Record<string, string>> = t.failures;
  const { diag = {} } = error.details as { diag?: Readonly<Record<string, unknown>> };
  const facts = Object.entries(diag).filter(([, value]) => typeof value === 'string' && value !== '');
  return (
    <div class="evidence danger" role="alert">
      <p class="state">
        <Icon name="danger" />
        <strong>{t.testFailed}</strong>
      </p>
      <p>{sentences[failedTest(error) ?? ''] ?? ''}</p>
      <details>
        <summary>{words.value.diagnostics}</summary>
        <p dir="auto" lang="en">
          {error.message}
        </p>
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
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
