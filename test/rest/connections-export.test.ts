// Exports: formats to the byte and what is in them; as many rows as may come are in test/e2e/export-whole.test.ts.
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { csvForm } from '#hub/record/connections/export/rows/forms.ts';
import { noon, openConnectionLog, type UrlQuery } from '../support/connection-log.ts';
import { fill } from '../support/filled-log.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const bom = '\u{feff}';
const names =
  'src,srcMac,srcVendor,srcDnsName,srcMdnsName,dst,dstHost,dport,proto,country,city,org,firstSeen,lastSeen,ttl,source,observedBy,threatConfidence,threatSource,threatTag,threatLevel,agentHost,process,path,pathState,doubleNat';

describe('format', () => {
  verifies(
    'rest.connections.export-csv-bom rest.connections.export-format',
    'CSV: byte order mark, names, every cell quoted, CRLF; unknown is empty, observers joined',
    async () => {
      await using log = openConnectionLog();
      await log.record([{ sport: 5, ttl: 7 }]);
      await log.record([{ at: noon + 1 }], { routerId: 'vendor-b-2', kind: 'vendor_b' });
      await log.describe('destination', '203.0.113.80', { host: 'a"b', org: 'x\r\ny\rz' });
      const { text, type } = await log.export({ format: 'CSV', from: '0', to: String(noon + 1) });
      const line = `"192.168.1.2","","","","","203.0.113.80","a""b","443","TCP","","","x\ny\nz","${noon}","${noon + 1}","7","vendor_a+vendor_b","vendor-a-1|vendor-b-2","","","","safe","","","","unknown","unknown"`;
      expect(text).toBe(`${bom}${names}\r\n${line}\r\n`);
      expect(type).toBe('text/csv; charset=utf-8');
    },
  );

  verifies('rest.connections.export-csv-formula', 'a cell a spreadsheet would run gets an apostrophe', async () => {
    const hostCell = (dstHost: string) => csvForm.formatCell('dstHost', dstHost);
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\u00a0=1', '\n=1']) {
      expect(hostCell(text)).toBe(`'${text}`);
    }
    expect(hostCell('\tx')).toBe("'\tx");
    expect(hostCell('\rx')).toBe("'\nx");
    for (const text of ['a=1', 'x-y', "'=1", '1+1', '']) {
      expect(hostCell(text)).toBe(text);
    }
  });

  verifies(
    'rest.connections.export-anonymise',
    'anonymise=1: other addresses and names of as many characters, all else as it is, in both formats',
    async () => {
      await using log = openConnectionLog();
      await log.record([{}, { dport: 80 }]);
      await log.describe('destination', '203.0.113.80', { host: 'shop.example', org: 'Shop' });
      const read = async (anonymise: string) => {
        const { text } = await log.export({ format: 'json', from: '0', to: String(noon), anonymise });
        return JSON.parse(text).connections as Record<string, string>[];
      };
      const plain = await read('0');
      const hidden = await read('1');
      const replaced = hidden.map(({ src, dst, dstHost }) => ({ src, dst, dstHost }));
      expect(replaced[0]).toEqual(replaced[1]);
      expect(replaced[0]?.src).toMatch(/^192\.168\.\d\.\d$/);
      expect(replaced[0]?.dst).toMatch(/^\d{3}\.\d\.\d{3}\.\d{2}$/);
      expect(replaced[0]?.dstHost).toMatch(/^[a-z]{4}\.[a-z]{7}$/);
      expect(replaced[0]).not.toEqual({ src: '192.168.1.2', dst: '203.0.113.80', dstHost: 'shop.example' });
      expect(hidden.map((row, index) => ({ ...plain[index], ...replaced[index], org: row.org }))).toEqual(hidden);
      const csv = await log.export({ format: 'csv', from: '0', to: String(noon), anonymise: '1' });
      expect(csv.text).not.toContain('shop.example');
      await expect(log.export({ format: 'csv', from: '0', anonymise: 'yes' })).rejects.toThrow(
        /anonymise must be 0 or 1/,
      );
    },
  );

  verifies(
    'rest.connections.export-json',
    'JSON: meta and connections with the same keys, null for unknown',
    async () => {
      await using log = openConnectionLog();
      await log.record([{}, { dport: 80 }]);
      const { text, type } = await log.export({ format: 'json', from: '5', to: String(noon) });
      const { meta, connections } = JSON.parse(text);
      expect(meta).toEqual({ from: 5, to: noon, total: 2, exported: 2, truncated: false, limit: 50_000 });
      expect(Object.keys(connections[0]).join(',')).toBe(names);
      expect(connections[0]).toMatchObject({ srcMac: null, ttl: null, observedBy: ['vendor-a-1'], lastSeen: noon });
      expect(type).toBe('application/json; charset=utf-8');
      const none = await log.export({ format: 'json', from: '0', to: '1' });
      expect(JSON.parse(none.text)).toMatchObject({ meta: { total: 0 }, connections: [] });
    },
  );
});

