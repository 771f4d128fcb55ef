// Tests the saved chat settings: whose token it is, whether a member exists, whether a message arrives.
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { isolateName } from '../../parts/outside.ts';
import { useAction } from '../../state/action.ts';
import { joinWords } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';

export function ChatTests({ tried }: { tried: () => void }) {
  const t = words.value.chat;
  const verifying = useAction();
  const testing = useAction();
  const [verified, setVerified] = useState('');
  const [found, setFound] = useState('');
  const verify = async () => {
    const answer = accepted(await ask('POST /api/chat/verify', { body: {} }));
    const lacks = answer.missingScopes.length === 0 ? '' : t.missing(joinWords(answer.missingScopes));
    setVerified(`${t.verified(isolateName(answer.user), isolateName(answer.team))} ${lacks}`);
  };
  const test = async () => {
    await ask('POST /api/chat/test', { body: {} });
    tried();
  };
  const find = async (values: FormData) => {
    const body = { username: readText(values, 'username') };
    const { realName, displayName, name, userId } = accepted(await ask('POST /api/chat/lookup-user', { body }));
    setFound(t.found(isolateName(realName || displayName || name), isolateName(userId)));
  };
  return (
    <>
      <Card title={t.tries}>
        <p class="actions">
          <ActionButton action={verifying} work={verify} label={t.verify} />
          <ActionButton action={testing} work={test} label={t.test} />
        </p>
        <Outcome action={verifying} done={verified} />
        <Outcome action={testing} done={t.tested} />
      </Card>
      <Card title={t.find} part="member">
        <Form isQuestion submit={t.find} done={found} save={find}>
          <TextField name="username" label={t.findLabel} required maxLength={256} autocomplete="off" />
        </Form>
      </Card>
    </>
  );
}

/** Throws ApiError `chat_refused` with the sentence of the hub when the workspace refused. */
function accepted<T extends { ok: boolean }>(answer: T): Extract<T, { ok: true }> {
  if (!answer.ok) {
    const { message, messageFacts } = answer as unknown as { message: string; messageFacts: unknown };
    throw new ApiError(200, 'chat_refused', message, { errorFacts: messageFacts });
  }
  return answer as Extract<T, { ok: true }>;
}
