// Checks the audit store of the endpoint: its integrity, and a row for every probe.

import { type Check, fail, pass, passUnless } from '../check.ts';
import { type AuditRow, rowsById, withAuditStore } from './audit-store.ts';
import type { ProbeContext, ProbeName } from './context.ts';

/**
 * Reasons by probe (row 20 of docs/reference/wire-contract/8-gate.md#83-probes); `null`: any, as long as the row
 * says failure. An endpoint may stop one address before the allowance of the whole host is spent.
 */
const reasons: Readonly<Partial<Record<ProbeName, readonly string[] | null>>> = {
  malformed: ['invalid_token'],
  expired: ['invalid_token'],
  'wrong-audience': ['invalid_token'],
  'wrong-audience-legacy': ['invalid_token'],
  revoked: ['invalid_token'],
  'near-audience': ['invalid_token'],
  'audience-list': ['invalid_token'],
  'forged-key': ['invalid_token'],
  'forged-key-legacy': ['invalid_token'],
  'alg-none': ['invalid_token'],
  'hs256-pem': ['invalid_token'],
  'hs256-der': ['invalid_token'],
  'hs256-jwk': ['invalid_token'],
  'other-issuer': ['invalid_token'],
  'same-keys-issuer': ['invalid_token'],
  jku: ['invalid_token'],
  jwk: ['invalid_token'],
  'read-required': ['insufficient_scope'],
  'write-denied': ['insufficient_scope'],
  'write-denied-legacy': ['insufficient_scope'],
  burst: ['global_rate_limit', 'client_rate_limit'],
  mismatch: null,
  unsupported: null,
};

const optional: readonly ProbeName[] = ['near-audience', 'audience-list', 'same-keys-issuer', 'read-required'];

const integrity: Check<ProbeContext> = {
  id: 'audit.integrity',
  asks: 'the audit store of the endpoint can be read and is whole',
  category: 'audit',
  remedy: 'correct MCP_GATE_AUDIT_DB_PATH; a damaged store is replaced from a backup',
  judge: ({ config }) =>
    withAuditStore(config.MCP_GATE_AUDIT_DB_PATH, (store) => {
      const answers = store.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
      return answers.length === 1 && answers[0]?.integrity_check === 'ok' ? pass : fail('the integrity check fails');
    }),
};

const refusals: Check<ProbeContext> = {
  id: 'audit.refusals',
  asks: 'every refused probe left its row, with its reason',
  category: 'audit',
  needs: ['audit.integrity', ...new Set(Object.keys(reasons).map(findCheckId))],
  remedy: 'see that the proxy passes X-Request-Id, and that this is the store of the endpoint that was probed',
  async judge(context) {
    const all = Object.keys(reasons) as ProbeName[];
    const names = all.filter((name) => context.sent.has(name) || !optional.includes(name));
    const rows = await findRows(context, names);
    return passUnless(
      names.flatMap((name) => {
        const row = rows.get(name);
        const isRight = reasons[name]?.includes(row?.reason ?? '') ?? true;
        return row?.outcome === 'failure' && isRight ? [] : [`${name}: ${row ? 'another reason' : 'no row'}`];
      }),
    );
  },
};

const success: Check<ProbeContext> = {
  id: 'audit.success',
  asks: 'the successful call left its row, with pseudonyms of subject and client',
  category: 'audit',
  needs: ['audit.integrity', 'scope.read'],
  remedy: 'see that this is the store of the endpoint that was probed',
  async judge(context) {
    const row = (await findRows(context, ['read'])).get('read');
    const isHash = (value: string | null | undefined) => /^[0-9a-f]{64}$/.test(value ?? '');
    return passUnless([
      ...(row ? [] : ['no row']),
      ...(row && row.outcome !== 'success' ? ['it says failure'] : []),
      ...(row && !(isHash(row.subject) && isHash(row.client)) ? ['a pseudonym is missing'] : []),
    ]);
  },
};

export const auditChecks = [integrity, refusals, success] as const;

function findCheckId(name: string): string {
  const ids: Readonly<Record<string, string>> = {
    'wrong-audience-legacy': 'token.wrong-audience',
    'forged-key-legacy': 'token.forged-key',
    'hs256-pem': 'token.alg-confusion',
    'hs256-der': 'token.alg-confusion',
    'hs256-jwk': 'token.alg-confusion',
    'same-keys-issuer': 'token.other-issuer',
    'read-required': 'scope.read-required',
    'write-denied': 'scope.write-denied',
    'write-denied-legacy': 'scope.write-denied',
    burst: 'limit.burst',
    mismatch: 'error.mismatch',
    unsupported: 'error.unsupported',
  };
  return ids[name] ?? `token.${name}`;
}

/** Resolves to rows by probe once all are present, or after the timeout. */
async function findRows(
  { config, sent }: ProbeContext,
  names: readonly ProbeName[],
): Promise<Map<ProbeName, AuditRow>> {
  const ids = names.map((name) => [name, sent.get(name) ?? ''] as const);
  const rows = await rowsById(
    config.MCP_GATE_AUDIT_DB_PATH,
    ids.map(([, id]) => id),
  );
  return new Map(
    ids.flatMap(([name, id]) => {
      const row = rows.get(id);
      return row ? [[name, row] as const] : [];
    }),
  );
}
