// The block list over HTTP: what is on it and why, what is refused, its formats, and who understands them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blockFormats } from '#contract/block-list.ts';
import { Db, type Writer } from '#kernel/sqlite/sqlite.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type DetectionLab, startDetectionLab } from '../support/detection-lab.ts';
import { typeBlock } from '../support/documents/router-commands.ts';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { startNamed } from '../support/named.ts';
import { withPrograms } from '../support/real-programs.ts';
import { verifies } from '../support/verifies.ts';

const listed = '203.0.113.80';

const fetchList = (lab: Lab<string>, format = 'plain', headers: Record<string, string> = {}) =>
  lab.as.raw({
    method: 'GET',
    path: `/api/blocklist?format=${format}`,
    headers: { 'x-admin-token': lab.adminToken, ...headers },
  });
const readLines = async (lab: Lab<string>, format = 'plain') =>
  (await fetchList(lab, format)).text.split('\n').filter((line) => line !== '' && !/^[#;!]/.test(line));
const add = (lab: Lab<string>, value: string, note?: string) =>
  lab.as.admin.blockList.add({ body: { value, ...(note === undefined ? {} : { note }) } });
const writeRows = async (lab: Lab<string>, work: (writer: Writer) => void) => {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write(work);
  await db.close();
};

async function raiseAlert(lab: DetectionLab): Promise<{ id: string }> {
  lab.contact(listed);
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
  const { alerts } = await lab.as.admin.alerts.list({});
  return { id: String(alerts[0]?.id) };
}

/** Every kind of entry that there is, not in the order of the list. */
const samples = [
  'evil.example',
  '2001:db8:bad::/48',
  '2001:db8::7',
  '203.0.113.80',
  '198.51.100.0/24',
  '203.0.113.9',
  'a-1.evil.example',
];

async function startFilled(): Promise<Lab<string>> {
  const lab = await startLab();
  for (const value of samples) {
    await add(lab, value);
  }
  return lab;
}

verifies(
  'rest.blocklist.confirmed',
  'an alert of a threat is on the list from when it is acknowledged until it is opened again, expected or not listed',
  async () => {
    await using lab = await startDetectionLab();
    const params = await raiseAlert(lab);
    const { alerts } = lab.as.admin;
    expect(await readLines(lab)).toEqual([]);
    await alerts.acknowledge({ params, body: {} });
    expect(await readLines(lab)).toEqual([listed]);
    await alerts.reopen({ params, body: {} });
    expect(await readLines(lab)).toEqual([]);
    await alerts.acknowledge({ params, body: {} });
    const { events } = await alerts.expect({ params, body: {} });
    expect(await readLines(lab)).toEqual([]);
    await alerts.undo({ params, body: { eventId: events[0]?.eventId ?? 0 } });
    await alerts.resolve({ params, body: {} });
    const { entries } = await lab.as.admin.blockList.entries({});
    expect(entries).toEqual([
      { value: listed, kind: 'ip', added: null, alerts: [Number(params.id)], lists: ['feed_c2'], withheld: null },
    ]);
    await writeRows(lab, (writer) => {
      writer.prepare("UPDATE threat SET match_type = 'domain', match_value = 'example'").run();
      writer.prepare("UPDATE destination SET host = 'C2.Example' WHERE address = ?").run(listed);
    });
    expect(await readLines(lab)).toEqual(['c2.example']);
    await writeRows(lab, (writer) => void writer.prepare('UPDATE flow SET threat_id = NULL').run());
    expect(await readLines(lab)).toEqual([]);
  },
);

verifies(
  'rest.blocklist.added',
  'an entry has its note and who added it when, survives a restart, gets a new note, and is removed',
  async () => {
    await using lab = await startLab();
    await lab.as.admin.blockList.add({ body: { value: ' 198.51.100.77/24 ', note: 'Phishing' } });
    const addedAt = lab.clock.now();
    await lab.restart();
    const { client: writer } = await lab.as.identity(['settings.write', 'network.read']);
    const { client: viewer } = await lab.as.identity(['network.read']);
    const { entries } = await viewer.blockList.entries({});
    const added = { id: expect.stringMatching(/^[\da-f]{16}$/), note: 'Phishing', by: expect.any(String), addedAt };
    expect(entries).toEqual([{ value: '198.51.100.0/24', kind: 'cidr', added, alerts: [], lists: [], withheld: null }]);
    await expect(viewer.blockList.add({ body: { value: listed } })).rejects.toMatchObject({ code: 'forbidden' });
    const again = await writer.blockList.add({ body: { value: '198.51.100.0/24' } });
    expect(again.entries).toEqual([expect.objectContaining({ added: expect.objectContaining({ note: null }) })]);
    const params = { id: entries[0]?.added?.id ?? '' };
    await add(lab, 'bad.example');
    await expect(viewer.blockList.remove({ params })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await writer.blockList.remove({ params })).toMatchObject({
      success: true,
      entries: [{ value: 'bad.example' }],
    });
    await expect(writer.blockList.remove({ params })).rejects.toMatchObject({ status: 404, code: 'not_found' });
  },
);

verifies(
  'rest.blocklist.refused',
  'what must work is refused with the reason, and withheld when it is on the list already',
  async () => {
    await using lab = await startLab();
    await add(lab, '198.51.100.5');
    await add(lab, '2001:db8:1::/64');
    await add(lab, 'www.good.example');
    await lab.as.admin.threat.saveFeedsConfig({ body: { allowList: ['good.example', '198.51.100.0/28'] } });
    await writeRows(lab, (writer) => {
      writer.prepare("INSERT INTO source (address) VALUES ('2001:db8:1::23')").run();
    });
    const reasons: Record<string, readonly string[]> = {
      too_wide: ['0.0.0.0/0', '::/0', '203.0.0.0/7', '2000::/18'],
      not_public: [
        '192.168.100.1',
        '127.0.0.1',
        '::1',
        '224.0.0.1',
        '10.0.0.0/8',
        'fe80::1',
        'fd00::/20',
        'nas.local',
        '64:ff9b::/96',
      ],
      not_blockable: [
        'example',
        '*.evil.example',
        'evil example',
        '1.2.3',
        `${'a.'.repeat(100)}example`,
        'x.example\n@ NS y',
      ],
      allowed: ['198.51.100.5', '198.51.100.0/24', 'www.good.example', 'good.example'],
      own_network: ['2001:db8:1::23', '2001:db8::/32'],
    };
    for (const [code, values] of Object.entries(reasons)) {
      for (const value of values) {
        const refused = await add(lab, value).catch((error: unknown) => error);
        expect(refused, value).toMatchObject({
          status: 400,
          code: 'block_entry_refused',
          body: { field: 'value', problem: { code } },
        });
      }
    }
    expect(await readLines(lab)).toEqual([]);
    const { entries } = await lab.as.admin.blockList.entries({});
    expect(entries.map(({ value, withheld }) => [value, withheld])).toEqual([
      ['198.51.100.5', 'allowed'],
      ['2001:db8:1::/64', 'own_network'],
      ['www.good.example', 'allowed'],
    ]);
  },
);

test('no more than 500 entries are added', async () => {
  await using lab = await startLab();
  const entries = Array.from({ length: 500 }, (_, index) => ({
    value: `n${index}.example`,
    note: null,
    by: 'x',
    addedAt: 1,
  }));
  const file = path.join(lab.dataDir, 'monitor.json');
  await lab.stop();
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), blockList: { entries } }));
  await lab.restart();
  await expect(add(lab, listed)).rejects.toMatchObject({ status: 409, code: 'block_list_limit' });
  expect((await add(lab, 'n7.example', 'new note')).entries).toHaveLength(500);
});

