// Sentences of the hub: in English for the log and for old clients, and as codes and values for a page in another language.
import type { Fact, FactCode } from '#contract/facts.ts';

export interface Statement extends Fact {
  sentence: string;
}

export interface Message {
  message: string;
  messageFacts: Fact[];
}

export function createStatement(code: FactCode, sentence: string, values: Fact['values'] = {}): Statement {
  return { code, values, sentence };
}

/** `message` is empty without a statement. */
export function toMessage(...statements: readonly Statement[]): Message {
  return {
    message: statements.map(({ sentence }) => sentence).join(' '),
    messageFacts: statements.map(({ code, values }) => ({ code, values })),
  };
}
