// When a request begins to leave: with its connection, over TLS with the whole handshake, and never without one.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { boundedFetch } from '#kernel/http/bounded-fetch.ts';
import { agentWithStartNotice } from '#kernel/http/start-notice.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createAuthority } from '#simulators/support/certificates.ts';

interface Case {
  what: string;
  isSecure: boolean;
  /** The client knows who issued the certificate. */
  trusts: boolean;
}

const cases: Case[] = [
  { what: 'over plain HTTP', isSecure: false, trusts: false },
  { what: 'over TLS', isSecure: true, trusts: true },
  { what: 'to a server whose certificate is refused', isSecure: true, trusts: false },
];
const body = 'a question';

async function startServer(isSecure: boolean) {
  const authority = await createAuthority();
  const certificate = await authority.issue(['127.0.0.1']);
  const received: string[] = [];
  const answer: http.RequestListener = async (request, response) => {
    received.push(String(await buffer(request)));
    response.end('an answer');
  };
  const server = isSecure ? https.createServer(certificate, answer) : http.createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    ...{ url, received, ca: authority.cert },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Asks by undici, as three of the providers are asked. */
async function byFetch(url: string, ca: string | undefined, onSent: () => void) {
  await using dispatcher = withEnd(new Agent({ connect: { ...(ca && { ca }) } }));
  const texts = { late: () => new Error('late'), tooLong: () => new Error('long') };
  const asked = { method: 'POST' as const, headers: {}, body, timeoutMs: 60_000, maxBytes: 100, ...texts, onSent };
  await boundedFetch(systemClock, url, { ...asked, dispatcher: dispatcher.agent });
}

/** Asks by an agent of Node, as AWS Bedrock is asked. */
async function byAgent(url: string, ca: string | undefined, onSent: () => void) {
  const [module, agent] = url.startsWith('https:')
    ? ([https, new https.Agent({ keepAlive: true, ...(ca && { ca }) })] as const)
    : ([http, new http.Agent({ keepAlive: true })] as const);
  const request = module.request(url, { method: 'POST', agent: agentWithStartNotice<http.Agent>(agent, onSent) });
  try {
    const [response] = (await once(request.end(body), 'response')) as [http.IncomingMessage];
    await buffer(response);
  } finally {
    agent.destroy();
  }
}

function withEnd(agent: Agent) {
  return { agent, [Symbol.asyncDispose]: () => agent.destroy() };
}

for (const [name, ask] of Object.entries({ undici: byFetch, 'an agent of Node': byAgent })) {
  test.each(cases)(`by ${name}, $what: told once, and only if it is received`, async ({ isSecure, trusts }) => {
    await using server = await startServer(isSecure);
    const told: string[] = [];
    const asked = ask(server.url, trusts ? server.ca : undefined, () => void told.push('sent'));
    if (isSecure && !trusts) {
      await expect(asked).rejects.toThrow(/certificate/);
    } else {
      await asked;
    }
    expect([told.length, server.received]).toEqual(isSecure && !trusts ? [0, []] : [1, [body]]);
  });

  test(`by ${name}: not told where nothing listens, nor of a name that nobody has`, async () => {
    const told: string[] = [];
    for (const url of ['http://127.0.0.1:1/', 'https://127.0.0.1:1/', 'http://nobody.invalid/']) {
      await expect(ask(url, undefined, () => void told.push(url))).rejects.toThrow();
    }
    expect(told).toEqual([]);
  });
}
