// Destinations that are not kept: nowhere in the hub, counted all the same, erased on request.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { mostPrivacyRules } from '#contract/privacy.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { agentClient, batchOf, enrolAgent, observation } from '../support/agents.ts';
import { startLab } from '../support/lab.ts';
import {
  device,
  openDestination,
  other,
  type PrivacyLab,
  scanFolder,
  startPrivacyLab,
} from '../support/privacy-lab.ts';
import { startThreatLab } from '../support/threat-lab.ts';
import { addDestination, letPass, startToldServer } from '../support/told-server.ts';
import { verifies } from '../support/verifies.ts';

async function live(scene: PrivacyLab): Promise<string[]> {
  for (let round = 0; round < 3; round += 1) {
    await scene.contact();
  }
  await scene.pass();
  await scene.contact();
  await scene.backup();
  return await scene.scan();
}

verifies(
  'rest.privacy.nowhere rest.privacy.chosen',
  'a marked device: no byte of a destination in files, tables, logs, payloads or answers; its contacts are a number',
  async () => {
    await using scene = await startPrivacyLab();
    const { lab } = scene;
    const before = await lab.as.admin.coverage.coverage({ query: {} });
    await lab.as.admin.privacy.add({ body: { kind: 'device', value: scene.mac.toUpperCase() } });
    const after = await lab.as.admin.coverage.coverage({ query: {} });
    expect(before.chosen).toEqual([]);
    expect(after).toEqual({ ...before, chosen: [expect.objectContaining({ kind: 'device', value: scene.mac })] });
    expect(await live(scene)).toEqual([]);
    const { counts } = await lab.as.admin.privacy.counts({ query: {} });
    const others = await lab.as.admin.connections.list({ query: { fSrc: other } });
    expect(others.connections).toMatchObject([{ dst: openDestination, dstHost: 'public.example' }]);
    expect(counts).toMatchObject([{ holder: scene.deviceId, connections: 4, bytesIn: '4800', bytesOut: '360000' }]);
    const { rules, devices } = await lab.as.admin.privacy.rules({});
    expect(rules).toMatchObject([{ kind: 'device', value: scene.mac, tellThreats: false }]);
    expect(devices).toEqual([{ deviceId: scene.deviceId, ruleIds: [rules[0]?.id] }]);
  },
);

verifies(
  'rest.privacy.nowhere rest.privacy.erased',
  'without the mark the scan finds it everywhere; after an erasure it is in the backup alone, which the answer says',
  async () => {
    await using scene = await startPrivacyLab();
    const { lab } = scene;
    const found = await live(scene);
    for (const place of [
      /^monitor\.db: flow 31613/,
      /^backups.*198/,
      /^ClickHouse: .*77/,
      /^AI: .*77/,
      /connections: .*clinic/,
    ]) {
      expect([place.source, found.some((one) => place.test(one))]).toEqual([place.source, true]);
    }
    const { id } = await lab.as.admin.privacy.add({ body: { kind: 'range', value: device } });
    const { job } = await lab.as.admin.privacy.erase({ body: { ruleId: id } });
    expect(job).toMatchObject({ status: 'running', remains: { backups: 1, clickhouseHours: expect.any(Number) } });
    expect(job.remains.clickhouseHours).toBeGreaterThan(0);
    await lab.settled();
    const ended = await lab.as.admin.privacy.eraseJob({});
    expect(ended.job).toMatchObject({ status: 'completed', erased: { connections: 3, destinations: 2 } });
    expect(scanFolder(lab.dataDir, (file) => !file.includes('backups'))).toEqual([]);
    expect(scanFolder(lab.dataDir)).not.toEqual([]);
    expect((await scene.scan()).filter((one) => one.startsWith('GET'))).toEqual([]);
    const { connections } = await lab.as.admin.connections.list({ query: { fSrc: device } });
    expect(connections).toEqual([]);
    const audit = await lab.as.admin.auth.auditEvents({ query: { type: 'privacy_erased' } });
    expect(audit.events).toMatchObject([{ outcome: 'success', metadata: { rule: id, kind: 'range' } }]);
  },
);

