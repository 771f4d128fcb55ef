// Finds the values of `{ secret: NAME }` in a private file or in the environment.
import { readFileSync, statSync } from 'node:fs';
import { stringify } from 'yaml';
import { z } from 'zod';
import { writeText } from '#kernel/files/files.ts';
import { readEnv } from '#kernel/process/env.ts';
import { readInput } from '#kernel/text/problem.ts';
import { parseSource } from '#kernel/text/yaml.ts';

/** The value of a secret, or undefined when nobody gave one. */
export type FindSecret = (name: string) => string | undefined;

const secretsSchema = z.record(z.string(), z.string());

/**
 * Returns a function that looks for a secret in `file`, then in the environment. Throws an Error when other users can read the
 * file, or when it does not map names to texts.
 */
export function createSecretFinder(file: string | undefined): FindSecret {
  const given = file === undefined ? new Map() : readSecretsFile(file);
  return (name) => {
    const variable = `GATEHOUSE_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    return given.get(name) ?? readEnv(z.object({ [variable]: z.string().optional() }))[variable];
  };
}

function readSecretsFile(file: string): Map<string, string> {
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by other users: make it private with chmod 600`);
  }
  const source = parseSource(file, readFileSync(file, 'utf8'));
  const parsed = readInput(secretsSchema, source.value);
  if (!parsed.success) {
    throw source.mistake(parsed.error.issues[0]?.path ?? [], 'must be the name of a secret and its value as text');
  }
  return new Map(Object.entries(parsed.data));
}

export function writeSecretsFile(file: string, secrets: ReadonlyMap<string, string>): void {
  writeText(file, stringify(Object.fromEntries(secrets), { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' }));
}
