// Searches a document for secrets before anybody gets it. A hit is named by its path, never by its value.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { ifThere } from '#kernel/files/files.ts';
import { readEnv } from '#kernel/process/env.ts';
import { isSealed } from '#kernel/text/secret.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { mapSecrets } from '../../base/settings/secrets.ts';
import { hubVariables } from '../../base/settings/variables/table.ts';
import type { Variable } from '../../base/settings/variables/variable.ts';

/** A shorter secret is a word that other texts may hold: it is found only where it is the whole text. */
const shortBelow = 8;

/** Secrets of programs that may run with the same environment. */
const otherVariables = [
  'MONITOR_TOKEN',
  'MCP_TOKEN',
  'MCP_SERVICE_TOKEN',
  'MCP_AUDIT_HMAC_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
];

/** Forms of texts that look like a secret, whoever issued it. */
const forms: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:svc|svca|svcc)_[0-9a-f]{32,}/,
  /\bxox[a-z]-[\w-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\b(?:gh[pousr]|npm)_[A-Za-z0-9]{20,}/,
  /\bsk-[\w-]{20,}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /\bBearer [\w.~+/-]{16,}/,
  /\/\/[^\s/:@]+:[^\s/@]+@/,
];

/** Every secret that the hub holds: of the settings, of its files and of its variables. `settings` is null when they cannot be read. */
export function collectSecrets(
  settings: Settings | null,
  { dataDir, given }: { dataDir: string; given: readonly unknown[] },
): string[] {
  const secrets = new Set<unknown>(given);
  if (settings !== null) {
    mapSecrets(settings, (secret) => {
      secrets.add(secret);
      return secret;
    });
    secrets.add(settings.adminTokenHash).add(settings.passwordRecord);
  }
  for (const name of ['secret.key', 'initial-admin-token', 'initial-password']) {
    secrets.add(
      ifThere(() => readFileSync(path.join(dataDir, name), 'utf8').trim(), null, ['ENOENT', 'ENOTDIR', 'EACCES']),
    );
  }
  const names = Object.entries<Variable>(hubVariables).flatMap(([name, { secret }]) => (secret ? [name] : []));
  const text = z.string().optional();
  const variables = readEnv(z.object(Object.fromEntries([...names, ...otherVariables].map((name) => [name, text]))));
  for (const value of Object.values(variables)) {
    secrets.add(value);
  }
  return [...secrets].filter((secret) => typeof secret === 'string' && secret !== '') as string[];
}

/** Throws AppError `diagnostics_withheld` that names the first member with a secret. */
export function requireNoSecret(document: unknown, secrets: readonly string[]): void {
  const leaves = listTexts(document, '');
  const all = leaves.map(({ text }) => text).join('\n');
  const short = new Set(secrets.filter(({ length }) => length < shortBelow));
  const written = secrets
    .filter(({ length }) => length >= shortBelow)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    .filter((secret) => all.includes(secret));
  const hit = leaves.find(
    ({ text }) =>
      short.has(text) ||
      isSealed(text) ||
      written.some((one) => text.includes(one)) ||
      forms.some((form) => form.test(text)),
  );
  if (hit) {
    const message = `the diagnostics were not given out: ${hit.path} holds a secret or what looks like one; remove it there and try again, or report this as a fault of the hub`;
    throw new AppError('diagnostics_withheld', message, { details: { path: hit.path } });
  }
}

/** Every text of a document with its path, names of members included. */
function listTexts(value: unknown, at: string): { path: string; text: string }[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member], index) => [
      // A name that is a secret must not be in the path either.
      ...(Array.isArray(value) ? [] : [{ path: `${at}.(name ${index})`.replace(/^\./, ''), text: name }]),
      ...listTexts(member, at === '' ? name : `${at}.${name}`),
    ]);
  }
  return typeof value === 'string' ? [{ path: at, text: value }] : [];
}
