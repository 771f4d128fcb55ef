// The Japanese words of the page for what the hub says, for tests that run without a browser.
import type { Fact } from '#contract/facts.ts';

interface Words {
  explained: Readonly<Record<string, string>>;
  problems: Readonly<Record<string, unknown>>;
  describeFacts(facts: readonly Fact[]): { sentence: string; detail: string }[];
  describeDetails(details: Readonly<Record<string, unknown>>): { sentence: string; detail: string }[];
}
/** Imported by a computed name: the types of the page need a browser. */
const language = 'ja';
export const { ja } = (await import(`../../src/web/text/hub/${language}.ts`)) as { ja: Words };

/** The sentences of `facts` one after the other, then the words of other programs. Empty where Japanese lacks words for one. */
export function describeInJapanese(facts: readonly Fact[]): string {
  const reasons = ja.describeFacts(facts);
  return reasons.map(({ sentence }) => sentence).join('') + reasons.map(({ detail }) => detail).join('');
}
