// The burst with tokens, against an endpoint that answers as the test says and writes the audit of the product.
import path from 'node:path';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GateError } from '#gate/private-file.ts';
import { burstWithTokens } from '#gate/probes/token-burst.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type AuditReason, type McpAudit, startAudit } from '#mcp/audit.ts';
import { type ProbeLab, startProbeLab } from '../support/probe-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const opened = new AsyncDisposableStack();
let lab: ProbeLab;
let audit: McpAudit;
let settings: Record<string, string>;
beforeAll(async () => {
  lab = opened.use(await startProbeLab());
  const file = path.join(opened.use(temporaryFolder()).path, 'audit.db');
  const log = createLog('mcp', 'silent');
  audit = opened.use(await startAudit({ file, key: 'k'.repeat(32), clock: systemClock, log }));
  const token = (sub: string) => new UnsecuredJWT({ iss: 'https://issuer.test', sub, client_id: 'one' }).encode();
  settings = { MCP_GATE_AUDIT_DB_PATH: file, MCP_GATE_READ_TOKEN: token('a'), MCP_GATE_WRITE_TOKEN: token('b') };
});
afterAll(() => opened.disposeAsync());

/** What the endpoint says to a request; null: it serves it. `call`: which of the tool calls it is, from 1; 0 for others. */
type Endpoint = (at: number, call: number) => AuditReason | number | null;

const run = async (endpoint: Endpoint, more: Readonly<Record<string, string>> = {}) => {
  let calls = 0;
  lab.answers((at, { headers }) => {
    calls += headers['mcp-method'] === 'tools/call' ? 1 : 0;
    const said = endpoint(at, headers['mcp-method'] === 'tools/call' ? calls : 0);
    if (typeof said !== 'string') {
      return { status: said ?? 200 };
    }
    const requestId = String(headers['x-request-id']);
    const nobody = { subject: 'a', client: 'one', address: '127.0.0.1', tool: null, method: null, scopes: [] };
    audit.note({ type: 'mcp_rate_limited', reason: said, ...nobody, status: 429, requestId, durationMs: 1 });
    return { status: 429, headers: { 'retry-after': '1' } };
  });
  const shown = await burstWithTokens(lab.context({ ...settings, ...more }));
  return { ...shown, reasons: [...shown.reasons], calls };
};
const metIn = (burst: number) => (_at: number, call: number) =>
  call > 12 * (burst - 1) + 4 ? 'concurrency_limit' : null;

describe('tool calls at once', () => {
  test('that meet the limit are made once', async () => {
    expect(await run(metIn(1))).toMatchObject({ calls: 12, reasons: ['concurrency_limit'], problem: null, sent: 70 });
  });

  test('are made again where an endpoint answered each before the next one came', async () => {
    expect(await run(metIn(2))).toMatchObject({ calls: 24, reasons: ['concurrency_limit'], problem: null, sent: 70 });
  });

  test('are made twice at most', async () => {
    expect(await run(metIn(3))).toMatchObject({ calls: 24, reasons: [], problem: null, sent: 70 });
  });

  test.each([
    ['24', 12],
    ['25', 24],
  ])('are not made again beyond MCP_GATE_RATE_PROBE_REQUESTS: %s', async (most, calls) => {
    const shown = await run(metIn(3), { MCP_GATE_RATE_PROBE_REQUESTS: most });
    expect(shown).toMatchObject({ calls, sent: Number(most) });
  });

  test('are not made again once an answer is neither served nor turned away', async () => {
    const shown = await run((_at, call) => (call === 3 ? 502 : null));
    expect(shown).toMatchObject({ calls: 12, sent: 13, problem: 'a token is answered with 502' });
  });
});

test('each token is used until it is turned away, and nothing more is asked once each rate was named', async () => {
  // Before these come a first request, connections for the calls, and the calls.
  const named: Readonly<Record<number, AuditReason>> = {
    7: 'subject_rate_limit',
    9: 'client_rate_limit',
    10: 'global_rate_limit',
  };
  const { MCP_GATE_READ_TOKEN: one = '', MCP_GATE_WRITE_TOKEN: other = '' } = settings;
  const shown = await run((at, call) => (call > 4 ? 'concurrency_limit' : (named[at - 25] ?? null)), {
    MCP_GATE_LIMIT_TOKENS: `${one} ${other}`,
  });
  expect(shown.reasons).toEqual(['concurrency_limit', ...Object.values(named)]);
  expect(shown).toMatchObject({ subjects: 2, clients: 1, sent: 23, problem: null });
  const used = lab.asked.slice(25).map(({ headers }) => headers.authorization?.slice('Bearer '.length));
  expect(used).toEqual([...Array<string>(7).fill(one), other, other, one]);
});

test.each([
  ['MCP_GATE_READ_TOKEN', 'MCP_GATE_READ_TOKEN', (_jwt: string) => 'opaque'],
  ['MCP_GATE_WRITE_TOKEN', 'MCP_GATE_WRITE_TOKEN', (_jwt: string) => 'a.b.c'],
  ['MCP_GATE_LIMIT_TOKENS', 'token 2 of MCP_GATE_LIMIT_TOKENS', (jwt: string) => `${jwt} opaque`],
])('a token of %s that is no JWT is named before anything is sent', async (variable, says, tokens) => {
  const failure = run(() => null, { [variable]: tokens(settings.MCP_GATE_WRITE_TOKEN ?? '') });
  await expect(failure).rejects.toThrow(
    new GateError(`${says} is no JWT: take a token that the issuer made for this resource, as docs/gate.md says`),
  );
  expect(lab.asked).toEqual([]);
});
