// What the recorder is told of what is new, what it reports, and verdicts that are made anew later.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Threat } from '#contract/model.ts';
import type { FactProvider, Judged, RecordReport } from '#hub/record/connections/store/facts.ts';
import { rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from '../support/connection-log.ts';

let log: ConnectionLog;
beforeEach(() => {
  log = openConnectionLog();
});
afterEach(() => log[Symbol.asyncDispose]());

const listed: Threat = {
  level: 'danger',
  confidence: 'high',
  source: 'feed_c2',
  tag: 'botnet',
  matchType: 'ip',
  matchValue: '203.0.113.80',
  port: 8443,
  url: null,
};
const elsewhere: Threat = { ...listed, level: 'warn', confidence: 'low', port: null };

/** Lists 203.0.113.80 on port 8443, less surely on others; tells one name and one device. */
function createKnowledge() {
  const asked = { describe: [] as string[], describeSource: [] as string[], judge: [] as Judged[] };
  const factProvider: FactProvider = {
    describe(address) {
      asked.describe.push(address);
      const host = 'files.example.net';
      return { host, country: 'NL', org: 'Example', lat: 52.3, lon: 4.9, city: 'Amsterdam' };
    },
    describeSource(address) {
      asked.describeSource.push(address);
      return address === '192.168.1.3'
        ? null
        : { mac: '02:00:5e:10:00:01', vendor: 'Acme', dnsName: 'desk.lan', mdnsName: null, deviceId: 'd1' };
    },
    judge(flow) {
      asked.judge.push(flow);
      return flow.dst !== '203.0.113.80' ? null : flow.dport === 8443 ? listed : elsewhere;
    },
  };
  return { asked, factProvider };
}

describe('a batch with knowledge', () => {
  it('describes new addresses and judges new flows, each once', async () => {
    const { asked, factProvider } = createKnowledge();
    const flows = [{}, { dport: 8443 }, { src: '192.168.1.3', dst: '203.0.113.9' }];
    await log.record(flows, { factProvider });
    await log.record(flows.map((flow) => ({ ...flow, at: noon + hour })));
    await log.record(
      flows.map((flow) => ({ ...flow, at: noon + 2 * hour })),
      { factProvider },
    );
    expect(asked.describe).toEqual(['203.0.113.80', '203.0.113.9']);
    expect(asked.describeSource).toEqual(['192.168.1.2', '192.168.1.3']);
    const host = 'files.example.net';
    expect(asked.judge).toEqual([
      { dst: '203.0.113.80', dport: 443, proto: 'TCP', host },
      { dst: '203.0.113.80', dport: 8443, proto: 'TCP', host },
      { dst: '203.0.113.9', dport: 443, proto: 'TCP', host },
    ]);
    const { connections } = await log.list({ sort: 'dport', sortDir: 'desc' });
    expect(connections.map(({ dport, threat }) => [dport, threat])).toEqual([
      [8443, listed],
      [443, elsewhere],
      [443, null],
    ]);
    expect(connections[0]).toMatchObject({ dstHost: host, country: 'NL', lat: 52.3, srcDnsName: 'desk.lan' });
    expect(connections[0]).toMatchObject({ srcDeviceId: 'd1', srcVendor: 'Acme', threatLevel: 'danger' });
    expect(connections[2]).toMatchObject({ src: '192.168.1.3', srcMac: null, threatLevel: 'safe' });
  });

  it('reports after the commit what was new: threats and sources, of many the first', async () => {
    const { factProvider } = createKnowledge();
    const reports: { report: RecordReport; total: unknown }[] = [];
    const onRecorded = (report: RecordReport) =>
      reports.push({ report, total: log.db.prepare('SELECT count(*) AS flows FROM flow').get() });
    const flows = Array.from({ length: 600 }, (_, index) => ({ src: `192.168.${1 + (index >> 8)}.${index & 255}` }));
    await log.record([...flows, { src: '192.168.1.0', dport: 8443 }], { factProvider, onRecorded });
    await log.record([{ src: '192.168.1.0', at: noon + hour }], { factProvider, onRecorded });
    const [first, second] = reports;
    expect(first?.total).toEqual({ flows: 601 });
    expect(first?.report.threats.count).toBe(601);
    expect(first?.report.threats.first).toHaveLength(500);
    const flow = { src: '192.168.1.0', dst: '203.0.113.80', dport: 443, proto: 'TCP' };
    expect(first?.report.threats.first[0]).toEqual({ ...flow, threat: elsewhere });
    expect(first?.report.sources.count).toBe(600);
    expect(first?.report.sources.first.slice(0, 2)).toEqual(['192.168.1.0', '192.168.1.1']);
    expect(second?.report).toEqual({ threats: { count: 0, first: [] }, sources: { count: 0, first: [] } });
  });

  it('tells nothing of a batch that is rolled back', async () => {
    const { factProvider } = createKnowledge();
    const reports: RecordReport[] = [];
    const recording = log.record([{}, { dport: 70_000 }], {
      factProvider,
      onRecorded: (report) => reports.push(report),
    });
    await expect(recording).rejects.toThrow();
    expect(reports).toEqual([]);
  });
});

describe('judging again', () => {
  it('takes steps: batches come in between, and stopping keeps what is judged', async () => {
    await log.record(Array.from({ length: 6000 }, (_, index) => ({ dport: index })));
    const stop = new AbortController();
    const judging = rejudgeFlows(log.db, { judge: () => listed, destinations: 'all', signal: stop.signal });
    const recorded = log.record([{ dst: '203.0.113.10' }]).then(() => stop.abort(new Error('the hub stops')));
    await expect(judging).rejects.toThrow('the hub stops');
    await recorded;
    const { safe, danger } = await log.ask('threatCounts');
    expect(safe + danger).toBe(6001);
    expect(danger).toBeGreaterThanOrEqual(1000);
    expect(safe).toBeGreaterThan(1000);
    await rejudgeFlows(log.db, { judge: () => listed, destinations: 'all' });
    expect(await log.ask('threatCounts')).toMatchObject({ safe: 0, danger: 6001 });
  });
});
