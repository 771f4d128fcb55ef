// Log-in through the issuer of an organisation.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { CheckField, LinesField, readLines, SecretField, TextField } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';

export function Oidc() {
  const t = words.value.signIn;
  const { value, error, isLoading, reload } = useAsked('GET /api/auth/security-config', {});
  const save = async (values: FormData) => {
    const clientSecret = readSecret(values, 'clientSecret');
    const body = {
      enabled: values.has('enabled'),
      issuer: readText(values, 'issuer'),
      clientId: readText(values, 'clientId'),
      allowedEmails: readLines(values, 'emails'),
      allowedDomains: readLines(values, 'domains'),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
    await ask('POST /api/auth/security-config', { body });
    reload();
  };
  if (value === null) {
    return (
      <Card title={t.oidc} part="oidc">
        <Failure error={error} reload={reload} />
      </Card>
    );
  }
  const { enabled, issuer, clientId, clientSecretSet, allowedEmails, allowedDomains, redirectUri } = value.oidc;
  return (
    <Card title={t.oidc} part="oidc" isDimmed={isLoading}>
      {value.warnings.map((warning) => (
        <p key={warning} class="evidence warn">
          {warning}
        </p>
      ))}
      {redirectUri === null ? (
        <p class="help">{t.redirectUnknown}</p>
      ) : (
        <CopyField label={t.redirect} value={redirectUri} />
      )}
      <Form submit={words.value.save} done={words.value.saved} save={save}>
        <CheckField name="enabled" label={t.enabled} isOn={enabled} />
        <TextField name="issuer" label={t.issuer} help={t.issuerHelp} value={issuer} maxLength={500} />
        <TextField name="clientId" label={t.clientId} value={clientId} maxLength={500} autocomplete="off" />
        <SecretField name="clientSecret" label={t.clientSecret} isSet={clientSecretSet} />
        <LinesField name="emails" label={t.emails} value={allowedEmails} />
        <LinesField name="domains" label={t.domains} value={allowedDomains} />
      </Form>
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
