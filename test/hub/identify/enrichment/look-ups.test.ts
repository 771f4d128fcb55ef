// Look-ups beyond the hub, against simulated name servers, registries and a location service: off, on, failing, offline.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HubOptions } from '#hub/base/config.ts';
import { createHttpsJson } from '#hub/identify/enrichment/remote/https-json.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';
import type { LookupFault } from '#simulators/lookup/faults.ts';
import { type LookupServices, startLookupServices } from '#simulators/lookup/lookup-services.ts';
import { type Authority, type Certificate, createAuthority } from '#simulators/support/certificates.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Lab, startLab } from '../../../support/lab.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const address = '9.9.9.9';
/** Of a network whose owner writes what turns and hides text. */
const turning = '9.9.9.10';
const unseen = '\u202e\u200b\x1b[2J\u009b\u2028';
let authority: Authority;
let certificate: Certificate;
let services: LookupServices;

beforeAll(async () => {
  authority = await createAuthority();
  certificate = await authority.issue(['127.0.0.1', 'localhost']);
  services = await startLookupServices({
    certificate,
    token: 'geo-secret',
    known: {
      registrations: {
        [address]: { name: 'NET-9', country: 'CH', registrant: 'Example Registrant AG' },
        [turning]: { name: 'NET-10', country: 'CH', registrant: `Exa${unseen}mple` },
      },
      locations: {
        [address]: { country: 'CH', city: 'Zürich', loc: '47.37,8.54', org: 'AS19281 Quad9' },
        [turning]: { country: 'CH', city: `Zü${unseen}rich`, loc: '47.37,8.54', org: `AS1 Qu${unseen}ad` },
      },
    },
  });
});
afterAll(() => services[Symbol.asyncDispose]());

async function startLookUpLab(hub: Partial<HubOptions> = {}) {
  services.clearFaults();
  services.clearJournal();
  const lab = await startLab({
    routers: { a: 'vendor_a' },
    hub: { trustedCa: authority.cert, ...hub },
    enrichment: { countries: { '9.9.9.0-9.9.9.255': 'US' }, orgs: { '9.9.9.0-9.9.9.255': 'Data at hand' } },
  });
  lab.routers.a.flow({ src: '192.168.100.23', dst: address, dport: 443 });
  lab.routers.a.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
  await lab.poll();
  return lab;
}

async function readWords(lab: Lab<'a'>, dst = address) {
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '1', fDst: dst, fDstMode: 'exact' } });
  const [found] = connections;
  return found && { dstHost: found.dstHost, country: found.country, org: found.org, city: found.city, lat: found.lat };
}

const readEnrichment = async (lab: Lab<'a'>) => (await lab.as.admin.status.status({})).enrichment;
const paths = () =>
  services
    .journal()
    .filter(({ kind }) => kind === 'request')
    .map(({ path }) => path);
const atHand = { dstHost: null, country: 'US', org: 'Data at hand', city: null, lat: null };

describe('by default', () => {
  it('nobody is asked, and the status says why', async () => {
    await using lab = await startLookUpLab();
    await lab.poll();
    await lab.poll();
    expect(await readWords(lab)).toEqual(atHand);
    expect(paths()).toEqual([]);
    const { features, offlineMode } = await lab.as.admin.status.status({});
    const off = { enabled: false, reason: 'switched_off' };
    expect({ offlineMode, ...features }).toMatchObject({ offlineMode: false, rdap: off, geoip: off, 'dns-ptr': off });
  });

  it('each switch says what leaves the building', async () => {
    await using lab = await startLab();
    const { ptr, rdap, geo } = await lab.as.admin.config.lookups({});
    expect([ptr.discloses, rdap.discloses, geo.discloses]).toEqual([
      expect.stringContaining('name server'),
      expect.stringContaining('registries'),
      expect.stringContaining('location service'),
    ]);
    expect([ptr.enabled, rdap.enabled, geo.enabled, geo.tokenSet]).toEqual([false, false, false, false]);
  });
});

