// The audit store: what each exchange leaves, under which names, for how long, and what it refuses to be.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type AuditEntry, auditReasons, startAudit } from '#mcp/audit.ts';
import { createAuditRecorder } from '#mcp/http/audit-recorder.ts';
import { openExchange } from '#mcp/http/exchange.ts';
import { serveExchange } from '#mcp/http/serve-exchange.ts';
import { eventually, until } from '../support/eventually.ts';
import { openApplication } from '../support/issuer-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { auditKey, hubAsked, legacy, type McpLab, modern, post, startMcpLab } from '../support/mcp-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const call = (name: unknown, args = {}) => legacy('tools/call', { name, arguments: args });
const hmac = (text: string, key = auditKey) => createHmac('sha256', key).update(text).digest('hex');
const day = 86_400_000;

const entry: AuditEntry = {
  type: 'mcp_request',
  reason: null,
  subject: 'private-token',
  client: 'private-http',
  address: '127.0.0.1',
  tool: null,
  method: 'ping',
  status: 200,
  scopes: [],
  requestId: 'r-1',
  durationMs: 1,
};

const atLeast = (scene: McpLab, count: number) =>
  eventually(
    () => scene.rows(),
    (rows) => (rows.length >= count ? rows : undefined),
  );

describe('rows', () => {
  verifies('mcp.audit.tool-row mcp.audit.request-row', 'a tool call and a request leave one row each', async () => {
    await using scene = await startMcpLab();
    await scene.post(call('get_threat_summary'), { 'x-request-id': 'id-1' });
    await scene.post(legacy('tools/list'), { 'x-request-id': 'id-2' });
    const rows = await atLeast(scene, 2);
    const who = {
      subject_hash: hmac('subject:private-token'),
      client_id_hash: hmac('client:private-http'),
      client_ip_hash: hmac('address:127.0.0.1'),
      scopes: 'network.read notes.write',
      created_at: scene.lab.clock.now(),
    };
    expect(rows).toMatchObject([
      {
        ...{ event_type: 'mcp_tool_call', tool_name: 'get_threat_summary', outcome: 'success', reason: null },
        ...{ request_id: 'id-1', duration_ms: expect.any(Number), http_status: null },
        ...who,
      },
      {
        ...{ event_type: 'mcp_request', mcp_method: 'tools/list', http_status: 200, outcome: 'success', reason: null },
        ...{ request_id: 'id-2', tool_name: null },
        ...who,
      },
    ]);
  });

  verifies('mcp.audit.on-completion', 'a tool call has its row while its answer is still to be read', async () => {
    await using scene = await startMcpLab();
    scene.relay.hold();
    const answer = scene.post(call('get_threat_summary'));
    await hubAsked(scene);
    expect(await scene.rows()).toEqual([]);
    scene.relay.letGo();
    await answer;
    expect(await atLeast(scene, 1)).toMatchObject([{ event_type: 'mcp_tool_call', outcome: 'success' }]);
  });

  test('what failed inside a 200 is a failure, and nothing a caller wrote is a name', async () => {
    await using scene = await startMcpLab();
    const unknownMethod = modern('made/up');
    const seen: unknown[] = [];
    for (const [message, headers] of [
      [call('made_up_tool'), {}],
      [call(7), {}],
      [call('get_threat_summary', { period: '99y' }), {}],
      [legacy('made/up'), {}],
      [unknownMethod.message, unknownMethod.headers],
      [legacy('initialize', {}), {}],
    ] as const) {
      const before = (await scene.settledRows()).length;
      await scene.post(message, { ...headers });
      const rows = await atLeast(scene, before + 1);
      const { event_type, tool_name, mcp_method, outcome, reason } = rows.at(-1) ?? {};
      seen.push([event_type, tool_name, mcp_method, outcome, reason]);
      expect(rows).toHaveLength(before + 1);
    }
    expect(seen).toEqual([
      ['mcp_tool_call', 'other', 'tools/call', 'failure', 'bad_request'],
      ['mcp_tool_call', 'other', 'tools/call', 'failure', 'bad_request'],
      ['mcp_tool_call', 'get_threat_summary', 'tools/call', 'failure', 'tool_error'],
      ['mcp_request', null, 'other', 'failure', 'bad_request'],
      ['mcp_request', null, 'other', 'failure', 'not_found'],
      ['mcp_request', null, 'initialize', 'failure', 'bad_request'],
    ]);
    const all = JSON.stringify(await scene.settledRows());
    expect(all).not.toMatch(/made|99y/);
  });

  verifies('mcp.reason.server-error', 'what broke inside is a 500 that says nothing of it', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'audit.db');
    const log = createLog('mcp', 'silent');
    await using audit = await startAudit({ file, key: auditKey, clock: systemClock, log });
    const broken = () => {
      throw new Error('a bug that knows a secret');
    };
    const server = createServer((incoming, raw) => {
      const about = { requestId: 'r-1', address: '127.0.0.1', clock: systemClock, deadlineMs: 60_000 };
      void serveExchange(openExchange({ ...about, incoming }), raw, {
        steps: [{ name: 'broken', pass: broken }],
        dispatch: Object.assign(broken, { close: async () => undefined }),
        recorder: createAuditRecorder(audit, new Set()),
        log,
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await post(new URL(`http://127.0.0.1:${port}/mcp`), legacy('ping'));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 500,
      body: { error: 'server_error', message: expect.not.stringContaining('secret'), requestId: 'r-1' },
    });
    await until(async () => (await reasonsIn(file))[0] === 'server_error');
    server.closeAllConnections();
    server.close();
  });

  test('every reason has its place in the store', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'audit.db');
    await using audit = await startAudit({ file, key: auditKey, clock: systemClock, log: createLog('mcp', 'silent') });
    for (const reason of auditReasons) {
      audit.note({ ...entry, reason });
    }
    await until(async () => (await reasonsIn(file)).length === auditReasons.length);
    expect(await reasonsIn(file)).toEqual([...auditReasons]);
  });
});

