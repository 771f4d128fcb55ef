// Negative modes, several values of one filter, and fDevice: by example, and over HTTP.
import { describe, expect, test } from 'vitest';
import { type ConnectionLog, openConnectionLog, type UrlQuery } from '../support/connection-log.ts';
import { type Lab, startLab } from '../support/lab.ts';

/** Four flows, named by their ports; of the fourth one nothing is known. */
async function openFour(): Promise<ConnectionLog> {
  const log = openConnectionLog();
  const protocols = ['TCP', 'UDP', 'UDPLITE', '47'];
  await log.record(
    protocols.map((proto, at) => ({ src: `10.0.0.${at + 1}`, dst: `203.0.113.${at + 1}`, dport: at + 1, proto })),
  );
  const names = ['desk.lan', 'tv.lan', 'phone.lan'];
  const hosts = ['www.example', 'cdn.example', 'WWW.test'];
  const orgs = ['Example', 'Example Net', 'Other'];
  for (const at of [0, 1, 2]) {
    await log.describe('source', `10.0.0.${at + 1}`, { dns_name: names[at] ?? '', device_id: `device-${at % 2}` });
    const words = { host: hosts[at] ?? '', org: orgs[at] ?? '', country: at === 0 ? 'NL' : 'JP' };
    await log.describe('destination', `203.0.113.${at + 1}`, words);
  }
  await log.judge('203.0.113.2', { level: 'warn' });
  await log.judge('203.0.113.3', { level: 'danger' });
  return log;
}

const portsOf = async (log: ConnectionLog, query: UrlQuery) =>
  (await log.list({ ...query, sort: 'dport', sortDir: 'asc' })).connections.map(({ dport }) => dport);

