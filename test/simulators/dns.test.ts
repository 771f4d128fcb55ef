// The name server simulator, asked by Node's own resolver: zones, and each fault by name.
import { Resolver } from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { type DnsFault, dnsFaults } from '#simulators/dns/faults.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';

const zone = {
  'a.gatehouse.test': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
  '1.2.0.192.in-addr.arpa': { PTR: ['a.gatehouse.test'] },
};

function resolverOf(server: string): Resolver {
  const resolver = new Resolver({ timeout: 400, tries: 1 });
  resolver.setServers([server]);
  return resolver;
}

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );

describe('name server', () => {
  it('answers what its zone has, no data for other types, no such name for other names', async () => {
    await using dns = await startNameServer({ zone });
    const resolver = resolverOf(dns.server);
    expect(await resolver.resolve4('A.gatehouse.test')).toEqual(['192.0.2.1']);
    expect(await resolver.resolve6('a.gatehouse.test')).toEqual(['2001:db8::1']);
    expect(await resolver.reverse('192.0.2.1')).toEqual(['a.gatehouse.test']);
    expect(await codeOf(resolver.resolve6('1.2.0.192.in-addr.arpa'))).toBe('ENODATA');
    expect(await codeOf(resolver.resolve4('b.gatehouse.test'))).toBe('ENOTFOUND');
    dns.setZone({});
    expect(await codeOf(resolver.resolve4('a.gatehouse.test'))).toBe('ENOTFOUND');
    dns.reset();
    expect(await codeOf(resolver.resolve4('a.gatehouse.test'))).toBe('answered');
    expect(dns.journal().map(({ kind }) => kind)).toEqual(['query']);
  });

  it.each(Object.keys(dnsFaults) as DnsFault[])('%s shows', async (fault) => {
    await using dns = await startNameServer({ zone });
    dns.fail(fault, fault === 'slow' ? { value: 10_000 } : {});
    const expected: Record<DnsFault, RegExp> = {
      'server-failure': /ESERVFAIL/,
      refused: /EREFUSED/,
      silent: /ETIMEOUT/,
      'wrong-id': /ETIMEOUT/,
      truncated: /ECONNREFUSED|ETIMEOUT/,
      garbage: /ETIMEOUT|EBADRESP/,
      slow: /ETIMEOUT/,
    };
    expect(await codeOf(resolverOf(dns.server).resolve4('a.gatehouse.test'))).toMatch(expected[fault]);
    dns.clearFaults();
    expect(await codeOf(resolverOf(dns.server).resolve4('a.gatehouse.test'))).toBe('answered');
  });
});
