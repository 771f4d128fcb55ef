// The audit store while another program holds it: answers do not wait for it, nothing is served unaudited for long, and
// every row is there afterwards.
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createLog } from '#kernel/process/log.ts';
import { startAudit } from '#mcp/audit.ts';
import { eventually, until } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { auditKey, legacy, type McpLab, startMcpLab } from '../support/mcp-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const call = legacy('tools/call', { name: 'get_threat_summary', arguments: {} });

type Said = [about: Record<string, unknown>, text: string];

/** A log that keeps what is said in it. */
function listeningLog() {
  const said: Said[] = [];
  const note = (about: Record<string, unknown>, text: string) => void said.push([about, text]);
  const log = Object.assign(Object.create(createLog('mcp', 'silent')) as ReturnType<typeof createLog>, {
    error: note,
    warn: note,
  });
  const heard = (text: RegExp) =>
    eventually(
      async () => said.find(([, one]) => text.test(one)),
      (found) => found,
    );
  return { log, said, heard };
}

/** Takes the write lock of `file`; returns how to give it back. */
function hold(file: string): () => void {
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

const idsIn = async (scene: McpLab) => (await scene.settledRows()).map(({ request_id: id }) => id);
const ask = (scene: McpLab, id: string) => scene.post(call, { 'x-request-id': id });

describe('a store that another program holds', () => {
  test('requests are answered at once, refused after a bound, and served again; no row is lost', async () => {
    const { log, heard } = listeningLog();
    await using scene = await startMcpLab({ log });
    const letGo = hold(scene.auditFile);
    const ids = Array.from({ length: 8 }, (_, at) => `held-${at}`);
    for (const id of ids) {
      expect((await ask(scene, id)).status, id).toBe(200);
    }
    await heard(/cannot be written: they wait/);
    expect((await ask(scene, 'late')).status).toBe(200);
    await scene.lab.clock.advance(limits.mcpAuditDelayMs + 1);
    const refused = await ask(scene, 'refused');
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { error: 'audit_unavailable', requestId: 'refused' },
    });
    expect((await scene.post(call, { 'x-admin-token': null })).status).toBe(503);
    letGo();
    await scene.lab.clock.advance(limits.auditRetryMs);
    const [about] = await heard(/that waited are written/);
    expect(about).toMatchObject({ lost: 0 });
    expect((await ask(scene, 'after')).status).toBe(200);
    expect(await idsIn(scene)).toEqual(expect.arrayContaining([...ids, 'late', 'refused', 'after']));
    const row = (await scene.rows()).find(({ request_id: id }) => id === 'refused');
    expect(row).toMatchObject({ reason: 'server_error', http_status: 503, tool_name: null });
  });

  test('a stop writes what waits', async () => {
    const { log, heard } = listeningLog();
    await using scene = await startMcpLab({ log });
    const letGo = hold(scene.auditFile);
    await ask(scene, 'waiting');
    await heard(/cannot be written: they wait/);
    letGo();
    await scene.mcp[Symbol.asyncDispose]();
    expect((await scene.rows()).map(({ request_id: id }) => id)).toEqual(['waiting']);
  });

  test('a store that is broken refuses too, and says how many rows are lost', async () => {
    const { log, said } = listeningLog();
    await using scene = await startMcpLab({ log });
    const other = new Database(scene.auditFile);
    other.exec('ALTER TABLE mcp_audit RENAME TO elsewhere');
    expect((await ask(scene, 'lost')).status).toBe(200);
    await scene.mcp.settled();
    await scene.lab.clock.advance(limits.mcpAuditDelayMs + 1);
    expect((await ask(scene, 'refused')).status).toBe(503);
    other.exec('ALTER TABLE elsewhere RENAME TO mcp_audit');
    other.close();
    await scene.lab.clock.advance(limits.auditRetryMs);
    await until(async () => (await ask(scene, 'after')).status === 200);
    const err = expect.objectContaining({ code: 'SQLITE_ERROR' });
    expect(said).toContainEqual([{ err, lost: 1 }, 'audit rows are lost: they cannot be written']);
  });
});

test('no more rows wait than there is room for, and the rest is counted', async () => {
  await using folder = temporaryFolder();
  const { log, said, heard } = listeningLog();
  const file = `${folder.path}/audit.db`;
  const clock = new ManualClock();
  const audit = await startAudit({ file, key: auditKey, clock, log });
  const letGo = hold(file);
  const row = { type: 'mcp_request', reason: null, tool: null, method: 'ping', status: 200, scopes: [] } as const;
  const who = { subject: 'one', client: 'two', address: '192.0.2.1', requestId: 'r', durationMs: 1 };
  for (let at = 0; at < limits.auditWaiting + 100; at += 1) {
    audit.note({ ...row, ...who });
  }
  expect(audit.isWritten()).toBe(false);
  await heard(/are lost/);
  letGo();
  await audit[Symbol.asyncDispose]();
  const store = new Database(file, { readonly: true });
  expect(store.prepare("SELECT count(*) AS n FROM mcp_audit WHERE mcp_method = 'ping'").get()).toEqual({
    n: limits.auditWaiting,
  });
  store.close();
  expect(said.map(([about]) => about.lost)).toEqual(expect.arrayContaining([100]));
});
