// A conversation: its questions, answers, and what failed.
import { describeFailure } from '../ai/failure.ts';
import { ask } from '../api/client.ts';
import { Icon } from '../parts/icon.tsx';
import { Failure } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { AnswerText, MadeBy } from './answer.tsx';
import type { Facts } from './report.ts';

interface Props {
  id: string;
  /** Another one: there is more. */
  turn: number;
  destinations: Facts['topDestinations'];
}

export function Conversation({ id, turn, destinations }: Props) {
  const t = words.value;
  const { value, error, again } = useLoaded(`${id} ${turn}`, (signal) =>
    ask('GET /api/ai/conversations/:id', { params: { id } }, signal),
  );
  const messages = value?.conversation.conversationId === id ? value.messages : [];
  return (
    <>
      {error ? <Failure error={error} again={again} /> : null}
      <ol class="talk">
        {messages.map((one) => (
          <li key={one.messageId} class={one.role}>
            {one.role === 'user' ? (
              <>
                <p class="help">
                  {t.you} · <Time at={one.createdAt} />
                </p>
                <p class="answer" dir="auto">
                  {one.body}
                </p>
              </>
            ) : (
              <>
                {one.body === null ? (
                  <p class="state warn">
                    <Icon name="warn" />
                    {describeFailure(one.errorCode ?? '')}
                  </p>
                ) : (
                  <AnswerText
                    {...{ text: one.body, citations: one.citations ?? [], from: one.rangeFrom, to: one.rangeTo }}
                    isCut={one.truncated ?? false}
                    destinations={destinations}
                  />
                )}
                {one.body === null && typeof one.usageTotalTokens !== 'number' ? null : (
                  <MadeBy
                    {...{ provider: one.provider, model: one.model, at: one.createdAt }}
                    {...{ input: one.usageInputTokens, output: one.usageOutputTokens, cost: one.estimatedCostUsd }}
                  />
                )}
              </>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
