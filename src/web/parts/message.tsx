// A message of the hub in the language of the page; in English, and marked so, where the language has no words for it.
import type { Fact } from '#contract/facts.ts';
import { describeFacts } from '../text/hub/words.ts';

export function Message({ message, messageFacts }: { message: string | null; messageFacts: readonly Fact[] }) {
  const sentences = describeFacts(messageFacts);
  if (!message) {
    return null;
  }
  return sentences === null || sentences.length === 0 ? (
    <p dir="auto" lang="en">
      {message}
    </p>
  ) : (
    <p dir="auto">
      {sentences.map(({ sentence, detail }) => (
        <>
          {sentence}
          {detail ? <bdi lang="en">{` (${detail}) `}</bdi> : null}
        </>
      ))}
    </p>
  );
}
