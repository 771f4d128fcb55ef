// The DNS question against a name server: records of each type count, a clear "no" is 0, and anything else says nothing.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Packet } from 'dns-packet';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countRecords, type NameServerAddress, parseNameServers, type RecordType } from '#gate/dns-question.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { DnsFault } from '#simulators/dns/faults.ts';
import { type NameServer, startNameServer } from '#simulators/dns/name-server.ts';

let dns: NameServer;
let server: NameServerAddress;
beforeAll(async () => {
  dns = await startNameServer({
    zone: {
      'four.test': { A: ['192.0.2.1', '192.0.2.2'] },
      'six.test': { AAAA: ['2001:db8::1'] },
      'alias.test': { CNAME: ['nowhere.test'] },
      'service.test': { HTTPS: ['service.test'] },
    },
  });
  server = parseNameServers(dns.server)?.[0] ?? { address: '', port: 0 };
});
afterAll(() => dns[Symbol.asyncDispose]());
afterEach(() => dns.clearFaults());

const count = (name: string, type: RecordType, timeoutMs = 5000) =>
  countRecords({ server, name, type, clock: systemClock, timeoutMs });

describe('one question', () => {
  it.each([
    ['four.test', 'A', 2],
    ['four.test', 'AAAA', 0],
    ['FOUR.test', 'A', 2],
    ['six.test', 'AAAA', 1],
    ['alias.test', 'A', 1],
    ['alias.test', 'CNAME', 1],
    ['service.test', 'HTTPS', 1],
    ['service.test', 'A', 0],
    ['none.test', 'A', 0],
  ] as const)('%s %s: %i', async (name, type, records) => {
    expect(await count(name, type)).toBe(records);
  });

  it.each(['server-failure', 'refused', 'truncated'] satisfies DnsFault[])('%s says nothing', async (fault) => {
    dns.fail(fault);
    expect(await count('none.test', 'A')).toBeNull();
  });

  it.each(['silent', 'garbage', 'wrong-id'] satisfies DnsFault[])('%s is no answer, twice', async (fault) => {
    dns.clearJournal();
    dns.fail(fault);
    expect(await count('none.test', 'A', 100)).toBeNull();
    expect(dns.journal().filter(({ kind }) => kind === 'query')).toHaveLength(2);
  });

  it('an answer that comes after a lost one counts, and a port that nobody listens at says nothing', async () => {
    dns.fail('silent', { times: 1 });
    expect(await count('four.test', 'A', 300)).toBe(2);
    const nobody = { address: '127.0.0.2', port: 9 };
    expect(
      await countRecords({ server: nobody, name: 'four.test', type: 'A', clock: systemClock, timeoutMs: 300 }),
    ).toBeNull();
  });
});

it('only a response to the very question counts, and the socket is closed after it', async () => {
  const liar = createSocket('udp4');
  liar.on('message', (bytes, { port, address }) => {
    const { id, questions = [] } = decode(bytes);
    const answers = [{ type: 'A', name: 'none.test', data: '192.0.2.9' } as const];
    const other = [{ type: 'A', name: 'other.test' } as const];
    const messages: Packet[] = [
      { type: 'query', id, questions, answers },
      { type: 'response', id, questions: other, answers },
      { type: 'response', id, questions, flags: 3 },
    ];
    for (const message of messages) {
      liar.send(encode(message), port, address);
    }
  });
  liar.bind(0, '127.0.0.1');
  await once(liar, 'listening');
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap').length;
  const before = sockets();
  const server = { address: '127.0.0.1', port: liar.address().port };
  expect(await countRecords({ server, name: 'none.test', type: 'A', clock: systemClock, timeoutMs: 60_000 })).toBe(0);
  await expect.poll(() => sockets()).toBe(before);
  liar.close();
});

it('name servers are addresses with or without a port', () => {
  expect(parseNameServers('192.0.2.1, 192.0.2.2:5353,2001:db8::1,[2001:db8::2]:5353')).toEqual([
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.2', port: 5353 },
    { address: '2001:db8::1', port: 53 },
    { address: '2001:db8::2', port: 5353 },
  ]);
  for (const wrong of ['', 'resolver.test', '192.0.2.1:0', '192.0.2.1:70000', '192.0.2.300', '192.0.2.1,,']) {
    expect(parseNameServers(wrong), wrong).toBeNull();
  }
});
