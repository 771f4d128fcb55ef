// The conversations that are stored: open, take away, delete.
import { providerName } from '../ai/provider.ts';
import { ask, type Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { ConfirmButton } from '../parts/confirm-dialog.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { useAction } from '../state/action.ts';
import { useAsked } from '../state/loaded.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { words } from '../text/ai/words.ts';
import { bytes, dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { exportConversation } from './export-conversation.ts';

type Row = Reply<'GET /api/ai/conversations'>['conversations'][number];

export function History({ turn, changed }: { turn: number; changed: () => void }) {
  const t = words.value;
  const { value, error, reload, isLoading } = useAsked('GET /api/ai/conversations', {}, turn);
  const removed = (id: string) => {
    if (query.value.get('conversation') === id) {
      navigate(hrefWith({ conversation: null }), 'replace');
    }
    changed();
    reload();
  };
  return (
    <Card title={t.history} isDimmed={isLoading && value !== null}>
      <Failure error={error} reload={reload} />
      {value?.conversations.length === 0 ? <p class="empty">{t.noHistory}</p> : null}
      <ul class="items">
        {value?.conversations.map((row) => (
          <Stored key={row.conversationId} row={row} removed={removed} />
        ))}
      </ul>
      {value && value.storage.conversations > 0 ? (
        <p class="help">
          {t.storage(
            number(value.storage.conversations),
            number(value.storage.messages),
            bytes(value.storage.bodyBytes),
          )}
        </p>
      ) : null}
    </Card>
  );
}

function Stored({ row, removed }: { row: Row; removed: (id: string) => void }) {
  const t = words.value;
  const action = useAction();
  const { conversationId: id, title, provider, model, rangeFrom, rangeTo, messageCount, bodyBytes } = row;
  const when = dateTime(row.lastMessageAt ?? row.createdAt);
  const isOpen = query.value.get('conversation') === id;
  const about = [
    ...[title && when, providerName(provider), model, text.value.rangeOwn(dateTime(rangeFrom), dateTime(rangeTo))],
    ...[t.messages(messageCount, number(messageCount)), bytes(bodyBytes)],
  ];
  return (
    <li>
      <h3>
        <Link to={hrefWith({ conversation: id })} aria-current={isOpen ? 'true' : undefined}>
          <bdi>{title ?? when}</bdi>
        </Link>
      </h3>
      <p class="help">{joinWithDots(about)}</p>
      <p class="actions">
        {(['JSON', 'Markdown'] as const).map((format) => (
          <button
            key={format}
            type="button"
            disabled={action.isBusy}
            onClick={() => void action.run(() => exportConversation(id, format))}
          >
            {t.exportAs(format)}
          </button>
        ))}
        <ConfirmButton
          label={t.remove}
          title={t.removeTitle}
          act={async () => {
            await ask('DELETE /api/ai/conversations/:id', { params: { id } });
            removed(id);
          }}
        >
          <p>{t.removeHelp}</p>
        </ConfirmButton>
      </p>
      <Outcome action={action} />
    </li>
  );
}