describe('pseudonyms', () => {
  verifies(
    'mcp.audit.pseudonyms mcp.audit.address-hash mcp.env.hmac-key-use',
    'subject, client and address are keyed hashes, each of its own kind',
    async () => {
      await using scene = await startMcpLab({ oauth: {}, env: { MCP_TRUST_PROXY: '127.0.0.1' } });
      const { resource, issuer } = scene.settings.auth as { resource: string; issuer: string };
      const application = await openApplication(scene.issuer, { scope: 'network.read', resource });
      const { access_token: token } = await application.login();
      await scene.post(legacy('tools/list'), {
        ...{ 'x-admin-token': null, authorization: `Bearer ${token}`, 'x-forwarded-for': '198.51.100.77' },
      });
      const [row] = await atLeast(scene, 1);
      expect(row).toMatchObject({
        subject_hash: hmac(`subject:${issuer}|user-1`),
        client_id_hash: hmac('client:gatehouse-mcp'),
        client_ip_hash: hmac('address:198.51.100.77'),
        scopes: 'network.read',
      });
      expect(JSON.stringify(await scene.settledRows())).not.toMatch(/user-1|gatehouse-mcp|198\.51/);
    },
  );

  verifies(
    'mcp.auth.hmac-kept mcp.auth.hmac-namespace mcp.oauth.new-identity',
    'they outlive a new service identity, and change with the key',
    async () => {
      await using scene = await startMcpLab();
      const subjectAfter = async () => {
        const before = (await scene.settledRows()).length;
        await scene.post(call('get_threat_summary'));
        return (await atLeast(scene, before + 1)).at(-1)?.subject_hash;
      };
      const first = await subjectAfter();
      const renewed = await scene.lab.as.identity(['network.read', 'notes.write']);
      scene.settings.hub.token = renewed.token;
      await scene.restart();
      const { identities } = await scene.lab.as.admin.auth.identities({});
      const old = identities.find(({ id }) => id !== renewed.id);
      await scene.lab.as.admin.auth.revokeIdentity({ params: { id: old?.id ?? '' }, body: {} });
      expect(await subjectAfter()).toBe(first);
      scene.settings.auditKey = 'another-key-of-the-pseudonyms-32-characters';
      await scene.restart();
      expect(await subjectAfter()).toBe(hmac('subject:private-token', scene.settings.auditKey));
    },
  );
});

