// The card of API identities: lists the credentials of programs, and makes a new one, whose token is shown once.
import { useState } from 'preact/hooks';
import type { Permission } from '#contract/access.ts';
import { ApiError, ask, type Reply } from '../../api/client.ts';
import { base } from '../../base.ts';
import { now } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { CheckField, ChoiceField, Group, TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { useAsked } from '../../state/loaded.ts';
import { dateTime, dayMs, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { ConnectAssistant } from '../assistants/connect-assistant.tsx';

type Identity = Reply<'GET /api/auth/api-identities'>['identities'][number];

/** What Prometheus is to read: it is below the address of this page, also where a proxy serves the page below a path. */
const metricsAddress = new URL('metrics', base).href;

export function Identities() {
  const t = words.value.signIn;
  const { value, error, isLoading, reload } = useAsked('GET /api/auth/api-identities', {});
  const [created, setCreated] = useState<{ label: string; token: string } | null>(null);
  const save = async (values: FormData) => {
    const permissions = values.getAll('permission') as Permission[];
    if (permissions.length === 0) {
      throw new ApiError(0, 'page', t.choosePermission);
    }
    const label = readText(values, 'label');
    const expiresInMs = Number(readText(values, 'days')) * dayMs;
    const { token } = await ask('POST /api/auth/api-identities', { body: { label, permissions, expiresInMs } });
    setCreated({ label, token });
    reload();
  };
  return (
    <Card title={t.identities} part="identities" isDimmed={isLoading}>
      <p class="help">{t.identitiesHelp}</p>
      <p class="help">{t.metricsHelp(isolateName(metricsAddress))}</p>
      <Failure error={error} reload={reload} />
      {value?.identities.length === 0 ? <p class="empty">{t.noIdentities}</p> : null}
      <ul class="items">
        {value?.identities.map((identity) => (
          <IdentityItem key={identity.id} identity={identity} reload={reload} />
        ))}
      </ul>
      {created ? (
        <div class="evidence warn" role="status">
          <CopyField label={t.token(created.label)} value={created.token} />
          <p>
            {words.value.shownOnce} {t.tokenHelp}
          </p>
        </div>
      ) : null}
      {created ? <ConnectAssistant token={created.token} /> : null}
      <Form submit={t.make} save={save}>
        <TextField name="label" label={t.label} required maxLength={100} autocomplete="off" />
        <Group label={t.permissions}>
          {Object.entries(t.permissionNames).map(([name, shown]) => (
            <CheckField key={name} name="permission" value={name} label={shown} isOn={name === 'network.read'} />
          ))}
        </Group>
        <ChoiceField
          name="days"
          label={t.lifetime}
          value="90"
          choices={Object.entries(t.lifetimes).map(([days, label]) => ({ value: days, label }))}
        />
      </Form>
    </Card>
  );
}

function IdentityItem({ identity, reload }: { identity: Identity; reload: () => void }) {
  const t = words.value.signIn;
  const { id, label, permissions, expiresAt, lastUsedAt, revokedAt } = identity;
  const names: Readonly<Record<string, string>> = t.permissionNames;
  const isInactive = revokedAt !== null || expiresAt < now();
  const revoke = async () => {
    await ask('POST /api/auth/api-identities/:id/revoke', { params: { id }, body: {} });
    reload();
  };
  const state = revokedAt === null ? (isInactive ? t.expired : t.until(dateTime(expiresAt))) : t.revoked;
  return (
    <li class={isInactive ? 'over' : ''}>
      <h3>
        <bdi>{label}</bdi>
      </h3>
      <p class="help">{joinWithDots([state, lastUsedAt === null ? t.unused : t.lastUsed(when(lastUsedAt))])}</p>
      <p class="help">{joinWithDots(permissions.map((name) => names[name] ?? name))}</p>
      {isInactive ? null : (
        <p class="actions">
          <ConfirmButton label={words.value.revoke} title={t.revokeTitle(isolateName(label))} act={revoke}>
            <p>{t.revokeHelp}</p>
          </ConfirmButton>
        </p>
      )}
    </li>
  );
}
