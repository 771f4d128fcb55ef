// Facts of the hub as sentences of a language. Loaded with that language: in English the hub's own sentences are shown.
import type { CauseCode, Fact, FactCode } from '#contract/facts.ts';

/** Sentences by the codes that the hub gives beside its English ones; `values` are written in the language. */
export interface ReasonWords {
  facts: { readonly [Code in FactCode]: (values: Readonly<Record<string, string>>) => string };
  /** Follows the sentence of a fact with this `cause`. */
  causes: { readonly [Code in CauseCode]: string };
  problems: Readonly<Record<string, (limit: string, unit: string | null) => string>>;
  quote: (text: string) => string;
}

/** `detail`: what follows in the words of another program, in quotation marks; empty where there is nothing. */
export interface Reason {
  sentence: string;
  detail: string;
}

/** Writes a value of a fact in the language of the page. `name` is its name in the fact: an instant is called `at`. */
type WriteValue = (name: string, value: string | number) => string;

export function createReasons({ facts, causes, problems, quote }: ReasonWords) {
  const describeFact = ({ code, values }: Fact, write: WriteValue): Reason | [] => {
    const describe = facts[code];
    if (describe === undefined) {
      return [];
    }
    const written = Object.entries(values).map(([name, value]) => [name, write(name, value)] as const);
    const { detail = '', cause = '', ...others } = Object.fromEntries(written);
    const known = causes[cause as CauseCode];
    return { sentence: describe(others) + (known ?? ''), detail: known || detail === '' ? '' : quote(detail) };
  };
  /** The sentence of each fact. Empty where this language lacks words for one, or none is given. */
  const describeFacts = (given: readonly Fact[], write: WriteValue = writePlain): readonly Reason[] => {
    const described = given.flatMap((fact) => describeFact(fact, write));
    return described.length < given.length ? [] : described;
  };
  /** Why the hub refused, by the members of its answer. Empty where it gave no code, or one without words. */
  const describeDetails = ({
    errorFacts = [],
    field,
    problem,
  }: Readonly<Record<string, unknown>>): readonly Reason[] => {
    const { code, limit, unit } = (problem ?? {}) as { code?: string; limit?: number; unit?: string | null };
    const sentence = problems[code ?? '']?.(String(limit), unit ?? null);
    return sentence === undefined
      ? describeFacts(errorFacts as readonly Fact[])
      : [{ sentence: field === undefined ? sentence : `${field}: ${sentence}`, detail: '' }];
  };
  return { describeFacts, describeDetails };
}

const writePlain: WriteValue = (_name, value) => String(value);