describe('what is shown', () => {
  test.for<[UrlQuery, number[]]>([
    // A row without a value is not equal to anything, and contains nothing.
    [{ fOrg: 'example', fOrgMode: 'isNot' }, [2, 3, 4]],
    [{ fOrg: 'example', fOrgMode: 'notContains' }, [3, 4]],
    [{ fCountry: 'jp', fCountryMode: 'isNot' }, [1, 4]],
    [{ fCountry: 'J', fCountryMode: 'notContains' }, [1, 4]],
    [{ fDport: '2', fDportMode: 'isNot' }, [1, 3, 4]],
    [{ fDport: '02', fDportMode: 'isNot' }, [1, 2, 3, 4]],
    [{ fDport: 'x', fDportMode: 'notContains' }, [1, 2, 3, 4]],
    [{ fProto: 'udp', fProtoMode: 'isNot' }, [1, 3, 4]],
    [{ fProto: 'udp', fProtoMode: 'notContains' }, [1, 4]],
    // None of the fields that the counterpart looks at: exact looks at no name of the source.
    [{ fSrc: 'tv.lan', fSrcMode: 'isNot' }, [1, 2, 3, 4]],
    [{ fSrc: '10.0.0.2', fSrcMode: 'isNot' }, [1, 3, 4]],
    [{ fSrc: 'tv', fSrcMode: 'notContains' }, [1, 3, 4]],
    [{ fDst: 'www.test', fDstMode: 'isNot' }, [1, 2, 4]],
    [{ fDst: '203.0.113.3', fDstMode: 'isNot' }, [1, 2, 4]],
    [{ fDst: 'www', fDstMode: 'notContains' }, [2, 4]],
    // The target of a flow: organisation, else host, else address; exactly as the summary calls it.
    [{ fTarget: 'Example', fTargetMode: 'exact' }, [1]],
    [{ fTarget: 'example', fTargetMode: 'exact' }, []],
    [{ fTarget: 'example' }, [1, 2]],
    [{ fTarget: ['203.0.113.4', 'Other'], fTargetMode: 'exact' }, [3, 4]],
    [{ fTarget: ['203.0.113.4', 'Other'], fTargetMode: 'isNot' }, [1, 2]],
    [{ fTarget: '203.0', fTargetMode: 'notContains' }, [1, 2, 3]],
    [{ fTarget: 'www.example', fTargetMode: 'exact' }, []],
    // What is not known of the destination.
    [{ fUnknown: 'country' }, [4]],
    [{ fUnknown: 'place' }, [1, 2, 3, 4]],
    [{ fUnknown: ['country', 'nonsense'] }, [4]],
    [{ fUnknown: 'nonsense' }, [1, 2, 3, 4]],
    // Any of several values; with a negative mode none of them.
    [{ fOrg: ['other', 'net'] }, [2, 3]],
    [{ fOrg: ['other', 'example'], fOrgMode: 'exact' }, [1, 3]],
    [{ fOrg: ['other', 'example'], fOrgMode: 'isNot' }, [2, 4]],
    [{ fDst: ['www', 'cdn'], fDstMode: 'notContains' }, [4]],
    [{ fDport: ['1', '3'], fDportMode: 'isNot' }, [2, 4]],
    [{ fDport: ['1', '4'], fProto: ['47', 'udp'], fProtoMode: 'exact' }, [4]],
    // Letters are matched in either case, wildcards as themselves.
    [{ fDst: 'WWW', fDstMode: 'startsWith' }, [1, 3]],
    [{ fDst: '.EXAMPLE', fDstMode: 'endsWith' }, [1, 2]],
    [{ fSrc: '0.2', fSrcMode: 'endsWith' }, [2]],
    [{ fProto: 'udp', fProtoMode: 'startsWith' }, [2, 3]],
    [{ fProto: 'LITE', fProtoMode: 'endsWith' }, [3]],
    [{ fCountry: 'p', fCountryMode: 'endsWith' }, [2, 3]],
    [{ fDport: '3', fDportMode: 'startsWith' }, [3]],
    [{ fOrg: '%' }, []],
    [{ fOrg: '_' }, []],
    // What no text contains leaves nothing out.
    [{ fOrg: 'a\0', fOrgMode: 'isNot' }, [1, 2, 3, 4]],
    [{ fOrg: ['a\0', 'other'], fOrgMode: 'notContains' }, [1, 2, 4]],
    // An empty value is as none.
    [{ fOrg: ['', 'net'] }, [2]],
    [{ fOrg: ['', ''], fOrgMode: 'isNot' }, [1, 2, 3, 4]],
    [{ fThreat: ['warn', 'danger'] }, [2, 3]],
    [{ fThreat: ['danger', 'safe'] }, [1, 3, 4]],
    [{ fThreat: ['warn', 'grave', ''] }, [2]],
    [{ fThreat: ['safe', 'warn', 'danger'] }, [1, 2, 3, 4]],
    [{ fDevice: 'device-0' }, [1, 3]],
    [{ fDevice: ['device-1', 'device-0'] }, [1, 2, 3]],
    [{ fDevice: ['device-1', 'nobody'] }, [2]],
    [{ fDevice: 'device' }, []],
    [{ fDevice: '' }, [1, 2, 3, 4]],
    [{ fDevice: 'device-0', fOrg: 'other', fOrgMode: 'isNot' }, [1]],
  ])('%j', async ([query, ports]) => {
    await using log = await openFour();
    expect(await portsOf(log, query)).toEqual(ports);
    const { safe, warn, danger } = await log.ask('threatCounts', query);
    const count = (...of: number[]) => ports.filter((port) => of.includes(port)).length;
    expect({ safe, warn, danger }).toEqual({ safe: count(1, 4), warn: count(2), danger: count(3) });
  });
});

test('values of a filter and of its counterpart together are all rows, on every page', async () => {
  await using log = openConnectionLog();
  await log.record(Array.from({ length: 60 }, (_, at) => ({ dst: `203.0.113.${at}`, dport: 1000 + at })));
  const values = ['203.0.113.7', '203.0.113.59', '203.0.113.1', '198.51.100.1'];
  const pages = async (fDstMode: string) => {
    const found: number[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const cursor: UrlQuery = after === '' ? {} : { after };
      const page = await log.list({ fDst: values, fDstMode, limit: '7', sort: 'dst', ...cursor });
      found.push(...page.connections.map(({ dport }) => dport));
      after = page.next ?? null;
    }
    return found;
  };
  const [shown, others] = [await pages('exact'), await pages('isNot')];
  expect(shown.sort()).toEqual([1001, 1007, 1059]);
  expect([...shown, ...others].sort()).toEqual(Array.from({ length: 60 }, (_, at) => 1000 + at));
});

