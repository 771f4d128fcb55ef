// Facts of the hub as sentences in the language of the page. Not part of the first view, and so a file of its own.
import type { Fact } from '#contract/facts.ts';
import { dateTime, number } from '../format.ts';
import { hubWords } from './words.ts';

/** The sentence of each fact, and what follows it in English. Null where this language lacks words for one, or none is given. */
export function describeFacts(facts: readonly Fact[]): readonly { sentence: string; detail: string }[] | null {
  const described = facts.flatMap(({ code, values }) => {
    const written = Object.entries(values).map(([name, value]) => [name, writeValue(name, value)] as const);
    const { detail = '', ...others } = Object.fromEntries(written);
    const sentence = hubWords.value.facts[code]?.(others);
    return sentence === undefined ? [] : [{ sentence, detail }];
  });
  return described.length === 0 || described.length < facts.length ? null : described;
}

/** Each sentence in this language, or as the hub wrote it where the language has no words for it. */
export function describeSentences(sentences: readonly string[], facts: readonly (Fact | null)[]): string[] {
  return sentences.map((sentence, index) => {
    const fact = facts[index] ?? null;
    return (fact && describeFacts([fact])?.[0]?.sentence) ?? sentence;
  });
}

function writeValue(name: string, value: string | number): string {
  return typeof value === 'string' ? value : name === 'at' ? dateTime(value) : number(value);
}