verifies(
  'rest.connections.export-format rest.connections.export-from rest.connections.export-to',
  'format and from are required, to is now when left out and not before from; filters of the list apply',
  async () => {
    await using log = openConnectionLog();
    await log.record([{ dport: 1 }, { dport: 2 }, { dport: 3, at: noon + 1 }]);
    const refusal = (query: UrlQuery) => log.export(query).catch((error: Error) => error.message);
    expect(await refusal({ from: '0' })).toMatch(/^format is required/);
    expect(await refusal({ format: 'xlsx', from: '0' })).toMatch(/^format must be csv or json/);
    expect(await refusal({ format: 'csv' })).toMatch(/^from is required/);
    expect(await refusal({ format: 'csv', from: '' })).toMatch(/^from is required/);
    expect(await refusal({ format: 'csv', from: '2', to: '1' })).toMatch(/^to is before from/);
    expect(await refusal({ format: 'csv', from: '0', limit: '1' })).toMatch(/^limit/);
    const rows = async (query: UrlQuery) => {
      const { text } = await log.export({ format: 'json', from: '0', ...query });
      return JSON.parse(text).connections.map((row: { dport: number }) => row.dport);
    };
    expect(await rows({})).toEqual([1, 2]);
    expect(await rows({ to: String(noon + 1) })).toEqual([3, 1, 2]);
    expect(await rows({ from: String(noon), to: String(noon) })).toEqual([1, 2]);
    expect(await rows({ fDport: '2' })).toEqual([2]);
  },
);

verifies('rest.connections.export-pages-1000', 'rows leave a thousand at a time', async () => {
  await using lab = await startLab();
  await fill(lab, 2500);
  for (const [format, row] of [
    ['csv', /\r\n/g],
    ['json', /"src":/g],
  ] as const) {
    const pieces = await piecesOf(lab, `/api/connections/export?from=0&format=${format}`);
    const rows = pieces.map((piece) => piece.match(row)?.length ?? 0).filter((count) => count > 1);
    expect([format, rows]).toEqual([format, [1000, 1000, 500]]);
  }
});

/** The chunks of an answer, as the hub sent them. */
async function piecesOf(lab: Lab<never>, target: string): Promise<string[]> {
  const socket = connect(Number(lab.url.port), lab.url.hostname);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: hub\r\nX-Admin-Token: ${lab.adminToken}\r\nConnection: close\r\n\r\n`);
  const whole = (await buffer(socket)).toString('latin1');
  const pieces: string[] = [];
  for (let at = whole.indexOf('\r\n\r\n') + 4; ; ) {
    const end = whole.indexOf('\r\n', at);
    const length = Number.parseInt(whole.slice(at, end), 16);
    if (!(length > 0)) {
      return pieces;
    }
    pieces.push(whole.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
