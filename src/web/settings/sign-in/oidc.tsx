// Log-in through the issuer of an organisation.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { MessageText } from '../../parts/message.tsx';
import { Failure } from '../../parts/note.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';
import { SettingsForm } from '../form/settings-form.tsx';

export function Oidc() {
  const t = words.value.signIn;
  const { value, error, isLoading, reload } = useAsked('GET /api/auth/security-config', {});
  if (value === null) {
    return (
      <Card title={t.oidc} part="oidc">
        <Failure error={error} reload={reload} />
      </Card>
    );
  }
  const { redirectUri } = value.oidc;
  return (
    <Card title={t.oidc} part="oidc" isDimmed={isLoading}>
      {value.warnings.map((warning, index) => (
        <p key={warning} class="evidence warn">
          <MessageText message={warning} messageFacts={value.warningFacts.slice(index, index + 1)} />
        </p>
      ))}
      {redirectUri === null ? (
        <p class="help">{t.redirectUnknown}</p>
      ) : (
        <CopyField label={t.redirect} value={redirectUri} />
      )}
      <SettingsForm route="POST /api/auth/security-config" words={t} values={value.oidc} saved={reload} />
      <Test />
    </Card>
  );
}

function Test() {
  const t = words.value.signIn;
  const action = useAction();
  const [answered, setAnswered] = useState('');
  const test = async () => setAnswered((await ask('POST /api/auth/oidc/test', { body: {} })).issuer);
  return (
    <>
      <p class="actions">
        <ActionButton action={action} work={test} label={t.test} />
      </p>
      <Outcome action={action} done={t.testOk(answered)} />
    </>
  );
}
