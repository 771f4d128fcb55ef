// /metrics of a whole hub, read by a parser of other people, beside what the API says; its dashboard, rules and document.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import parse from 'parse-prometheus-text-format';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { startChat } from '#simulators/chat/workspace.ts';
import { root } from '../../scripts/sources.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { findSelectors } from '../support/promql.ts';
import { startThreatLab, type ThreatLab } from '../support/threat-lab.ts';
import { verifies } from '../support/verifies.ts';

const name = 'Attic "A" \\ C';
const opened = new AsyncDisposableStack();
let lab: ThreatLab;
let text = '';

const scrape = async (hub: Lab<never>, accept = '*/*') =>
  await hub.as.raw({ method: 'GET', path: '/metrics', headers: { accept } });

/** Finds the one value of a series with these labels among others; undefined when there is none. */
function valueIn(series: string, labels: Record<string, string> = {}): number | undefined {
  const samples = parse(text).find((family) => family.name === series)?.metrics ?? [];
  const found = samples.filter((sample) => Object.entries(labels).every(([key, is]) => sample.labels?.[key] === is));
  expect(found.length, `${series} ${JSON.stringify(labels)}`).toBeLessThanOrEqual(1);
  return found[0] && Number(found[0].value);
}

// One complete read, one that failed, a backup, and an alert that the workspace does not take.
beforeAll(async () => {
  const chat = opened.use(await startChat());
  lab = opened.use(await startThreatLab({ router: true, hub: { chatApiUrl: chat.url } }));
  const { id } = lab.routers.home;
  await lab.as.admin.routers.update({ params: { id }, body: { displayName: name } });
  await lab.settled();
  await lab.poll();
  const { token, userId } = chat.credentials;
  await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  chat.fail('server-error');
  lab.routers.home.flow({
    src: '192.168.100.77',
    dst: '203.0.113.9',
    dport: 443,
    proto: 'tcp',
    lastsMs: 90_000,
    ends: 'silent',
  });
  await lab.poll();
  lab.routers.home.fail('kicked', { afterBytes: 100 });
  await lab.poll();
  await lab.as.admin.backup.create({ body: {} });
  text = (await scrape(lab)).text;
});
afterAll(() => opened.disposeAsync());

verifies('rest.metrics.parsed rest.metrics.told', 'the values are those of the API, without an address', async () => {
  const families = parse(text);
  expect(families.length).toBeGreaterThan(25);
  for (const { name: series, help, metrics } of families) {
    expect(help, series).toMatch(/\.$/);
    expect(metrics.map(({ value }) => Number(value)).filter(Number.isNaN), series).toEqual([]);
  }
  const api = lab.as.admin;
  const { routers } = await api.routers.list({});
  const [router] = routers;
  const labels = { router: lab.routers.home.id, name };
  expect(valueIn('gatehouse_router_state', { ...labels, state: router?.state ?? '' })).toBe(1);
  expect(valueIn('gatehouse_router_rows', { ...labels, kind: 'read' })).toBe(router?.sessionCount);
  expect(valueIn('gatehouse_router_last_success_timestamp_seconds', labels)).toBe((router?.lastSuccessAt ?? 0) / 1000);
  const polls = ['complete', 'partial', 'failed'].map((outcome) =>
    valueIn('gatehouse_router_polls_total', { ...labels, outcome }),
  );
  expect(polls).toEqual([expect.any(Number), 0, 1]);
  expect(polls[0]).toBeGreaterThanOrEqual(3);
  const now = lab.clock.now();
  const { subjects } = await api.coverage.coverage({
    query: { from: String(now - 86_400_000), to: String(now), buckets: '1' },
  });
  expect(valueIn('gatehouse_router_coverage_ratio', labels)).toBe(
    subjects.find(({ kind }) => kind === 'router')?.share,
  );
  for (const { id, entries, checkedAt, state } of (await api.threat.feeds({})).feeds) {
    expect(valueIn('gatehouse_feed_entries', { feed: id })).toBe(entries);
    expect(valueIn('gatehouse_feed_state', { feed: id, state })).toBe(1);
    expect(valueIn('gatehouse_feed_checked_timestamp_seconds', { feed: id })).toBe((checkedAt ?? 0) / 1000);
  }
  const alerts = await api.alerts.list({});
  for (const [state, count] of Object.entries(alerts.counts)) {
    expect(valueIn('gatehouse_alerts', { state })).toBe(count);
  }
  expect(valueIn('gatehouse_alerts_urgent')).toBe(alerts.urgent);
  expect(valueIn('gatehouse_outbox_waiting', { outbox: 'chat' })).toBe(1);
  expect((await api.chat.config({})).delivery.waiting).toBe(1);
  expect(valueIn('gatehouse_outbox_oldest_timestamp_seconds', { outbox: 'chat' })).toBe(
    alerts.alerts[0] && alerts.alerts[0].firstAt / 1000,
  );
  const { backups } = await api.backup.list({});
  expect(valueIn('gatehouse_backups')).toBe(1);
  expect(valueIn('gatehouse_backup_newest_timestamp_seconds')).toBe(Date.parse(backups[0]?.created ?? '') / 1000);
  expect(valueIn('gatehouse_backup_newest_size_bytes')).toBe(backups[0]?.size);
  expect(valueIn('gatehouse_disk_size_bytes')).toBe((await api.status.status({})).storage.totalBytes);
  const { total, connections } = await api.connections.list({ query: { limit: '1000' } });
  expect(valueIn('gatehouse_log_connections')).toBe(total);
  expect(valueIn('gatehouse_ready')).toBe(1);
  expect(valueIn('gatehouse_scrape_parts_failed')).toBe(0);
  const addresses = connections.flatMap(({ src, dst }) => [src, dst]).concat(routers.map(({ ip }) => ip));
  expect(addresses.filter((address) => text.includes(address))).toEqual([]);
});

