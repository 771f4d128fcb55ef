// What the hub made by itself or was told to make, whether it was delivered, and why not.
import { useEffect } from 'preact/hooks';
import { describeFailure } from '../ai/failure.ts';
import { ask, type Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { Failure } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { onEvent } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { AnswerText, MadeBy } from './answer.tsx';
import type { Facts } from './report.ts';

type Event = Reply<'GET /api/ai/notification-events'>['events'][number];

interface Props {
  facts: Facts;
  /** Answers go to the chat, too. */
  toChat: boolean;
  /** Another one: there may be more. */
  turn: number;
}

export function Events({ facts, toChat, turn }: Props) {
  const t = words.value;
  const { value, error, again } = useLoaded(`events ${turn}`, (signal) =>
    ask('GET /api/ai/notification-events', { query: {} }, signal),
  );
  useEffect(() => onEvent('ai-notification', again), []);
  return (
    <Card title={t.events}>
      {error ? <Failure error={error} again={again} /> : null}
      {value?.events.length === 0 ? <p class="empty">{t.noEvents}</p> : null}
      <ul class="items">
        {value?.events.map((event) => (
          <li key={event.eventId}>
            <Made {...{ event, toChat, facts }} />
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
        {t.triggers[triggerType]} · <Time at={createdAt} />
      </h3>
      <p class="help">
        <bdi>{cause}</bdi>
        {chatSent === 1 ? ` · ${t.sent}` : toChat && errorCode === null ? ` · ${t.unsent}` : ''}
      </p>
      {errorCode === null ? null : (
        <p class="state warn">
          <Icon name="warn" />
          {describeFailure(errorCode)}
        </p>
      )}
      {body === null ? null : (
        <AnswerText
          {...{ text: body, citations, from: event.rangeFrom, to: event.rangeTo }}
          destinations={facts.topDestinations}
        />
      )}
      {provider === null || (body === null && event.totalTokens === 0) ? null : (
        <MadeBy
          {...{ provider, model: event.model, at: createdAt, cost: event.estimatedCostUsd }}
          input={event.totalTokens > 0 ? event.inputTokens : null}
          output={event.outputTokens}
        />
      )}
    </>
  );
}
