// Checks of the hub with advice, and the diagnostics as a file.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Message } from '../../parts/message.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { Permitted } from '../../parts/permitted.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/settings/words.ts';

export function Doctor() {
  const t = words.value.doctor;
  const action = useAction();
  const [found, setFound] = useState<Reply<'GET /api/diagnostics'> | null>(null);
  const check = async () => {
    const document = await ask('GET /api/diagnostics', {});
    setFound(document);
    return document;
  };
  const download = async () => {
    const text = JSON.stringify(await check(), null, 2);
    saveFile(new Blob([text], { type: 'application/json' }), 'gatehouse-diagnostics.json');
  };
  return (
    <Card title={t.title} part="doctor">
      <p class="help">{t.help}</p>
      <Permitted needs="auth.admin">
        <ActionButton action={action} work={check} label={t.check} kind="main" saysBusy />
        <ActionButton action={action} work={download} label={t.download} />
      </Permitted>
      <p class="help">{t.downloadHelp}</p>
      <Outcome action={action} done={t.checked} />
      {found === null ? null : (
        <dl class="facts">
          {found.checks.map(({ code, state, message, messageFacts, advice, adviceFacts }) => (
            <Fact key={code} name={t.checks[code]}>
              {t.states[state]}
              <Message message={message} messageFacts={messageFacts} />
              <Message message={advice} messageFacts={adviceFacts} />
            </Fact>
          ))}
        </dl>
      )}
    </Card>
  );
}
