// Secrets of the settings, marked, then used and failed with: none of them in an answer, a line of the log, a file or a backup.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { startLookupServices } from '#simulators/lookup/lookup-services.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { startAiLab } from '../support/ai-lab.ts';
import { collectLog } from '../support/log-lines.ts';
import { sinkSettingsFor } from '../support/sink-lab.ts';
import { device, hour, startThreatLab } from '../support/threat-lab.ts';

const mark = 'MARKED0secret';

/** Files of the hub that hold the mark; there is a backup among those that were read. */
function holding(dataDir: string): string[] {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(dataDir, name))
    .filter((file) => statSync(file).isFile());
  expect(files.some((file) => file.includes('backups'))).toBe(true);
  return files.filter((file) => readFileSync(file, 'latin1').includes(mark));
}

function expectNoMark(dataDir: string, lines: readonly unknown[], said: readonly unknown[]): void {
  expect(holding(dataDir)).toEqual([]);
  expect(lines.length).toBeGreaterThan(3);
  expect(JSON.stringify(lines)).not.toContain(mark);
  expect(JSON.stringify(said)).not.toContain(mark);
}

test('keys of AI providers and the token of the chat workspace stand nowhere in clear text', async () => {
  const { log, lines } = collectLog('debug');
  await using lab = await startAiLab({ hub: { log } });
  const { ai, chat, backup } = lab.as.admin;
  const said: unknown[] = [];
  const tell = async (answer: Promise<unknown>) => {
    said.push(await answer.catch((error: Error) => [error.message, error]));
  };
  const keys = { cloud_a: `sk-ant-${mark}`, cloud_b: `sk-${mark}` };
  await tell(chat.saveConfig({ body: { enabled: true, token: `xoxb-${mark}`, userId: 'U0OWNER001' } }));
  for (const provider of ['cloud_a', 'cloud_b'] as const) {
    await lab.choose(provider, { keys });
    // The simulated provider takes another key: this one is refused.
    await tell(ai.test({ body: {} }));
  }
  // They were used, so that there is something to find.
  expect(JSON.stringify(lab.ai.requests().map(({ headers }) => headers))).toContain(mark);
  await tell(chat.test({ body: {} }));
  await tell(ai.config({}));
  await tell(chat.config({}));
  await tell(lab.as.admin.auth.auditEvents({ query: { limit: '500' } }));
  await tell(backup.create({ body: {} }));
  await lab.settled();
  expectNoMark(lab.dataDir, lines, said);
});

test('passwords of ClickHouse, keys of reputation services and feeds, and the token of look-ups stand nowhere either', async () => {
  const { log, lines } = collectLog('debug');
  await using opened = new AsyncDisposableStack();
  const settings = {
    writer: { user: 'gatehouse_writer', password: `write-${mark}` },
    reader: { user: 'gatehouse_reader', password: `read-${mark}` },
  };
  const server = opened.use(await startClickHouse({ settings }));
  const authority = await createAuthority();
  const services = opened.use(
    await startLookupServices({ certificate: await authority.issue(['127.0.0.1']), token: `geo-${mark}` }),
  );
  const hub = { log, sink: sinkSettingsFor(server), trustedCa: authority.cert };
  const lab = opened.use(await startThreatLab({ key: false, router: true, hub }));
  const { config, threat, status, backup, auth } = lab.as.admin;
  const said: unknown[] = [];
  const tell = async <T>(answer: Promise<T>) => {
    const told = await answer.catch((error: Error) => [error.message, error]);
    said.push(told);
    return told;
  };
  const keys = { rep_a: `a-${mark}`, rep_b: `b-${mark}`, rep_c: `c-${mark}` };
  await tell(threat.saveManualThreat({ body: { keys } }));
  await tell(threat.saveFeedsConfig({ body: { authKey: `abuse-${mark}` } }));
  await tell(config.saveLookups({ body: { geo: { enabled: true, url: services.geoUrl, token: `geo-${mark}` } } }));
  lab.routers.home.flow({ src: device, dst: '9.9.9.9', dport: 443 });
  await lab.poll();
  await lab.later(2 * hour);
  // All of them were used: two are right, the services take other keys than these.
  await expect.poll(async () => (await status.status({})).sink?.lastSentAt ?? 0).toBeGreaterThan(0);
  expect(server.rows.held().length).toBeGreaterThan(0);
  await expect.poll(async () => (await status.status({})).enrichment.geo.ok).toBeGreaterThan(0);
  const body = { ip: '9.9.9.9', providers: ['rep_a', 'rep_b', 'rep_c'] as const };
  expect(await tell(threat.lookUp({ body: { ...body, providers: [...body.providers] } }))).toMatchObject({
    results: { rep_a: { code: 'key_rejected' }, rep_b: { code: 'key_rejected' }, rep_c: { code: 'key_rejected' } },
  });
  server.fail('wrong-password');
  services.fail('too-many');
  lab.routers.home.flow({ src: device, dst: '1.1.1.1', dport: 443 });
  await lab.poll();
  await lab.later(2 * hour);
  await expect.poll(async () => (await status.status({})).sink?.lastError).toMatch(/password is refused/);
  await expect.poll(async () => (await status.status({})).enrichment.geo.fail).toBeGreaterThan(0);
  await tell(status.status({}));
  await tell(config.lookups({}));
  await tell(threat.feeds({}));
  await tell(threat.manualThreat({}));
  await tell(auth.auditEvents({ query: { limit: '500' } }));
  await tell(backup.create({ body: {} }));
  await lab.settled();
  expectNoMark(lab.dataDir, lines, said);
});
