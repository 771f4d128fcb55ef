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

/** `warnings` and `warningFacts` are the same, in the same order. */
export function toWarnings(warnings: readonly (Statement | null)[]) {
  const given = warnings.filter((warning) => warning !== null);
  return { warnings: given.map(({ sentence }) => sentence), warningFacts: given.map(toFact) };
}

/** The sentences, and their facts in the same order: null for what an older version stored as a text alone. */
export function splitStatements(statements: readonly (Statement | string)[]) {
  return {
    sentences: statements.map((one) => (typeof one === 'string' ? one : one.sentence)),
    facts: statements.map((one) => (typeof one === 'string' ? null : toFact(one))),
  };
}

/** `message` is empty without a statement. */
export function toMessage(...statements: readonly Statement[]): Message {
  return {
    message: statements.map(({ sentence }) => sentence).join(' '),
    messageFacts: statements.map(toFact),
  };
}

/** Returns a list with the fact of the statement, or an empty list for null. */
export function toFacts(statement: Statement | null): Fact[] {
  return statement === null ? [] : [toFact(statement)];
}

function toFact({ code, values }: Statement): Fact {
  return { code, values };
}
