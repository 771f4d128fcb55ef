// Names that somebody plants wherever a device, an Agent or a person can name something, past every check of the hub.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Db, type Writer } from '#kernel/sqlite/sqlite.ts';
import { answer, appendExchange, question, uuid } from './conversation-rows.ts';
import type { Lab } from './lab.ts';

/** Between the two there is what was planted: letters from right to left, controls, direction marks, no width. */
export const planted = { begin: 'PL4NT', end: 'D3TN' };
const hostile = '\u05d0\u05d1\u202Egnp.exe\u2066\u001B[31m\u009B\u0007\u200B\u2028(\u05d2';

/** Tells the places apart by the word. */
export function plant(word: string): string {
  return `${planted.begin}${word}${hostile}${planted.end}`;
}

/** Text columns of each table that a name from outside can be in. */
const columns: Readonly<Record<string, readonly string[]>> = {
  source: ['dns_name', 'vendor', 'mdns_name'],
  destination: ['host', 'org', 'city'],
  device: ['dns_name', 'mdns_name', 'netbios_name'],
  interface: ['vendor', 'dhcp_name'],
  detection: ['src_vendor', 'src_mdns_name', 'src_dns_name', 'dst_host', 'org', 'city', 'threat_tag'],
  threat: ['tag'],
  coverage_subject: ['name'],
  agent: ['host_name', 'os_version', 'agent_version'],
  alert: ['note'],
  alert_event: ['note'],
  alert_rule: ['target', 'reason'],
  agent_request: ['host_name', 'os_version', 'agent_version'],
  agent_observation: ['process'],
  api_identity: ['label'],
};

/** Names everything in the database, in the notes and in the settings of a hub, which is stopped meanwhile. */
export async function plantNames(lab: Pick<Lab<never>, 'stop' | 'restart' | 'dataDir'>): Promise<void> {
  await lab.stop();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const deviceIds = db.prepare('SELECT device_id FROM device').pluck().all() as string[];
  await db.write(renameAll);
  const asked = question(1, { message: plant('question') });
  await appendExchange(db, asked, answer(1, { text: plant('answer') }));
  await db.close();
  writeJson(path.join(lab.dataDir, '.monitor.notes.json'), () =>
    Object.fromEntries(deviceIds.map((id, index) => [id, index === 0 ? 'w'.repeat(500) : plant('note')])),
  );
  writeJson(path.join(lab.dataDir, 'monitor.json'), (document) => ({
    ...document,
    ai: { provider: 'local', models: { local: 'qwen3:8b' } },
    routers: (document.routers as object[]).map((router) => ({
      ...router,
      ...{ displayName: plant('router'), hostName: plant('routerHost') },
    })),
  }));
  await lab.restart();
}

function renameAll(writer: Writer): void {
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) {
      writer.prepare(`UPDATE ${table} SET ${name} = @name`).run({ name: plant(`${table}.${name}`) });
    }
  }
  writer
    .prepare(
      `INSERT INTO ai_event (event_id, trigger_type, trigger_key, cause, created_at, range_from, range_to, status, provider,
         model, body)
       VALUES (@id, 'manual', @id, 'manual', 1, 0, 1, 'complete', 'local', @model, @body)`,
    )
    .run({ id: uuid(1), model: plant('model'), body: plant('event') });
  writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
}

function writeJson(file: string, change: (document: { routers?: unknown }) => object): void {
  let before = {};
  try {
    before = JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
  writeFileSync(file, JSON.stringify(change(before)), { mode: 0o600 });
}