verifies('rest.metrics.formats rest.metrics.protected', 'OpenMetrics for who accepts it, to who may read', async () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
  const { token } = await lab.as.identity(['network.read']);
  const headers = (accept: string) => ({ accept, 'x-admin-token': token });
  const open = await raw(lab.url, { method: 'GET', path: '/metrics', headers: headers(prometheus) });
  expect(open.headers).toMatchObject({
    'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    vary: expect.stringContaining('Accept'),
  });
  expect(open.text).toMatch(/\n# EOF\n$/);
  const plain = await raw(lab.url, {
    method: 'GET',
    path: '/metrics',
    headers: headers('application/openmetrics-text;q=0, */*'),
  });
  expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const seriesOf = (answer: string) => answer.match(/^gatehouse_[a-z_]+(?:\{.*\})?(?= )/gm)?.sort();
  expect(seriesOf(open.text)).toEqual(seriesOf(plain.text));
  const { token: other } = await lab.as.identity(['notes.write', 'auth.admin']);
  const refused = [{ 'x-admin-token': other }, { 'x-admin-token': 'none' }, {}].map((credential) =>
    raw(lab.url, { method: 'GET', path: '/metrics', headers: credential as Record<string, string> }),
  );
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 401, 401]);
});

verifies('rest.metrics.partial', 'what cannot be read is missing and counted; the rest is there', async () => {
  await using broken = await startLab({ routers: { a: 'vendor_a' } });
  const db = new Database(path.join(broken.dataDir, 'monitor.db'));
  db.exec('ALTER TABLE alert RENAME TO alert_gone');
  db.close();
  const answer = await scrape(broken);
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/^gatehouse_scrape_parts_failed 1$/m);
  expect(answer.text).not.toMatch(/^gatehouse_alerts/m);
  expect(answer.text).toMatch(/^gatehouse_router_state\{/m);
});

const readFile = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Labels that Prometheus adds to each series. */
const added = ['instance', 'job'];

/** What an expression asks for that /metrics does not have. */
function missingSeries(expression: string): string[] {
  return findSelectors(expression).flatMap(({ series, matchers }) => {
    const samples = parse(text).find((family) => family.name === series)?.metrics;
    if (series === 'up' || samples === undefined) {
      return series === 'up' ? [] : [series];
    }
    return matchers
      .filter(({ label, op, value }) => {
        const values = samples.map(({ labels }) => labels?.[label]);
        const isKnown =
          op === '!=' || values.some((one) => one !== undefined && new RegExp(`^(?:${value})$`).test(one));
        return !added.includes(label) && !isKnown;
      })
      .map(({ label, value }) => `${series} with ${label} ${value}`);
  });
}

interface Panel {
  type: string;
  title: string;
  targets: { expr: string; legendFormat: string; refId: string }[];
  gridPos: { x: number; w: number };
}

verifies('rest.metrics.dashboard', 'each panel has what Grafana needs, and queries series that exist', () => {
  const dashboard = JSON.parse(readFile('packaging/monitoring/gatehouse-dashboard.json')) as {
    schemaVersion: number;
    panels: Panel[];
  };
  expect(dashboard).toMatchObject({ title: 'Gatehouse', uid: 'gatehouse', time: { from: 'now-24h', to: 'now' } });
  expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
  expect(dashboard.panels.length).toBeGreaterThan(10);
  for (const { type, title, targets, gridPos } of dashboard.panels) {
    expect(['stat', 'timeseries', 'state-timeline'], title).toContain(type);
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    expect(targets.length, title).toBeGreaterThan(0);
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    expect(
      targets.flatMap(({ expr }) => missingSeries(expr)),
      title,
    ).toEqual([]);
  }
  const selected = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => findSelectors(expr)));
  expect(selected.filter(({ matchers }) => !matchers.some(({ label }) => label === 'instance'))).toEqual([]);
});

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

verifies('rest.metrics.alert-rules', 'each rule is whole and asks for series that exist', () => {
  const { groups } = parseYaml(readFile('packaging/monitoring/gatehouse-alerts.yaml')) as {
    groups: { rules: Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ alert }) => alert)).toEqual(
    [
      'NotScraped',
      'NotReady',
      'RouterNotReady',
      'NoCompleteRead',
      'FeedOld',
      'BackupOld',
      'OutboxStuck',
      'DiskLow',
    ].map((rule) => `Gatehouse${rule}`),
  );
  for (const { alert, expr, labels, annotations, ...rule } of rules) {
    expect(
      missingSeries(expr).filter((one) => one !== 'gatehouse_outbox_oldest_timestamp_seconds with outbox clickhouse'),
      alert,
    ).toEqual([]);
    expect(rule.for, alert).toMatch(/^\d+[mh]$/);
    expect(labels.severity, alert).toMatch(/^(?:warning|critical)$/);
    expect(annotations.summary, alert).toMatch(/\.$/);
    expect(annotations.description, alert).toMatch(/\.$/);
  }
});

verifies('rest.metrics.documented', 'the table of docs/metrics.md is the answer of a hub', () => {
  const rows = parse(text).map(({ name: series, type, help, metrics }) => {
    const labels = [...new Set(metrics.flatMap((sample) => Object.keys(sample.labels ?? {})))];
    return `| \`${series}\` | ${type.toLowerCase()} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  const documented = readFile('docs/metrics.md').match(/^\| `(?:gatehouse|process)_.*$/gm);
  expect(documented?.sort()).toEqual(rows.sort());
});
