// The scheduled analyses that the hub has made, with their delivery.
import { useEffect } from 'preact/hooks';
import { describeFailure } from '../ai/failure.ts';
import type { Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Failure, Warning } from '../parts/note.tsx';
import { dot } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { onEvent } from '../state/live.ts';
import { useAsked } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { AnswerText, MadeBy } from './answer.tsx';
import type { Facts } from './report.ts';

type Event = Reply<'GET /api/ai/notification-events'>['events'][number];

interface Props {
  facts: Facts;
  /** Answers are also delivered to the chat. */
  toChat: boolean;
  /** A new value loads the list again. */
  turn: number;
}

export function Events({ facts, toChat, turn }: Props) {
  const t = words.value;
  const { value, error, reload } = useAsked('GET /api/ai/notification-events', { query: {} }, turn);
  useEffect(() => onEvent('ai-notification', reload), []);
  return (
    <Card title={t.events}>
      <Failure error={error} reload={reload} />
      {value?.events.length === 0 ? <p class="empty">{t.noEvents}</p> : null}
      <ul class="items">
        {value?.events.map((event) => (
          <li key={event.eventId}>
            <Made event={event} toChat={toChat} facts={facts} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Made({ event, toChat, facts }: Pick<Props, 'toChat' | 'facts'> & { event: Event }) {
  const t = words.value;
  const { triggerType, cause, createdAt, provider, body, citations, chatSent, errorCode } = event;
  return (
    <>
      <h3>
        {t.triggers[triggerType]}
        {dot}
        <Time at={createdAt} />
      </h3>
      <p class="help">
        <bdi>{cause}</bdi>
        {chatSent === 1 ? `${dot}${t.sent}` : toChat && errorCode === null ? `${dot}${t.unsent}` : ''}
      </p>
      {errorCode === null ? null : <Warning>{describeFailure(errorCode)}</Warning>}
      {body === null ? null : (
        <AnswerText
          text={body}
          citations={citations}
          from={event.rangeFrom}
          to={event.rangeTo}
          destinations={facts.topDestinations}
        />
      )}
      {provider === null || (body === null && event.totalTokens === 0) ? null : (
        <MadeBy
          provider={provider}
          model={event.model}
          at={createdAt}
          cost={event.estimatedCostUsd}
          input={event.totalTokens > 0 ? event.inputTokens : null}
          output={event.outputTokens}
        />
      )}
    </>
  );
}
