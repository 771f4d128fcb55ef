// The profile resource-server against servers that speak one era or both, with tools of their own, right and wrong ones.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Finding, runChecks } from '#gate/check.ts';
import { checkDescriptions, probes } from '#gate/checks.ts';
import { toRows } from '#gate/formats/rows.ts';
import { resourceServerJudges } from '#gate/probes/resource-server.ts';
import type { Report } from '#gate/report.ts';
import { notApplicableReasons, resourceServerTexts, toProfileChecks } from '#gate/resource-server.ts';
import { type Answered, type ProbeLab, startProbeLab } from '../support/probe-lab.ts';
import { passingReport } from './passing-report.ts';

let lab: ProbeLab;
beforeAll(async () => {
  lab = await startProbeLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

const checks = toProfileChecks(probes, 'resource-server', resourceServerJudges);
const reader = { name: 'list_books', annotations: { readOnlyHint: true }, inputSchema: {} };
const needy = { ...reader, name: 'find_books', inputSchema: { required: ['title'] } };
const writer = { name: 'order_books', inputSchema: {} };

interface Server {
  /** Protocol version that `initialize` is answered with, or the status of its refusal. */
  legacy: string | number;
  /** Versions that `server/discover` lists, or the status of its refusal. */
  modern: string[] | number;
  session?: string;
  tools?: readonly unknown[];
  modernTools?: readonly unknown[];
  /** The answer to a tool call. */
  called?: unknown;
}

const both: Server = { legacy: '2025-11-25', modern: ['2026-07-28'] };
const text = { content: [{ type: 'text', text: 'three books' }] };

/** What it answers; requests are known by the names that the gate gives them. */
function answerAs({
  legacy,
  modern,
  session,
  tools = [writer, needy, reader],
  modernTools = tools,
  called = text,
}: Server) {
  const result = (value: unknown, headers: Record<string, string> = {}): Answered => ({
    status: 200,
    headers,
    body: { jsonrpc: '2.0', id: 1, result: value },
  });
  lab.answers((_at, { headers }) => {
    const isModern = headers['mcp-protocol-version'] === '2026-07-28';
    const [, name = ''] = /^gate-([a-z-]+?)-[0-9a-f]{8}-/.exec(String(headers['x-request-id'])) ?? [];
    if (name === 'initialize') {
      return typeof legacy === 'number'
        ? { status: legacy }
        : result({ protocolVersion: legacy }, session === undefined ? {} : { 'mcp-session-id': session });
    }
    if (name === 'discover') {
      return typeof modern === 'number' ? { status: modern } : result({ supportedVersions: modern });
    }
    if (!isModern && session !== undefined && headers['mcp-session-id'] !== session) {
      return { status: 400 };
    }
    return name === 'tools' ? result({ tools: isModern ? modernTools : tools }) : result(called);
  });
}

async function judge(server: Server, ...ids: string[]): Promise<Record<string, string>> {
  answerAs(server);
  const some = checks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, needs: [] }));
  const found = await runChecks(some, lab.context());
  return Object.fromEntries(found.map(({ id, outcome, because }: Finding) => [id, because ?? outcome]));
}

const noEra = 'not applicable: the endpoint does not speak this era';
const noTool = 'not applicable: no tool says that it only reads (readOnlyHint) and needs no argument';

test.each<[what: string, server: Server, found: Record<string, unknown>]>([
  ['both eras', both, { 'era.legacy': 'pass', 'era.modern': 'pass', 'era.sameTools': 'pass', 'scope.read': 'pass' }],
  [
    'a session',
    { ...both, modern: 400, session: 's-1' },
    { 'era.legacy': 'pass', 'era.modern': noEra, 'scope.read': 'pass' },
  ],
  [
    'the newer era alone',
    { ...both, legacy: 400 },
    { 'era.legacy': noEra, 'era.modern': 'pass', 'scope.read': 'pass' },
  ],
  [
    'neither era',
    { legacy: 400, modern: 404 },
    {
      'era.legacy': 'it answers 400; this era is not among its protocol versions',
      'era.modern': 'it answers 404; this era is not among its protocol versions',
    },
  ],
  ['an older version alone', { legacy: '2024-11-05', modern: 400 }, { 'era.legacy': /^this era is not among/ }],
  ['an era that fails', { ...both, modern: 500 }, { 'era.legacy': 'pass', 'era.modern': /^it answers 500/ }],
  ['an era that refuses the token', { ...both, modern: 401 }, { 'era.modern': /^it answers 401/ }],
  ['a discovery without the version', { ...both, modern: ['2099-01-01'] }, { 'era.modern': /^this era is not among/ }],
  [
    'no tool that only reads',
    { ...both, tools: [writer, needy] },
    { 'era.sameTools': 'pass', 'scope.read': noTool, 'error.mismatch': noTool, 'error.unsupported': noTool },
  ],
  ['other tools in one era', { ...both, modernTools: [reader] }, { 'era.sameTools': 'the eras list different tools' }],
  ['a tool twice', { ...both, modern: 400, tools: [reader, reader] }, { 'era.sameTools': /a tool is listed twice/ }],
  [
    'headers that nobody compares',
    both,
    { 'error.mismatch': /Mcp-Method: it answers 200/, 'error.unsupported': /it answers 200; the code is not -32022/ },
  ],
  [
    'the older era alone',
    { ...both, modern: 405 },
    { 'error.mismatch': /^not applicable: the headers are those of era 2026-07-28/ },
  ],
  [
    'a tool that fails',
    { ...both, called: { isError: true, content: [] } },
    { 'scope.read': 'era 2025-11-25: the tool failed; era 2026-07-28: the tool failed' },
  ],
])('%s', async (_what, server, found) => {
  const expected = Object.entries(found).map(([id, says]) => [
    id,
    says instanceof RegExp ? expect.stringMatching(says) : says,
  ]);
  expect(await judge(server, ...Object.keys(found))).toEqual(Object.fromEntries(expected));
});