describe('the store', () => {
  verifies('mcp.audit.store-separate', 'is a file of its own, for its owner alone, and only grows', async () => {
    await using scene = await startMcpLab();
    await scene.post(legacy('ping'));
    await atLeast(scene, 1);
    expect(statSync(scene.auditFile).mode & 0o777).toBe(0o600);
    const hub = new Db(path.join(scene.lab.dataDir, 'monitor.db'));
    expect(hub.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'mcp_audit'").get()).toEqual({ n: 0 });
    await hub.close();
    const db = new Db(scene.auditFile);
    await expect(
      db.write((writer) => writer.prepare("UPDATE mcp_audit SET outcome = 'success', reason = NULL").run()),
    ).rejects.toThrow('audit rows are never changed');
    await db.close();
  });

  verifies('mcp.audit.store-writable', 'that cannot be written stops the start, and says which', async () => {
    using folder = temporaryFolder();
    const unusable = {
      'not-there/audit.db': 'ENOENT',
      folder: 'EISDIR',
      'text.db': 'SQLITE_NOTADB',
      'renamed.db': 'SQLITE_ERROR',
    };
    mkdirSync(path.join(folder.path, 'folder'));
    const text = 'this is no database, but it is long enough to be looked at as one'.repeat(100);
    writeFileSync(path.join(folder.path, 'text.db'), text);
    const log = createLog('mcp', 'silent');
    const renamed = path.join(folder.path, 'renamed.db');
    await (await startAudit({ file: renamed, key: auditKey, clock: systemClock, log }))[Symbol.asyncDispose]();
    const db = new Db(renamed);
    await db.write((writer) => void writer.prepare('ALTER TABLE mcp_audit RENAME TO elsewhere').run());
    await db.close();
    for (const [name, code] of Object.entries(unusable)) {
      const file = path.join(folder.path, name);
      await expect(startAudit({ file, key: auditKey, clock: systemClock, log }), file).rejects.toMatchObject({
        message: `the audit store ${file} cannot be written: make it writable, or name another MCP_AUDIT_DB_PATH`,
        cause: expect.objectContaining({ code }),
      });
    }
    // SQLite removes its log with the last connection: the store is closed.
    expect(readdirSync(folder.path).sort()).toEqual(['folder', 'renamed.db', 'text.db']);
  });

  verifies('mcp.audit.180-days', 'forgets what is older than 180 days, at the start and every day', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'audit.db');
    const clock = new ManualClock();
    const open = () => startAudit({ file, key: auditKey, clock, log: createLog('mcp', 'silent') });
    const count = async () => (await reasonsIn(file, "mcp_method = 'ping'")).length;
    {
      await using audit = await open();
      audit.note(entry);
      await until(async () => (await count()) === 1);
      clock.jump(clock.now() + 179 * day);
    }
    {
      await using audit = await open();
      audit.note(entry);
      await until(async () => (await count()) === 2);
      await clock.advance(day);
      await clock.advance(day);
      await until(async () => (await count()) === 1);
      clock.jump(clock.now() + 181 * day);
    }
    await using again = await open();
    expect(await count()).toBe(0);
    expect(again).toBeDefined();
  });

  test('a flood of strangers fills 600 rows a minute, and callers that are known always have theirs', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'audit.db');
    const clock = new ManualClock();
    await using audit = await startAudit({ file, key: auditKey, clock, log: createLog('mcp', 'silent') });
    for (let at = 0; at < 1000; at += 1) {
      audit.note({ ...entry, subject: null, client: null, reason: 'unauthorized' });
    }
    audit.note(entry);
    await until(async () => (await reasonsIn(file)).length === 601);
  });
});

/** Reasons of all rows but those of the start, oldest first. */
async function reasonsIn(file: string, where = 'true'): Promise<unknown[]> {
  const db = new Db(file);
  try {
    const rows = db
      .prepare(`SELECT reason FROM mcp_audit WHERE event_type <> 'mcp_audit_startup' AND ${where} ORDER BY seq`)
      .all() as { reason: string | null }[];
    return rows.map(({ reason }) => reason);
  } finally {
    await db.close();
  }
}
