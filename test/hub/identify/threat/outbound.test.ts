// With all of the network refused, a hub as it is installed asks nobody outside but the publishers of the threat feeds.
import dns from 'node:dns';
import net from 'node:net';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { request } from 'undici';
import { expect } from 'vitest';
import { feedDocuments, publishers } from '#hub/identify/threat/feed-documents.ts';
import { c2Csv, dropJson, falsePositivesCsv, iocCsv, urlCsv } from '#simulators/feeds/documents.ts';
import { parseRows } from '#simulators/feeds/listing.ts';
import { createZip } from '#simulators/feeds/zip.ts';
import { startLab } from '../../../support/lab.ts';
import { verifies } from '../../../support/verifies.ts';

const now = Date.UTC(2026, 2, 1);
const key = 'key-of-abuse-ch';
const ioc = iocCsv(parseRows('ioc', [{ value: '203.0.113.77:8443' }]), now);
const documents: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'https://feodotracker.abuse.ch/downloads/ipblocklist.csv': c2Csv([], now),
  'https://threatfox-api.abuse.ch/files/exports/recent.csv': ioc,
  'https://threatfox-api.abuse.ch/files/exports/full.csv.zip': new Uint8Array(createZip('full.csv', Buffer.from(ioc))),
  'https://urlhaus-api.abuse.ch/files/exports/recent.csv': urlCsv(
    parseRows('url', [{ url: 'http://bad.example/' }]),
    now,
  ),
  'https://www.spamhaus.org/drop/drop_v4.json': dropJson(parseRows('drop', [{ cidr: '192.0.2.0/24' }]), now),
  'https://www.spamhaus.org/drop/drop_v6.json': dropJson(parseRows('drop', [{ cidr: '2001:db8:bad::/48' }]), now),
  'https://hunting-api.abuse.ch/api/v1/': falsePositivesCsv([], now),
};

const isOwn = (host: string) => /^(?:127\.|::1$|localhost$)/.test(host);

/** Every connection beyond loopback and every question to a name server, by anything in this process, until disposed. */
function watchSockets(): Disposable & { readonly seen: string[] } {
  const seen: string[] = [];
  const { connect } = net.Socket.prototype;
  const { lookup } = dns;
  net.Socket.prototype.connect = function watched(this: net.Socket, ...args: unknown[]) {
    const [first] = (Array.isArray(args[0]) ? args[0] : args) as ({ host?: string; path?: string } | undefined)[];
    const host = first?.host ?? 'localhost';
    if (first?.path === undefined && !isOwn(host)) {
      seen.push(`connection to ${host}`);
    }
    return Reflect.apply(connect, this, args) as net.Socket;
  } as typeof connect;
  dns.lookup = ((...args: Parameters<typeof lookup>) => {
    if (!isOwn(String(args[0]))) {
      seen.push(`name ${String(args[0])}`);
    }
    return Reflect.apply(lookup, dns, args);
  }) as typeof lookup;
  const resolvers = [dns.Resolver.prototype, dns.promises.Resolver.prototype].map((prototype) => {
    const asked = prototype.reverse;
    Object.assign(prototype, {
      reverse(address: string) {
        seen.push(`name of ${address}`);
        throw new Error('no name server is asked here');
      },
    });
    return () => Object.assign(prototype, { reverse: asked });
  });
  return {
    seen,
    [Symbol.dispose]() {
      for (const restore of resolvers) {
        restore();
      }
      net.Socket.prototype.connect = connect;
      dns.lookup = lookup;
    },
  };
}

verifies('card.packages.msw', 'nobody but the publishers of the four feeds is asked in two days of work', async () => {
  const asked: string[] = [];
  const publish = (url: string, body: string | Uint8Array<ArrayBuffer>) =>
    http.all(url, ({ request }) => {
      asked.push(`${request.method} ${request.url}`);
      return new HttpResponse(body);
    });
  const network = setupServer(...Object.entries(documents).map(([url, body]) => publish(url, body)));
  // Below msw: what it answers itself opens no connection.
  using sockets = watchSockets();
  network.listen({ onUnhandledFrame: 'error' });
  try {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' }, hub: { threatFeeds: true } });
    for (const dst of ['203.0.113.77', '192.0.2.200', '93.184.216.34', '2606:2800:220:1::1']) {
      lab.routers.a.flow({ src: dst.includes(':') ? '2001:db8:1::5' : '192.168.100.9', dst, dport: 8443 });
    }
    await lab.advance(2000);
    const keyless = ['feodotracker', 'spamhaus'] as const;
    const first = Object.values(feedDocuments).filter(({ publisher }) => keyless.some((name) => name === publisher));
    expect(asked).toEqual(first.map(({ publisher, path }) => `GET ${publishers[publisher]}${path}`));
    await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: key } });
    await lab.settled();
    for (let hours = 0; hours < 48; hours += 6) {
      await lab.skip(6 * 3_600_000);
    }
    const { connections } = await lab.as.admin.connections.list({ query: { limit: '50', fDst: '203.0.113.77' } });
    expect(connections).toMatchObject([{ threatLevel: 'danger' }]);
    const { feeds } = await lab.as.admin.threat.feeds({});
    expect(feeds.map(({ state }) => state)).toEqual(['empty', 'ok', 'ok', 'ok']);
    expect(sockets.seen).toEqual([]);
    // What this test would have seen.
    await expect(fetch('https://elsewhere.invalid/')).rejects.toThrow();
    await expect(request('https://elsewhere.invalid/')).rejects.toThrow();
    expect(sockets.seen).toContain('name elsewhere.invalid');
  } finally {
    network.close();
  }
  const distinct = new Set(asked.map((line) => line.replace(`?auth-key=${key}`, '').replace(/^\w+ /, '')));
  expect([...distinct].sort()).toEqual(Object.keys(documents).sort());
});