describe('PTR', () => {
  const zone = {
    '9.9.9.9.in-addr.arpa': { PTR: ['Dns9.Quad9.example'] },
    '8.8.9.9.in-addr.arpa': { PTR: ['host-9-9-8-8.provider.example'] },
  };

  it('names public destinations through the chosen server, once, and keeps names that say nothing out', async () => {
    await using server = await startNameServer({ zone });
    await using lab = await startLookUpLab();
    lab.routers.a.flow({ src: '192.168.100.23', dst: '9.9.8.8', dport: 443 });
    lab.routers.a.flow({ src: '192.168.100.23', dst: '9.9.7.7', dport: 443 });
    await lab.as.admin.config.saveLookups({ body: { ptr: { enabled: true, resolver: server.server } } });
    await lab.poll();
    await lab.poll();
    await eventually(
      () => readEnrichment(lab),
      ({ ptr }) => (ptr.ok === 3 ? true : undefined),
    );
    await lab.poll();
    await lab.poll();
    expect((await readEnrichment(lab)).ptr).toMatchObject({ ok: 3, fail: 0, lastError: null });
    const asked = server
      .journal()
      .filter(({ kind }) => kind === 'query')
      .map(({ name }) => name);
    expect(asked.toSorted()).toEqual(['7.7.9.9.in-addr.arpa', '8.8.9.9.in-addr.arpa', '9.9.9.9.in-addr.arpa']);
    expect(await readWords(lab)).toEqual({ ...atHand, dstHost: 'dns9.quad9.example' });
    expect(await readWords(lab, '9.9.8.8')).toMatchObject({ dstHost: null });
  });

  it('counts failures, tells the last one without the address, and lets a server that fails rest', async () => {
    await using server = await startNameServer({ zone });
    server.fail('server-failure');
    await using lab = await startLookUpLab();
    await lab.as.admin.config.saveLookups({ body: { ptr: { enabled: true, resolver: server.server } } });
    await lab.poll();
    const { ptr } = await eventually(
      () => readEnrichment(lab),
      (seen) => (seen.ptr.fail === 1 ? seen : undefined),
    );
    expect(ptr).toMatchObject({
      ok: 0,
      lastFailAt: expect.any(Number),
      lastError: expect.stringContaining('SERVFAIL'),
    });
    expect(await readWords(lab)).toEqual(atHand);
  });
});

describe('RDAP and location', () => {
  it('the registry decides on country and organisation, the service adds the place; each is asked once', async () => {
    await using lab = await startLookUpLab();
    await lab.as.admin.config.saveLookups({
      body: {
        rdap: { enabled: true, bootstrapUrl: services.bootstrapUrl },
        geo: { enabled: true, url: services.geoUrl, token: 'geo-secret' },
      },
    });
    await lab.poll();
    await eventually(
      () => readEnrichment(lab),
      ({ rdap, geo }) => (rdap.ok === 1 && geo.ok === 1 ? true : undefined),
    );
    await lab.poll();
    await lab.poll();
    expect(paths().toSorted()).toEqual(['/geo/9.9.9.9', '/rdap/ipv4.json', '/registry/ip/9.9.9.9']);
    expect(await readWords(lab)).toEqual({
      dstHost: null,
      country: 'CH',
      org: 'Example Registrant AG',
      city: 'Zürich',
      lat: 47.37,
    });
    const shown = await lab.as.admin.config.lookups({});
    expect(shown.geo.tokenSet).toBe(true);
    expect(JSON.stringify(shown)).not.toContain('geo-secret');
  });

  it('what they say is shown without characters that turn or hide text', async () => {
    await using lab = await startLookUpLab();
    lab.routers.a.flow({ src: '192.168.100.23', dst: turning, dport: 443 });
    await lab.poll();
    await lab.as.admin.config.saveLookups({
      body: {
        rdap: { enabled: true, bootstrapUrl: services.bootstrapUrl },
        geo: { enabled: true, url: services.geoUrl, token: 'geo-secret' },
      },
    });
    const words = await eventually(
      async () => {
        await lab.poll();
        return readWords(lab, turning);
      },
      (seen) => (seen?.city && seen.org?.startsWith('Exa') ? seen : undefined),
    );
    expect(words).toMatchObject({ org: 'Exa\ufffd[2J\ufffdmple', city: 'Zü\ufffd[2J\ufffdrich' });
  });

  it('a registry may refer to another one', async () => {
    await using referring = await startLookupServices({
      certificate,
      refers: true,
      known: { registrations: { [address]: { name: 'REGIONAL', country: 'SE' } } },
    });
    await using lab = await startLookUpLab();
    await lab.as.admin.config.saveLookups({ body: { rdap: { enabled: true, bootstrapUrl: referring.bootstrapUrl } } });
    await lab.poll();
    await eventually(
      () => readWords(lab),
      (words) => (words?.org === 'REGIONAL' && words.country === 'SE' ? true : undefined),
    );
  });

  const failures: [LookupFault, RegExp][] = [
    ['server-error', /answered 500/],
    ['truncated', /./],
    ['inside', /redirects to 192\.168\.1\.1, which is not public/],
  ];
  it.each(failures)('a service that fails (%s) changes nothing and is told', async (fault, error) => {
    await using lab = await startLookUpLab();
    services.fail(fault);
    await lab.as.admin.config.saveLookups({
      body: { geo: { enabled: true, url: services.geoUrl, token: 'geo-secret' } },
    });
    await lab.poll();
    const { geo } = await eventually(
      () => readEnrichment(lab),
      (seen) => (seen.geo.fail > 0 ? seen : undefined),
    );
    expect(geo).toMatchObject({ ok: 0, fail: 1, lastError: expect.stringMatching(error) });
    expect(geo.lastError).not.toContain(address);
    expect(await readWords(lab)).toEqual(atHand);
  });

  it('a certificate that nobody vouches for is not believed', async () => {
    await using lab = await startLookUpLab({ trustedCa: undefined });
    await lab.as.admin.config.saveLookups({
      body: { geo: { enabled: true, url: services.geoUrl, token: 'geo-secret' } },
    });
    await lab.poll();
    await eventually(
      () => readEnrichment(lab),
      ({ geo }) => (geo.fail === 1 ? true : undefined),
    );
    expect(paths()).toEqual([]);
  });
});

