// Enrichment through a running hub: new and known destinations, card makers, and what it says of its data.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeEnrichment, writeEnrichment } from '../../../support/enrichment-files.ts';
import { startLab } from '../../../support/lab.ts';
import { verifies } from '../../../support/verifies.ts';

const enrichment = {
  countries: { '203.0.113.0-203.0.113.255': 'NL', '198.51.100.0-198.51.100.255': 'BR' },
  orgs: { '203.0.113.0-203.0.113.127': 'Example Hosting B.V.' },
  vendors: { '00005e': 'Registry', '00005e005': 'Documentation Cards Ltd.' },
};
const flow = { src: '192.168.100.23', dst: '203.0.113.80', dport: 443 };

verifies(
  'rest.connections.enriched rest.connections.field-enrichment',
  'a destination that a poll brings has country and organisation, without a request to anybody',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' }, enrichment });
    lab.routers.a.flow(flow);
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: { limit: '10', fDst: flow.dst } });
    expect(connections).toEqual([
      expect.objectContaining({
        dst: flow.dst,
        country: 'NL',
        org: 'Example Hosting B.V.',
        lat: null,
        lon: null,
        city: null,
      }),
    ]);
  },
);

describe('enrichment', () => {
  it('describes what the log knows again when the data is other, and keeps what the new data does not know', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' }, enrichment });
    lab.routers.a.flow(flow);
    await lab.poll();
    const words = async () => {
      const { connections } = await lab.as.admin.connections.list({ query: { limit: '1', fDst: flow.dst } });
      return connections.map(({ country, org }) => [country, org]);
    };
    expect(await words()).toEqual([['NL', 'Example Hosting B.V.']]);
    writeEnrichment(lab.dataDir, { version: '2026-05-05', countries: { '203.0.113.0-203.0.113.255': 'SE' } });
    await lab.restart();
    await lab.settled();
    expect(await words()).toEqual([['SE', 'Example Hosting B.V.']]);
    expect((await lab.as.admin.status.status({})).enrichmentData).toMatchObject({
      version: expect.stringMatching(/^2026-05-05-/),
      describing: false,
    });
  });

  it('names the maker of a network card once the router tells its address', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' }, enrichment });
    lab.routers.a.flow(flow);
    await lab.poll();
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: { limit: '1', fDst: flow.dst } });
    expect(connections).toMatchObject([{ srcMac: '00:00:5e:00:53:0c', srcVendor: 'Documentation Cards Ltd.' }]);
  });

  it('tells version and attributions of its data', async () => {
    await using lab = await startLab({ enrichment });
    await lab.settled();
    expect((await lab.as.admin.status.status({})).enrichmentData).toEqual({
      version: expect.stringMatching(/^2026-01-01-[0-9a-f]{8}$/),
      error: null,
      operatorFiles: [],
      attributions: [{ text: 'Made for a test', licence: 'none', url: 'https://data.example/' }],
      describing: false,
    });
  });

  it('goes on without data that is damaged, and says so', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' }, enrichment });
    const file = path.join(lab.dataDir, 'enrichment/enrichment.bin.zst');
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, encodeEnrichment(enrichment).subarray(0, 40));
    await lab.restart();
    await lab.settled();
    lab.routers.a.flow(flow);
    await lab.poll();
    const { total } = await lab.as.admin.connections.list({ query: { limit: '1', fDst: flow.dst } });
    expect(total).toBe(1);
    const { enrichmentData } = await lab.as.admin.status.status({});
    expect(enrichmentData).toMatchObject({ version: null, error: expect.stringContaining('enrichment.bin.zst') });
    rmSync(file);
  });
});
