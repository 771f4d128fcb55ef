// What a model is asked, the same for every provider.

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
}

export interface Prompt {
  /** How to answer. Text of this program alone. */
  system: string;
  /** In order; the first and the last are of the user. */
  turns: readonly Turn[];
}

/** UTF-8 bytes of all texts. */
export function countPromptBytes({ system, turns }: Prompt): number {
  return [system, ...turns.map(({ text }) => text)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Bytes of a token, about, of prompts that are mostly facts as JSON. */
const bytesOfToken = 3.5;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesOfToken);
}