describe('offline mode', () => {
  it('asks nobody outside whatever is switched on, and says so', async () => {
    await using lab = await startLookUpLab({ offline: true });
    await lab.as.admin.config.saveLookups({
      body: {
        ptr: { enabled: true, resolver: '9.9.9.10' },
        rdap: { enabled: true, bootstrapUrl: services.bootstrapUrl },
        geo: { enabled: true, url: services.geoUrl },
      },
    });
    await lab.poll();
    await lab.poll();
    expect(paths()).toEqual([]);
    const { offlineMode, features, enrichment } = await lab.as.admin.status.status({});
    expect(offlineMode).toBe(true);
    expect(features).toMatchObject({
      rdap: { enabled: false, reason: 'offline_mode' },
      geoip: { enabled: false, reason: 'offline_mode' },
      'dns-ptr': { enabled: false, reason: 'offline_mode_requires_internal_endpoint' },
      oidc: { enabled: false, reason: 'offline_mode' },
    });
    expect([enrichment.ptr, enrichment.rdap, enrichment.geo].map(({ ok, fail }) => ok + fail)).toEqual([0, 0, 0]);
  });

  it('lets a name server inside be asked', async () => {
    await using server = await startNameServer({ zone: { '9.9.9.9.in-addr.arpa': { PTR: ['dns9.example'] } } });
    await using lab = await startLookUpLab({ offline: true, internalDns: server.server });
    await lab.as.admin.config.saveLookups({ body: { ptr: { enabled: true } } });
    expect((await lab.as.admin.config.lookups({})).ptr.effectiveResolver).toBe(server.server);
    await lab.poll();
    await eventually(
      () => readWords(lab),
      (words) => (words?.dstHost === 'dns9.example' ? true : undefined),
    );
  });
});