describe('over HTTP', () => {
  /** What one router shows of two machines: rows of the list, of the export, and counts. */
  async function seenAs(lab: Lab<'a'>, fDevice: string[]) {
    const { connections } = lab.as.admin;
    const listed = await connections.list({ query: { fDevice } });
    const counts = await connections.threatCounts({ query: { fDevice } });
    const search = fDevice.map((id) => `&fDevice=${id}`).join('');
    const exported = await lab.as.raw({ method: 'GET', path: `/api/connections/export?format=json&from=0${search}` });
    const rows = (exported.body as { connections: { src: string }[] }).connections;
    expect(rows.map(({ src }) => src).sort()).toEqual(listed.connections.map(({ src }) => src).sort());
    expect([listed.total, counts.safe]).toEqual([rows.length, rows.length]);
    return rows.map(({ src }) => src).sort();
  }

  test('a device is found by its id; after a merge the one that stays shows all, until it is undone', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    const [one, other] = ['192.168.100.7', '192.168.100.8'];
    for (const src of [one, other]) {
      lab.routers.a.flow({ src, dst: '203.0.113.80', dport: 443 });
    }
    await lab.poll();
    const { devices } = await lab.as.admin.devices.list({});
    const idOf = (ip: string) => devices.find((device) => device.ip === ip)?.deviceId ?? '';
    const [keepId, dropId] = [idOf(one), idOf(other)];
    expect([await seenAs(lab, [keepId]), await seenAs(lab, [dropId])]).toEqual([[one], [other]]);
    expect(await seenAs(lab, [dropId, keepId])).toEqual([one, other]);
    expect(await seenAs(lab, ['6f1d2c3b-0000-4000-8000-000000000001'])).toEqual([]);
    await lab.as.admin.devices.merge({ body: { keepId, dropId } });
    expect([await seenAs(lab, [keepId]), await seenAs(lab, [dropId])]).toEqual([[one, other], []]);
    await lab.as.admin.devices.split({ body: { deviceId: dropId } });
    expect([await seenAs(lab, [keepId]), await seenAs(lab, [dropId])]).toEqual([[one], [other]]);
  });

  test('only filters may be repeated, each of them up to 20 times; so may src of the summary', async () => {
    await using lab = await startLab();
    const get = (path: string) => lab.as.raw({ method: 'GET', path: `/api/connections${path}` });
    const answer = (search: string) => get(`?${search}`);
    expect((await get(`/summary?${Array(20).fill('src=fd00::1').join('&')}`)).status).toBe(200);
    expect(await get(`/summary?${Array(21).fill('src=fd00::1').join('&')}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_query', error: 'src must have at most 20 values' },
    });
    const filters = ['fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg', 'fTarget', 'fUnknown'];
    filters.push('fSrcMac', 'fDevice', 'fThreat');
    for (const name of filters) {
      expect([name, (await answer(Array(20).fill(`${name}=x`).join('&'))).status]).toEqual([name, 200]);
      const { status, body } = await answer(Array(21).fill(`${name}=x`).join('&'));
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid_query', error: `${name} must have at most 20 values` }),
      ]);
    }
    const others = [
      'from=1',
      'to=1',
      'limit=1',
      'offset=1',
      'sort=src',
      'sortDir=asc',
      'fSrcMode=exact',
      'fOrgMode=isNot',
    ];
    for (const one of [...others, 'sourceId=x', 'sourceKind=router', 'after=x', 'include=uncertainty']) {
      expect([one, await answer(`${one}&${one}`)]).toMatchObject([
        one,
        { status: 400, body: { code: 'invalid_query' } },
      ]);
    }
  });
});
