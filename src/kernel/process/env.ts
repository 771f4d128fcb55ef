// Reads settings from process.env by a zod schema, and offers schemas of common settings. No other file reads it.
import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { explainIssue, listed } from '../text/problem.ts';

/**
 * Reads the variables that `schema` names; empty ones count as absent. `NAME_FILE` may name a file with the value of
 * `NAME`. Throws an Error that names the variable. Calls `warn` for each invalid value that a default replaces, as
 * `orDefault` allows.
 */
export function readEnv<S extends z.ZodObject>(
  schema: S,
  source: NodeJS.ProcessEnv = process.env,
  warn: (sentence: string) => void = (sentence) => process.emitWarning(sentence),
): z.output<S> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = source[name] || fromFile(name, source[`${name}_FILE`]);
    if (value) {
      values[name] = value;
    }
  }
  for (const { name, message } of findFaults(schema, values)) {
    const setting = schema.shape[name] as z.ZodType | undefined;
    if (setting?.meta()?.takesDefault === true) {
      warn(`${name}: ${message}; the default is used: ${setting.parse(undefined)}`);
      delete values[name];
    }
  }
  const [fault] = findFaults(schema, values);
  if (fault) {
    throw new Error(`${fault.name}: ${fault.message}`);
  }
  return schema.parse(values);
}

function findFaults(schema: z.ZodObject, values: Record<string, string>) {
  const error: z.core.$ZodErrorMap = (issue) => (issue.input === undefined ? 'is not set' : explainIssue(issue));
  return (schema.safeParse(values, { error }).error?.issues ?? []).map(({ path, message }) => ({
    name: path.join('.') || 'environment',
    message,
  }));
}

/**
 * Returns the environment and the variables of a private file (`NAME=value` lines); the environment wins. Throws an Error
 * when the file cannot be read, or when others than its owner may read it.
 */
export function environmentWith(file: string): NodeJS.ProcessEnv {
  let text: string;
  try {
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new Error(`${file} holds secrets and has mode ${mode.toString(8)}: make it private with chmod 600`);
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) {
      throw error;
    }
    throw new Error(`${file} cannot be read: name a file of NAME=value lines`, { cause: error });
  }
  return { ...parseEnv(text), ...process.env };
}

/** The names of all variables that are set and not empty, sorted. */
export function variableNames(source: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(source)
    .filter((name) => source[name])
    .sort();
}

export function childEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...extra };
}

/** Sets variables that a library reads by itself, such as those of AWS. */
export function setEnv(values: Readonly<Record<string, string>>): void {
  Object.assign(process.env, values);
}

export function whole(min: number, max: number) {
  return z.string().transform((text, context) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      context.addIssue({ code: 'custom', message: mustBe(`a whole number from ${min} to ${max}`, text) });
    }
    return value;
  });
}

/** Replaces a value that `setting` rejects by its default, with a warning; `setting` must accept an absent variable. */
export function orDefault<S extends z.ZodType>(setting: S): S {
  return setting.meta({ takesDefault: true });
}

/** Accepts `true` and `false`; false when the variable is absent. */
export function flag() {
  return oneOf(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true');
}

export function oneOf<const T extends string>(allowed: readonly T[]) {
  const choice = listed(allowed);
  return z.enum(allowed, {
    error: ({ input }) => (input === undefined ? `is not set; it is ${choice}` : mustBe(choice, String(input))),
  });
}

/** The sentence for a value that is no secret; the name of its variable is put before it. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${JSON.stringify(text)}`;
}

function fromFile(name: string, file: string | undefined): string | undefined {
  if (!file) {
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`${name}_FILE: ${file} cannot be read`, { cause });
  }
}
