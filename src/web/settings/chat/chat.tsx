// The chat workspace that gets the alerts: how delivery goes, and the settings of it.

import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { CheckField, NumberField, SecretField, TextField } from '../../parts/fields.tsx';
import { Form, readSecret, readText } from '../../parts/form.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { number, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { ChatTests } from './chat-tests.tsx';

type Config = Reply<'GET /api/config/chat'>;

export function Chat() {
  const t = words.value.chat;
  const { value, error, isLoading, reload } = useAsked('GET /api/config/chat', {});
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      {value ? (
        <>
          <Card title={t.delivery} isDimmed={isLoading}>
            <Delivery delivery={value.delivery} />
          </Card>
          <Card title={t.settings} part="workspace" isDimmed={isLoading}>
            <Settings config={value.config} saved={reload} />
          </Card>
          <ChatTests tried={reload} />
        </>
      ) : null}
    </div>
  );
}

function Delivery({ delivery: { waiting, lastSentAt, lastFailedAt, lastError } }: Pick<Config, 'delivery'>) {
  const t = words.value.chat;
  const facts = [
    [t.lastSent, lastSentAt === null ? words.value.never : when(lastSentAt)],
    [
      t.lastFailed,
      lastFailedAt === null ? words.value.never : [when(lastFailedAt), lastError].filter(Boolean).join(': '),
    ],
  ] as const;
  return (
    <>
      <p>{t.waiting(waiting, number(waiting))}</p>
      <dl class="facts">
        {facts.map(([name, shown]) => (
          <Fact key={name} name={name}>
            {shown}
          </Fact>
        ))}
      </dl>
    </>
  );
}

function Settings({ config, saved }: Pick<Config, 'config'> & { saved: () => void }) {
  const t = words.value.chat;
  const { enabled, userId, displayName, cooldownMinutes, tellResolved, tokenSet } = config;
  const save = async (values: FormData) => {
    const token = readSecret(values, 'token');
    const body = {
      enabled: values.has('enabled'),
      userId: readText(values, 'userId'),
      displayName: readText(values, 'displayName'),
      cooldownMinutes: Number(readText(values, 'cooldown')),
      tellResolved: values.has('resolved'),
      ...(token === undefined ? {} : { token }),
      ...(values.has('clear') ? { clearToken: true as const } : {}),
    };
    await ask('POST /api/config/chat', { body });
    saved();
  };
  return (
    <Form submit={words.value.save} done={words.value.saved} save={save}>
      <CheckField name="enabled" label={t.enabled} isOn={enabled} />
      <SecretField name="token" label={t.token} help={t.tokenHelp} isSet={tokenSet} />
      {tokenSet ? <CheckField name="clear" label={t.clearToken} isOn={false} /> : null}
      <TextField name="userId" label={t.userId} help={t.userIdHelp} value={userId} autocomplete="off" />
      <TextField name="displayName" label={t.displayName} value={displayName} autocomplete="off" />
      <NumberField name="cooldown" label={t.cooldown} min={1} max={1440} value={cooldownMinutes} />
      <CheckField name="resolved" label={t.tellResolved} isOn={tellResolved} />
    </Form>
  );
}
