// A server of plain HTTP that events are posted to, which a test can make refuse or fall silent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Lab } from './lab.ts';

/** A request that was taken: the same `id` comes with every try of an event. */
export interface TakenRequest {
  body: string;
  title: string;
  state: string;
}

export type ToldServer = Awaited<ReturnType<typeof startToldServer>>;

export async function startToldServer() {
  const taken: TakenRequest[] = [];
  const told = { answer: 200, words: '', requests: 0, loses: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) {
      body += String(chunk);
    }
    told.requests += 1;
    if (told.answer !== 200) {
      response.writeHead(told.answer).end(told.words);
      return;
    }
    const { title, state } = JSON.parse(body) as TakenRequest;
    taken.push({ body, title, state });
    if (told.loses > 0) {
      // The event is taken, and the hub never learns of it.
      told.loses -= 1;
      response.socket?.destroy();
      return;
    }
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hook`;
  const settings = { kind: 'webhook' as const, preset: 'json' as const, url, allowPrivate: true };
  return Object.assign(told, {
    taken,
    settings,
    /** What was taken after the test events, without `ignored` titles. */
    events: () => taken.filter(({ title }) => title !== 'Gatehouse can reach you here'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export async function addDestination(
  admin: Client<Api>,
  server: ToldServer,
  body: Partial<Parameters<Client<Api>['destinations']['create']>[0]['body']> = {},
): Promise<string> {
  const { destination } = await admin.destinations.create({
    body: { name: 'hook', settings: server.settings, ...body },
  });
  return destination.id;
}

/** Advances the clock from one instant at which something wakes to the next, so that routers and servers can answer in between. */
export async function letPass(lab: Lab<string>, minutes: number): Promise<void> {
  for (const end = lab.clock.now() + minutes * minuteMs; lab.clock.now() < end; ) {
    await lab.advance(Math.min(lab.clock.nextAt ?? end, end) - lab.clock.now());
  }
}