describe('the switches', () => {
  it('refuse what cannot be asked, and change nothing then', async () => {
    await using lab = await startLab();
    const refused: [object, string][] = [
      ...['dns.example', '192.0.2.1:0'].map((resolver): [object, string] => [{ ptr: { resolver } }, 'ptr.resolver']),
      ...[
        'http://data.example/',
        'https://me@data.example/',
        'https://:p@data.example/',
        'https://data.example/?x',
        '',
      ].map((bootstrapUrl): [object, string] => [{ rdap: { bootstrapUrl } }, 'rdap.bootstrapUrl']),
      [{ rdap: { bootstrapUrl: 'https://data.example/#x' } }, 'rdap.bootstrapUrl'],
      [{ geo: { enabled: true } }, 'geo.url is missing'],
      ...['', '#{ip}', '{ip}#x', '{ip}/{ip}'].map((rest): [object, string] => [
        ...([{ geo: { url: `https://geo.example/${rest}` } }, 'geo.url'] as const),
      ]),
      ...['http://geo.example/{ip}', 'https://{ip}.geo.example/', 'https://u@geo.example/{ip}', 'x'].map(
        (url): [object, string] => [{ geo: { url } }, 'geo.url'],
      ),
      [{ geo: { address: '1' } }, 'address'],
    ];
    const before = await lab.as.admin.config.lookups({});
    for (const [body, name] of refused) {
      await expect(lab.as.admin.config.saveLookups({ body }), JSON.stringify(body)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(name),
      });
    }
    expect(await lab.as.admin.config.lookups({})).toEqual(before);
  });

  it('change what is named, and leave the rest', async () => {
    await using lab = await startLab();
    const save = async (body: object) => {
      const { success, ...rest } = await lab.as.admin.config.saveLookups({ body });
      expect([success, rest]).toEqual([true, await lab.as.admin.config.lookups({})]);
      const { ptr, rdap, geo } = rest;
      return [ptr.enabled, ptr.resolver, ptr.effectiveResolver, rdap.enabled, rdap.bootstrapUrl, geo.enabled, geo.url];
    };
    const [, , , , iana] = await save({});
    const [url, bootstrapUrl, resolver] = ['https://geo.example/{ip}', 'https://data.example/', '192.0.2.53'];
    const server = '192.0.2.53:53';
    expect(await save({ ptr: { resolver } })).toEqual([false, resolver, server, false, iana, false, '']);
    expect(await save({ ptr: { enabled: true } })).toEqual([true, resolver, server, false, iana, false, '']);
    expect(await save({ rdap: { enabled: true } })).toEqual([true, resolver, server, true, iana, false, '']);
    expect(await save({ rdap: { bootstrapUrl } })).toEqual([true, resolver, server, true, bootstrapUrl, false, '']);
    expect(await save({ geo: { url } })).toEqual([true, resolver, server, true, bootstrapUrl, false, url]);
    expect(await save({ geo: { enabled: true } })).toEqual([true, resolver, server, true, bootstrapUrl, true, url]);
    expect(await save({ ptr: { resolver: '' } })).toEqual([true, '', null, true, bootstrapUrl, true, url]);
    expect(await save({ geo: { enabled: false, url: '' } })).toEqual([true, '', null, true, bootstrapUrl, false, '']);
  });

  it('refuse the machine itself, its link and metadata services, as address, name server or registry', async () => {
    await using lab = await startLab({ hub: { allowLoopbackRouters: false } });
    await using open = await startLab();
    const save = (to: Lab<never>, body: object) => to.as.admin.config.saveLookups({ body });
    const hosts = ['127.0.0.1', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost.'];
    const near = [
      '169.254.169.254',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '100.100.100.200',
      '[64:ff9b::a9fe:a9fe]',
      '0.0.0.0',
    ];
    for (const host of [...hosts, ...near]) {
      const url = `https://${host}/`;
      const refusals = [save(lab, { geo: { url: `${url}{ip}` } }), save(lab, { rdap: { bootstrapUrl: url } })];
      for (const refusal of refusals) {
        await expect(refusal, host).rejects.toMatchObject({
          ...{
            status: 400,
            code: 'invalid_body',
            message: expect.stringMatching(/^(geo|rdap)\.\w+ must not be this machine/),
          },
        });
      }
      if (near.includes(host)) {
        await expect(save(open, { geo: { url: `${url}{ip}` } }), host).rejects.toMatchObject({ status: 400 });
      }
    }
    for (const resolver of ['127.0.0.1', '127.0.0.53:5353', '[::1]:53', '169.254.169.253', 'fe80::1']) {
      await expect(save(lab, { ptr: { resolver } }), resolver).rejects.toMatchObject({
        ...{ status: 400, message: expect.stringMatching(/^ptr\.resolver must not be this machine/) },
      });
    }
    const inside = { ptr: { resolver: '192.168.1.53' }, geo: { url: 'https://192.168.1.5/{ip}' } };
    expect((await save(lab, inside)).success).toBe(true);
    expect((await save(open, { ptr: { resolver: '127.0.0.1:5353' } })).success).toBe(true);
  });

  it('let no name lead there when a question is asked', async () => {
    const clock = new ManualClock();
    services.clearFaults();
    services.clearJournal();
    const ask = async (allowLoopback: boolean, host: string) => {
      await using https = createHttpsJson(clock, { ca: authority.cert, allowLoopback });
      const url = new URL(services.geoUrl.replace('{ip}', address));
      url.hostname = host;
      return await https.ask(url.href, { signal: AbortSignal.timeout(20_000) });
    };
    for (const host of ['localhost', '127.0.0.1']) {
      await expect(ask(false, host), host).rejects.toThrow(/where the hub sends nothing/);
    }
    expect(paths()).toEqual([]);
    await expect(ask(true, '127.0.0.1')).rejects.toThrow(/answered 401/);
  });

  it('forget a token when another host is to be asked, unless it is sent again', async () => {
    await using lab = await startLab();
    const save = async (geo: object) => (await lab.as.admin.config.saveLookups({ body: { geo } })).geo.tokenSet;
    expect(await save({ url: 'https://geo.example/{ip}', token: 'secret' })).toBe(true);
    expect(await save({ url: 'https://geo.example/v2/{ip}' })).toBe(true);
    expect(await save({ url: 'https://elsewhere.example/{ip}' })).toBe(false);
    expect(await save({ token: 'other' })).toBe(true);
    expect(await save({ clearToken: true })).toBe(false);
  });
});

it('nobody is asked about addresses that are not public', async () => {
  await using server = await startNameServer();
  await using lab = await startLab({ routers: { b: 'vendor_b' } });
  await lab.as.admin.config.saveLookups({ body: { ptr: { enabled: true, resolver: server.server } } });
  for (const dst of ['10.1.2.3', '100.64.1.1', '203.0.113.80', '169.254.1.1', '198.18.0.1']) {
    lab.routers.b.flow({ src: '192.168.100.23', dst, dport: 443 });
  }
  await lab.poll();
  await lab.poll();
  expect((await lab.as.admin.connections.list({ query: { limit: '0' } })).total).toBe(5);
  expect(server.journal()).toEqual([]);
});