/** Runs some checks on a server that opens a session, answers DELETE so, and refuses requests without a token. */
async function judgeSession(onDelete: Answered | 'close'): Promise<number> {
  answerAs({ ...both, modern: 400, session: 's-1' });
  lab.answersAtOnce(({ method, headers }) => {
    if (method === 'DELETE') {
      return onDelete;
    }
    return headers.authorization ? undefined : { status: 429, headers: { 'retry-after': '9' } };
  });
  const some = checks.filter(({ id }) => ['era.legacy', 'scope.read', 'limit.burst'].includes(id));
  const context = lab.context();
  const found = await runChecks(
    some.map((check) => ({ ...check, needs: [] })),
    context,
  );
  expect(found.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
  return await context.endSessions();
}

test.each([200, 405, 429])('ends its session before the burst, once; a server may answer %i', async (status) => {
  expect(await judgeSession({ status })).toBe(0);
  const told = lab.asked.map(({ method, headers }) => `${method} ${headers['mcp-session-id'] ?? '-'}`);
  // initialize, server/discover, notifications/initialized, tools/list, tools/call; then the burst, which is refused at once.
  expect(told).toEqual(['POST -', 'POST -', 'POST s-1', 'POST s-1', 'POST s-1', 'DELETE s-1', 'POST -']);
  const { headers } = lab.asked.find(({ method }) => method === 'DELETE') ?? { headers: {} };
  expect(headers).toMatchObject({ authorization: 'Bearer read-token', 'mcp-protocol-version': '2025-11-25' });
});

test('a run without a burst ends its session before it closes its connections', async () => {
  const own = await startProbeLab();
  const result = { protocolVersion: '2025-11-25' };
  own.answers(() => ({ status: 200, headers: { 'mcp-session-id': 's-1' }, body: { jsonrpc: '2.0', id: 1, result } }));
  await own.context().server();
  own.answersAtOnce(({ method }) => (method === 'DELETE' ? 'close' : undefined));
  await own[Symbol.asyncDispose]();
  expect(own.left).toEqual([1]);
  expect(own.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  expect(own.asked.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's-1' } });
});

test('a server that closes the connection instead of ending the session spoils no check; its session is left', async () => {
  expect(await judgeSession('close')).toBe(1);
});

test('a reason is about a check that there is, and a check with a reason is not run', async () => {
  const ids = checkDescriptions.map(({ id }) => id);
  expect(
    Object.keys(notApplicableReasons).filter((key) => !ids.some((id) => id === key || id.startsWith(`${key}.`))),
  ).toEqual([]);
  expect(Object.keys(resourceServerJudges).filter((id) => !ids.includes(id))).toEqual([]);
  answerAs(both);
  const excluded = checks.filter(({ id }) => /^(?:hub|audit|release)\./.test(id));
  const found = await runChecks(excluded, lab.context());
  expect(
    found.every(({ outcome, because }) => outcome === 'not-required' && because?.startsWith('not applicable: ')),
  ).toBe(true);
  expect(lab.asked).toEqual([]);
});

test('the profile publication has the checks as they are', () => {
  expect(toProfileChecks(probes, 'publication', resourceServerJudges)).toBe(probes);
});

test('what a report says of a check that applies is about no part of Gatehouse', () => {
  const report = JSON.parse(passingReport()) as Report;
  const applying = toRows({ ...report, profile: 'resource-server' }).filter(
    ({ id }) => !Object.keys(notApplicableReasons).some((key) => id === key || id.startsWith(`${key}.`)),
  );
  const isOfGatehouse = /\/mcp|set_device_note|11 tools|both scopes|MCP_(?!GATE_)|\baudit\b|\bhub\b|which is what one/;
  expect(
    applying.flatMap(({ id, asks, remedy }) =>
      isOfGatehouse.test(`${asks} ${remedy}`) ? [`${id}: ${asks}; ${remedy}`] : [],
    ),
  ).toEqual([]);
  expect(Object.keys(resourceServerTexts).filter((id) => !applying.some((row) => row.id === id))).toEqual([]);
});
