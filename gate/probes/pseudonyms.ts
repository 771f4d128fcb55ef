// Checks that the audit store contains no subject, client, address or token of the gate's requests.
import { createHash, createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { type Check, passUnless } from '../check.ts';
import { readStoredTexts } from './audit-store.ts';
import type { ProbeContext } from './context.ts';

/** Newest rows of each table: many times what a run leaves. */
const rowsLookedAt = 1000;
/** Digits of a digest that no other text has by chance. */
const digits = 16;
const kinds = ['', 'subject:', 'sub:', 'client:', 'client_id:', 'address:', 'ip:'];

export const pseudonymCheck: Check<ProbeContext> = {
  id: 'audit.pseudonyms',
  asks: 'the audit store holds no subject, client, address, token or argument, neither as it is nor as a hash without a key',
  category: 'audit',
  needs: ['audit.integrity', 'scope.read', 'tokens.signatures'],
  remedy:
    'the endpoint must keep subject, client and address as HMAC with MCP_AUDIT_HMAC_KEY, and tokens and arguments not at all: deploy a release that does, and delete this store',
  async judge(context) {
    const secrets = await findSecrets(context);
    const rows = readStoredTexts(context.config.MCP_GATE_AUDIT_DB_PATH, rowsLookedAt).map((text) => {
      const own = text.replace(/\bgate-[\w-]+/g, '');
      return { text: own, lower: own.toLowerCase() };
    });
    return passUnless(
      Object.entries(secrets).flatMap(([what, values]) => {
        const plain = values.map(asWord);
        const hashed = values.flatMap(toDigests);
        return [
          ...(rows.some(({ text }) => plain.some((word) => word.test(text))) ? [`${what} as it is`] : []),
          ...(rows.some((row) => hashed.some(({ digest, isHex }) => (isHex ? row.lower : row.text).includes(digest)))
            ? [`a hash of the ${what} that has no key`]
            : []),
        ];
      }),
    );
  },
};

/** Values of this run's requests that the store must not hold in the clear or as a plain hash, by kind. */
async function findSecrets(context: ProbeContext): Promise<Record<string, string[]>> {
  const { config } = context;
  const tokens = [config.MCP_GATE_READ_TOKEN, config.MCP_GATE_WRITE_TOKEN, ...config.MCP_GATE_LIMIT_TOKENS];
  const claims = tokens.map((token) => decodeJwt(token));
  const texts = (values: readonly unknown[]) => [
    ...new Set(values.filter((one): one is string => typeof one === 'string' && one.length > 2)),
  ];
  return {
    subject: texts(claims.flatMap(({ iss, sub }) => [sub, `${iss}|${sub}`, `${iss}#${sub}`, `${iss}:${sub}`])),
    client: texts(claims.flatMap(({ client_id: id, azp }) => [id, azp])),
    address: texts([...(await context.ownAddresses())]),
    token: texts(tokens.flatMap((token) => [token, ...token.split('.').slice(1)])),
    arguments: ['192.0.2.1', 'include_archived'],
  };
}

/** A text that stands alone: not a piece of a longer word or number. */
function asWord(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`);
}

/** The first digits of every hash of `value` that needs no secret key. */
function toDigests(value: string): { digest: string; isHex: boolean }[] {
  const made = [
    ...kinds.map((kind) => createHash('sha256').update(`${kind}${value}`)),
    ...['sha1', 'md5', 'sha384', 'sha512'].map((name) => createHash(name).update(value)),
    ...kinds.map((kind) => createHmac('sha256', '').update(`${kind}${value}`)),
  ].map((hash) => hash.digest());
  return made.flatMap((bytes) => [
    { digest: bytes.toString('hex').slice(0, digits), isHex: true },
    { digest: bytes.toString('base64').slice(0, digits), isHex: false },
    { digest: bytes.toString('base64url').slice(0, digits), isHex: false },
  ]);
}
