// The only reader of process.env: a zod schema in, plain settings out. Also the helpers that say what a bad value means.
import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';

/**
 * Reads the variables a schema names. `NAME_FILE` stands in for an absent `NAME` and holds a path whose trimmed text is
 * the value. Throws an Error naming the variable and what is wrong with it.
 */
export function readEnv<S extends z.ZodObject>(schema: S, source: NodeJS.ProcessEnv = process.env): z.output<S> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = source[name] ?? fromFile(name, source[`${name}_FILE`]);
    if (value !== undefined && value !== '') {
      values[name] = value;
    }
  }
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') ?? 'environment'}: ${issue?.message ?? 'invalid'}`);
  }
  return parsed.data;
}

/**
 * The environment over the variables of a private file (`NAME=value` lines): what is set in the process wins. Throws an
 * Error with what to do when the file cannot be read, or when anybody but its owner may read it.
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

/** The variables a child process may inherit, plus `extra`. */
export function childEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...extra };
}

/** A whole number from `min` to `max`; anything else, also absence, is `fallback`: a typo never lifts a limit. */
export function intOr(fallback: number, min: number, max: number) {
  return z
    .string()
    .optional()
    .transform((text) => {
      const value = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : fallback;
    });
}

/** On only when the text is exactly `true`. */
export function flag() {
  return z
    .string()
    .optional()
    .transform((text) => text === 'true');
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
