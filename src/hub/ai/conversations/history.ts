// How much of a conversation goes into a prompt.
import { aiLimits as limits } from '#contract/ai-limits.ts';
import { type Prompt, promptBytes, type Turn } from '../prompt.ts';

/**
 * The prompt that `build` makes with as many of the last turns as it may hold: the oldest question goes first, with its
 * answer. `history` is pairs of both, the oldest first.
 */
export function promptWithin(history: readonly Turn[], build: (history: readonly Turn[]) => Prompt): Prompt {
  for (let from = 0; ; from += 2) {
    const prompt = build(history.slice(from));
    if (from >= history.length || promptBytes(prompt) <= limits.aiPromptBytes) {
      return prompt;
    }
  }
}
