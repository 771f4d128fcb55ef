// Facts of the hub as sentences in the language of the page. Not part of the first view, and so a file of its own.
import type { Fact } from '#contract/facts.ts';
import { dateTime, number } from '../format.ts';
import type { Reason } from './reasons.ts';
import { hubWords } from './words.ts';

/** The sentence of each fact, and what follows it in English. Empty where this language lacks words for one, or none is given. */
export function describeFacts(facts: readonly Fact[]): readonly Reason[] {
  return hubWords.value.describeFacts?.(facts, writeValue) ?? [];
}

function writeValue(name: string, value: string | number): string {
  return typeof value === 'string' ? value : name === 'at' ? dateTime(value) : number(value);
}

/** Each sentence in this language, or as the hub wrote it where the language has no words for it. */
export function describeSentences(sentences: readonly string[], facts: readonly (Fact | null)[]): string[] {
  return sentences.map((sentence, index) => {
    const fact = facts[index] ?? null;
    return (fact && describeFacts([fact])[0]?.sentence) ?? sentence;
  });
}