verifies(
  'rest.privacy.understood',
  'a rule that is not understood stops the start, and bad rules are refused',
  async () => {
    await using lab = await startLab();
    for (const body of [
      { kind: 'device', value: '' },
      { kind: 'range', value: '192.168.1.0/33' },
      { kind: 'range', value: 'everything' },
      { kind: 'guests', value: 'all' },
      { kind: 'people', value: '' },
      { kind: 'guests', forever: true },
    ]) {
      const headers = { 'content-type': 'application/json' };
      const call = { method: 'POST', path: '/api/privacy/rules', headers, body: JSON.stringify(body) } as const;
      const { status } = await lab.as.raw(call);
      expect([body, status]).toEqual([body, 400]);
    }
    const unknown = { params: { id: 'none' } };
    await expect(lab.as.admin.privacy.remove(unknown)).rejects.toMatchObject({ status: 404 });
    await expect(lab.as.admin.privacy.erase({ body: { ruleId: 'none' } })).rejects.toMatchObject({ status: 404 });
    const { id } = await lab.as.admin.privacy.add({ body: { kind: 'range', value: '10.0.0.0/8' } });
    expect((await lab.as.admin.privacy.add({ body: { kind: 'range', value: '10.0.0.0/8' } })).rules).toHaveLength(1);
    await lab.restart();
    expect((await lab.as.admin.privacy.rules({})).rules).toMatchObject([{ id }]);
    await lab.stop();
    const file = path.join(lab.dataDir, 'monitor.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    const [rule] = stored.privacy.rules;
    for (const rules of [[{ ...rule, kind: 'vlan' }], [{ ...rule, value: '10.0.0.0/99' }], [{ ...rule, until: 5 }]]) {
      writeFileSync(file, JSON.stringify({ ...stored, privacy: { rules } }));
      await expect(lab.restart()).rejects.toThrow(/monitor\.json does not hold valid settings \(privacy/);
    }
    const most = Array.from({ length: mostPrivacyRules }, (_, at) => ({
      ...rule,
      id: `${at}`,
      value: `172.16.${at}.0/24`,
    }));
    writeFileSync(file, JSON.stringify({ ...stored, privacy: { rules: most } }));
    await lab.restart();
    const add = (value: string) => lab.as.admin.privacy.add({ body: { kind: 'range', value } });
    await expect(add('172.17.0.0/24')).rejects.toMatchObject({ status: 409, code: 'rule_limit' });
    expect((await add('172.16.7.0/24')).rules).toHaveLength(mostPrivacyRules);
    await lab.as.admin.privacy.remove({ params: { id: '3' } });
    expect((await add('172.17.0.0/24')).rules).toHaveLength(mostPrivacyRules);
  },
);

verifies(
  'rest.privacy.threats',
  'threats are told where a rule asks for it, from the router and from an Agent, and only the alert has the destination',
  async () => {
    await using lab = await startThreatLab({
      router: true,
      rows: { ioc: [{ value: '203.0.113.77:8443', malware: 'Rat' }] },
    });
    const { token } = await enrolAgent(lab);
    const contact = async (src: string) => {
      lab.routers.home.flow({ src, dst: '203.0.113.77', dport: 8443, lastsMs: 10 * 60_000 });
      await lab.poll();
      const told = { localAddress: src, remoteAddress: '203.0.113.77', remotePort: 8443 };
      const body = batchOf(lab.clock.now(), [observation(lab.clock.now(), told)]);
      await agentClient(lab.url, token).agents.ingest({ body });
      await lab.settled();
    };
    const readThreats = async () => {
      const { logs } = await lab.as.admin.detection.log({ query: { type: 'threat' } });
      return logs.map(({ src, dst, dport, threatSource }) => ({ src, dst, dport, threatSource }));
    };
    await lab.as.admin.privacy.add({ body: { kind: 'range', value: device } });
    await contact(device);
    expect(await readThreats()).toEqual([]);
    await lab.as.admin.privacy.add({ body: { kind: 'range', value: device, tellThreats: true } });
    await contact(device);
    expect(await readThreats()).toEqual([{ src: device, dst: '203.0.113.77', dport: 8443, threatSource: 'feed_ioc' }]);
    const { connections } = await lab.as.admin.connections.list({ query: { fDst: '203.0.113.77' } });
    expect(connections).toEqual([]);
    const tables = scanFolder(lab.dataDir, (file) => /monitor\.db/.test(file), ['203.0.113.77']);
    expect(tables).toEqual(expect.arrayContaining(['monitor.db: detection 203.0.113.77']));
    expect(tables.filter((found) => /: (?:flow|destination|agent_observation|router_session) /.test(found))).toEqual(
      [],
    );
  },
);

verifies(
  'rest.privacy.erased',
  'messages that wait for their destination are erased too, and those of others are told',
  async () => {
    const [first, others, second] = ['203.0.113.77', '203.0.113.78', '203.0.113.79'];
    await using server = await startToldServer();
    await using lab = await startThreatLab({
      router: true,
      rows: { ioc: [first, others, second].map((value) => ({ value: `${value}:8443`, malware: 'Rat' })) },
    });
    const none = { ai: false, beacon: false, hub: false, newDevice: false, retroMatch: false, router: false };
    await addDestination(lab.as.admin, server, { tells: { ...none, threat: true } });
    Object.assign(server, { answer: 503 });
    for (const [src, dst] of [
      [device, first],
      [other, others],
      [device, second],
    ] as const) {
      lab.routers.home.flow({ src, dst, dport: 8443, lastsMs: minuteMs });
      await lab.poll();
      await letPass(lab, 2);
    }
    const { id } = await lab.as.admin.privacy.add({ body: { kind: 'range', value: device } });
    await lab.as.admin.privacy.erase({ body: { ruleId: id } });
    await lab.settled();
    // The lists of the publishers name both addresses too: only the tables of messages are searched.
    const file = new Database(path.join(lab.dataDir, 'monitor.db'), { readonly: true });
    const kept = file
      .prepare('SELECT content AS text FROM outbox_event UNION ALL SELECT text FROM outbox_message')
      .all();
    file.close();
    expect(JSON.stringify(kept)).toContain(others);
    expect([first, second].filter((address) => JSON.stringify(kept).includes(address))).toEqual([]);
    Object.assign(server, { answer: 200 });
    await letPass(lab, 120);
    const bodies = server.events().map(({ body }) => body);
    expect(bodies.filter((body) => body.includes(others))).toHaveLength(1);
    expect(bodies.filter((body) => body.includes(first) || body.includes(second))).toEqual([]);
  },
);
