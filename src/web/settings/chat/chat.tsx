// Who gets the alerts: the chat workspace, how delivery to it goes and its settings, and the other destinations.
import type { Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Failure } from '../../parts/note.tsx';
import { useAsked } from '../../state/loaded.ts';
import { query } from '../../state/url.ts';
import { number, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';
import { ChatTests } from './chat-tests.tsx';
import { Destinations } from './destinations.tsx';

type Config = Reply<'GET /api/config/chat'>;

export function Chat() {
  const isEditing = query.value.get('add') !== null || query.value.get('destination') !== null;
  return (
    <div class="stack">
      {isEditing ? null : <Workspace />}
      <Destinations />
    </div>
  );
}

function Workspace() {
  const t = words.value.chat;
  const { value, error, isLoading, reload } = useAsked('GET /api/config/chat', {});
  return (
    <>
      <Failure error={error} reload={reload} />
      {value ? (
        <>
          <Card title={t.delivery} isDimmed={isLoading}>
            <Delivery delivery={value.delivery} />
          </Card>
          <FormCard
            title={t.settings}
            part="workspace"
            route="POST /api/config/chat"
            words={t}
            values={value.config}
            saved={reload}
          />
          <ChatTests tried={reload} />
        </>
      ) : null}
    </>
  );
}

function Delivery({ delivery: { waiting, lastSentAt, lastFailedAt, lastError } }: Pick<Config, 'delivery'>) {
  const t = words.value.chat;
  const failures: Readonly<Record<string, string>> = t.failures;
  const facts = [
    [t.lastSent, lastSentAt === null ? words.value.never : when(lastSentAt)],
    [
      t.lastFailed,
      lastFailedAt === null
        ? words.value.never
        : [when(lastFailedAt), failures[lastError ?? ''] ?? lastError].filter(Boolean).join(': '),
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
