// Shows whether a followed log is read, and how much of it is understood.
import type { Reply } from '../../api/client.ts';
import { Message } from '../../parts/message.tsx';
import { number, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';

type Log = Reply<'GET /api/config/datasources'>['dns'];

export function LogState({ log: { state, message, messageFacts, lines, understood, lastLineAt } }: { log: Log }) {
  const t = words.value.sources;
  return state === 'off' ? null : (
    <>
      <p class={state === 'failed' ? 'state warn' : 'state'}>
        <strong>{t.states[state]}</strong>
        {lines === 0 ? null : <span>{t.lines(lines, number(understood), number(lines))}</span>}
        {lastLineAt === null ? null : <span>{t.lastLine(when(lastLineAt))}</span>}
      </p>
      <Message message={message} messageFacts={messageFacts} />
    </>
  );
}
