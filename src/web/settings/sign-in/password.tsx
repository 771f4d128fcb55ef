// Changes the login password.
import { ApiError, ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, SecretField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { words } from '../../text/settings/words.ts';

export function Password() {
  const t = words.value.signIn;
  const save = async (values: FormData) => {
    const currentPassword = String(values.get('currentPassword') ?? '');
    const newPassword = String(values.get('newPassword') ?? '');
    if (newPassword !== String(values.get('again') ?? '')) {
      throw new ApiError(0, 'page', t.differ);
    }
    const body = { currentPassword, newPassword, revokeOtherSessions: values.has('others') };
    await ask('POST /api/auth/change-password', { body });
  };
  return (
    <Card title={t.password} part="password">
      <Form submit={t.change} done={t.changed} save={save}>
        <SecretField name="currentPassword" label={t.current} required autocomplete="current-password" />
        <SecretField name="newPassword" label={t.fresh} help={t.freshHelp} required autocomplete="new-password" />
        <SecretField name="again" label={t.again} required autocomplete="new-password" />
        <CheckField name="others" label={t.endOthers} isOn />
      </Form>
    </Card>
  );
}
