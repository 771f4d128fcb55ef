// The settings of a generation, for a folder that has none or where they are wanted.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { isSystemError, isThere, writeJson } from '#kernel/files/files.ts';
import { isSealed, unseal } from '#kernel/text/secret.ts';
import type { GenerationDocuments } from '../backup/documents.ts';

export interface RestoredSettings {
  content: Record<string, unknown>;
  /** Paths of secrets that were left empty; null when none was. */
  blanked: string[] | null;
}

/** Null when they stay as they are. Throws an Error with what to do when their secrets cannot be opened here. */
export function prepareSettings(
  { documentFile, keyFile }: { documentFile: string; keyFile: string },
  { settings }: GenerationDocuments,
  { replaces, blanks }: { replaces: boolean; blanks: boolean },
): RestoredSettings | null {
  if (settings === null || (isThere(documentFile) && !replaces)) {
    return null;
  }
  const content = z.record(z.string(), z.unknown()).parse(JSON.parse(settings));
  const sealed = listSealed(content);
  const problem = sealed[0] === undefined ? null : findKeyProblem(keyFile, sealed[0].text);
  if (problem === null) {
    return { content, blanked: null };
  }
  if (!blanks) {
    throw new Error(
      `${problem}, and ${sealed.length} secrets of the settings in this backup are sealed by another key: put the secret.key of the hub that made it there, or leave them empty with --without-secrets`,
    );
  }
  return { content: blankSecrets(content, '') as Record<string, unknown>, blanked: sealed.map(({ path }) => path) };
}

export function writeSettings(file: string, settings: RestoredSettings | null): void {
  if (settings !== null) {
    writeJson(file, settings.content);
  }
}

function findKeyProblem(keyFile: string, sealed: string): string | null {
  if (!isThere(keyFile)) {
    return `${keyFile} is missing`;
  }
  try {
    unseal(sealed, readFileSync(keyFile, 'utf8').trim());
    return null;
  } catch (error) {
    if (isSystemError(error)) {
      throw error;
    }
    return `${keyFile} does not open them (${messageOf(error)})`;
  }
}

function listSealed(value: unknown, path = ''): { path: string; text: string }[] {
  if (typeof value === 'string') {
    return isSealed(value) ? [{ path, text: value }] : [];
  }
  return Object.entries(value ?? {}).flatMap(([name, member]) =>
    listSealed(member, path === '' ? name : `${path}.${name}`),
  );
}

/** The key of the audit trail's pseudonyms is null when there is none; every other secret is an empty text. */
function blankSecrets(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return isSealed(value) ? (name === 'auditKey' ? null : '') : value;
  }
  if (Array.isArray(value)) {
    return value.map((member) => blankSecrets(member, ''));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, blankSecrets(member, key)]))
    : value;
}
