// What is fuzzed: a reader of outside bytes, what it is tried with, and what must hold for whatever it returns.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/program.ts';
import { findFault } from './output.ts';

export interface Target {
  /** Kebab-case; also its folder in test/fuzz/corpus. */
  readonly name: string;
  /** The modules that read, from the root of the repository. */
  readonly modules: readonly string[];
  /** Inputs to start from: at least one. Those of test/fuzz/corpus are among them. */
  readonly seeds: readonly Buffer[];
  /** Words of the grammar. */
  readonly words: readonly Buffer[];
  readonly isJson: boolean;
  /** Reads `input`; what is wrong with that as a sentence, null when nothing is. Never throws, never rejects. */
  judge(input: Buffer): string | null | Promise<string | null>;
  readonly isAsync: boolean;
  /** How many readers, or times, one judgement reads the input: each may take as long as is allowed. */
  readonly readings: number;
  /** It needs files, or milliseconds for an input: `npm test` tries a quarter as many. */
  readonly isSlow: boolean;
}

export interface Definition<T> {
  name: string;
  modules: readonly string[];
  /** Files and folders (their files) below fixtures/. */
  fixtures?: readonly string[];
  seeds?: readonly (string | Buffer)[];
  words?: readonly string[];
  /** Seeds are JSON documents: values in them are changed, not only bytes. */
  isJson?: boolean;
  parse(input: Buffer): T;
  /** Whether an error is one that the reader's documentation names. None is when absent. */
  declares?(error: unknown): boolean;
  /** What is wrong with what was read. */
  fault?(output: Awaited<T>, input: Buffer): string | null;
  /** No text of the output holds a control character or half a character. */
  isVisible?: boolean;
  /** Characters and values of the output for each byte of the input, beside 10,000 of any; 32 when absent. */
  growth?: number;
  /** As `Target.readings`; 1 when absent. */
  readings?: number;
  /** As `Target.isSlow`. */
  isSlow?: boolean;
}

export const corpusFolder = path.join(root, 'test/fuzz/corpus');

/** `isAsync`: `parse` returns a promise. */
export function defineTarget<T>(definition: Definition<T>, isAsync = false): Target {
  const { name, modules, words = [], isJson = false } = definition;
  const seeds = [
    ...(definition.seeds ?? []).map((seed) => Buffer.from(seed)),
    ...(definition.fixtures ?? []).flatMap(filesBelow).map((file) => readFileSync(file)),
    ...kept(name).map(({ bytes }) => bytes),
  ];
  const judgeOutput = (output: Awaited<T>, input: Buffer) =>
    findFault(output, input.length, definition) ?? definition.fault?.(output, input) ?? null;
  const judgeError = (error: unknown) =>
    definition.declares?.(error) ? null : `throws ${error instanceof Error ? error.stack : String(error)}`;
  return {
    name,
    modules,
    seeds,
    words: words.map((word) => Buffer.from(word)),
    isJson,
    isAsync,
    readings: definition.readings ?? 1,
    isSlow: definition.isSlow ?? false,
    judge(input) {
      try {
        const output = definition.parse(input);
        return isAsync
          ? Promise.resolve(output)
              .then((value) => judgeOutput(value, input))
              .catch(judgeError)
          : judgeOutput(output as Awaited<T>, input);
      } catch (error) {
        return judgeError(error);
      }
    },
  };
}

/** The inputs that once failed, or that reach what others do not. */
export function kept(name: string): { file: string; bytes: Buffer }[] {
  const folder = path.join(corpusFolder, name);
  const names = readdirSync(corpusFolder).includes(name) ? readdirSync(folder).sort() : [];
  return names.map((file) => ({ file, bytes: readFileSync(path.join(folder, file)) }));
}

function filesBelow(place: string): string[] {
  const whole = path.join(root, 'fixtures', place);
  return statSync(whole).isFile()
    ? [whole]
    : readdirSync(whole, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.expected.json'))
        .map(({ name }) => path.join(whole, name))
        .sort();
}
