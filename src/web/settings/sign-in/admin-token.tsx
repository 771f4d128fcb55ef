// Replaces the admin token with the login password. The new token is shown once.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { SecretField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { words } from '../../text/settings/words.ts';

export function AdminTokenCard() {
  const t = words.value.signIn;
  const [token, setToken] = useState('');
  const replace = async (values: FormData) => {
    const body = { currentPassword: String(values.get('currentPassword') ?? '') };
    setToken((await ask('POST /api/admin/regenerate-token', { body })).token);
  };
  return (
    <Card title={t.adminToken} part="admin-token">
      <p class="help">{t.adminTokenHelp}</p>
      {token === '' ? null : (
        <div class="evidence warn" role="status">
          <CopyField label={t.newToken} value={token} />
          <p>
            {words.value.shownOnce} {t.tokenHelp}
          </p>
        </div>
      )}
      <p class="evidence warn">{t.replaceTokenHelp}</p>
      <Form submit={t.replaceToken} save={replace}>
        <SecretField name="currentPassword" label={t.loginPassword} required autocomplete="current-password" />
      </Form>
    </Card>
  );
}
