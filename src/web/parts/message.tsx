// A message of the hub in the language of the page; in English, and marked so, where the language has no words for it.
import type { Fact } from '#contract/facts.ts';
import { describeFacts } from '../text/hub/facts.ts';

interface Props {
  /** The sentences in English; empty or null: there is none. */
  message: string | null;
  /** The same sentences as codes and values. */
  messageFacts: readonly Fact[];
}

export function Message(props: Props) {
  return props.message ? (
    <p dir="auto">
      <MessageText {...props} />
    </p>
  ) : null;
}

export function MessageText({ message, messageFacts }: Props) {
  const sentences = describeFacts(messageFacts);
  if (sentences.length === 0) {
    return (
      <span dir="auto" lang="en">
        {message}
      </span>
    );
  }
  return (
    <>
      {sentences.map(({ sentence, detail }) => (
        <>
          {sentence}
          {detail ? <bdi lang="en">{detail}</bdi> : null}
        </>
      ))}
    </>
  );
}