verifies(
  'rest.blocklist.etag',
  'the tag is strong and stays while the content does; the serial grows with each change, also within one second',
  async () => {
    await using lab = await startFilled();
    const readSerial = async () => Number(/SOA \S+ \S+ (\d+)/.exec((await fetchList(lab, 'rpz')).text)?.[1]);
    const first = await fetchList(lab, 'rpz', { 'accept-encoding': 'gzip' });
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\da-f]{32}"$/),
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(first.headers).not.toHaveProperty('content-encoding');
    await lab.skip(3_600_000);
    const tag = String(first.headers.etag);
    const again = await fetchList(lab, 'rpz', { 'if-none-match': `"other", ${tag}` });
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag: tag } });
    expect(await fetchList(lab, 'plain', { 'if-none-match': tag })).toMatchObject({ status: 200 });
    const before = await readSerial();
    await add(lab, 'new.example');
    expect(await fetchList(lab, 'rpz', { 'if-none-match': tag })).toMatchObject({ status: 200 });
    const added = await readSerial();
    await add(lab, 'newer.example');
    expect([added > before, (await readSerial()) > added]).toEqual([true, true]);
  },
);

verifies(
  'rest.blocklist.formats',
  'each format has its comments and each entry that it can express, in order',
  async () => {
    await using lab = await startFilled();
    expect(await readLines(lab)).toEqual([
      '198.51.100.0/24',
      '203.0.113.9',
      '203.0.113.80',
      '2001:db8::7',
      '2001:db8:bad::/48',
      'a-1.evil.example',
      'evil.example',
    ]);
    expect(await readLines(lab, 'hosts')).toEqual(['0.0.0.0 a-1.evil.example', '0.0.0.0 evil.example']);
    expect((await readLines(lab, 'rpz')).slice(3)).toEqual([
      '24.0.100.51.198.rpz-ip CNAME .',
      '32.9.113.0.203.rpz-ip CNAME .',
      '32.80.113.0.203.rpz-ip CNAME .',
      '128.7.zz.db8.2001.rpz-ip CNAME .',
      '48.zz.bad.db8.2001.rpz-ip CNAME .',
      'a-1.evil.example CNAME .',
      'evil.example CNAME .',
    ]);
    expect(await readLines(lab, 'yamaha')).toEqual([
      'ip filter 60001 reject * 198.51.100.0/24',
      'ip filter 60002 reject * 203.0.113.9',
      'ip filter 60003 reject * 203.0.113.80',
      'ipv6 filter 60001 reject * 2001:db8::7',
      'ipv6 filter 60002 reject * 2001:db8:bad::/48',
    ]);
    expect(await readLines(lab, 'cisco')).toEqual([
      'no ip access-list extended GATEHOUSE-BLOCK',
      'ip access-list extended GATEHOUSE-BLOCK',
      ' 1000000 permit ip any any',
      ' 1 deny ip any 198.51.100.0 0.0.0.255',
      ' 2 deny ip any host 203.0.113.9',
      ' 3 deny ip any host 203.0.113.80',
      'no ipv6 access-list GATEHOUSE-BLOCK-V6',
      'ipv6 access-list GATEHOUSE-BLOCK-V6',
      ' permit ipv6 any any sequence 1000000',
      ' deny ipv6 any host 2001:db8::7 sequence 1',
      ' deny ipv6 any 2001:db8:bad::/48 sequence 2',
    ]);
    for (const format of blockFormats) {
      const { text } = await fetchList(lab, format);
      expect(text).toBe((await fetchList(lab, format)).text);
      expect(text).toMatch(
        /^[#;!] Block list of Gatehouse, as it is since \d{4}-\S+Z: addresses: \d, networks: \d, names: \d\.\n/,
      );
      expect(text.includes('Left out')).toBe(!['plain', 'rpz'].includes(format));
    }
    expect(await fetchList(lab, 'dns')).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  },
);

withPrograms('bind9', ['named'], () => {
  verifies(
    'rest.blocklist.rpz',
    'names and addresses that are listed do not exist for clients of BIND; others do',
    async () => {
      await using lab = await startFilled();
      await add(lab, '2001:db8:0:1:2:3:4:5');
      await add(lab, '2001:db8:0:0:1::6');
      const { text } = await fetchList(lab, 'rpz');
      const records = [
        'evil.example. A 192.0.2.1',
        'below.evil.example. A 192.0.2.2',
        'good.example. A 192.0.2.3',
        'address.example. A 203.0.113.80',
        'network.example. A 198.51.100.200',
        'six.example. AAAA 2001:db8::7',
        'six-network.example. AAAA 2001:db8:bad::1',
        'six-other.example. AAAA 2001:db8:beef::1',
      ];
      await using named = await startNamed(records, text);
      const { resolver } = named;
      // The zone is answered from before its triggers are loaded.
      await eventually(
        async () => named.printed(),
        (printed) => /gatehouse\.rpz: reload done: success/.test(printed) || undefined,
      );
      const ask = (name: string) => resolver.resolve4(name).catch(({ code }: { code: string }) => code);
      const ask6 = (name: string) => resolver.resolve6(name).catch(({ code }: { code: string }) => code);
      expect(
        await Promise.all(['good', 'below.evil', 'evil', 'address', 'network'].map((name) => ask(`${name}.example`))),
      ).toEqual([['192.0.2.3'], ['192.0.2.2'], 'ENOTFOUND', 'ENOTFOUND', 'ENOTFOUND']);
      expect(await Promise.all(['six-other', 'six', 'six-network'].map((name) => ask6(`${name}.example`)))).toEqual([
        ['2001:db8:beef::1'],
        'ENOTFOUND',
        'ENOTFOUND',
      ]);
      expect(named.printed()).not.toMatch(/not the canonical|invalid rpz|not loaded/);
    },
  );
});

for (const [format, kind, first] of [
  ['yamaha', 'vendor_a', ['administrator']],
  ['cisco', 'vendor_b', ['enable', 'configure terminal']],
] as const) {
  verifies('rest.blocklist.routers', `a simulated router understands each line of the ${format} list`, async () => {
    await using lab = await startFilled();
    await using router = await startRouter(kind, {});
    const { text } = await fetchList(lab, format);
    const typed = `${first.join('\n')}\n${text}`;
    const shown = await typeBlock(
      { file: format, line: 1, heading: '', class: format === 'cisco' ? 'ios' : 'yamaha', name: '', text: typed },
      router,
    );
    expect(shown).toContain('203.0.113.80');
  });
}
