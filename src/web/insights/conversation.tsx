// A conversation: its questions, answers, and what failed.
import { describeFailure } from '../ai/failure.ts';
import { Failure, Warning } from '../parts/note.tsx';
import { dot } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { useAsked } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { AnswerText, MadeBy } from './answer.tsx';
import type { Facts } from './report.ts';

interface Props {
  id: string;
  /** A new value loads the conversation again. */
  turn: number;
  destinations: Facts['topDestinations'];
}

export function Conversation({ id, turn, destinations }: Props) {
  const t = words.value;
  const { value, error, reload } = useAsked('GET /api/ai/conversations/:id', { params: { id } }, turn);
  const messages = value?.conversation.conversationId === id ? value.messages : [];
  return (
    <>
      <Failure error={error} reload={reload} />
      <ol class="talk">
        {messages.map((one) => (
          <li key={one.messageId} class={one.role}>
            {one.role === 'user' ? (
              <>
                <p class="help">
                  {t.you}
                  {dot}
                  <Time at={one.createdAt} />
                </p>
                <p class="answer" dir="auto">
                  {one.body}
                </p>
              </>
            ) : (
              <>
                {one.body === null ? (
                  <Warning>{describeFailure(one.errorCode ?? '')}</Warning>
                ) : (
                  <AnswerText
                    text={one.body}
                    citations={one.citations ?? []}
                    from={one.rangeFrom}
                    to={one.rangeTo}
                    isCut={one.truncated ?? false}
                    destinations={destinations}
                  />
                )}
                {one.body === null && typeof one.usageTotalTokens !== 'number' ? null : (
                  <MadeBy
                    provider={one.provider}
                    model={one.model}
                    at={one.createdAt}
                    input={one.usageInputTokens}
                    output={one.usageOutputTokens}
                    cost={one.estimatedCostUsd}
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
