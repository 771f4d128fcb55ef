// One simulated UPS: its web UI over real HTTPS with a self-signed certificate, and the control surface.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';
import { createArmedFaults } from '../armed-faults.ts';
import { type Certificate, createSelfSigned } from '../certificates.ts';
import { createJournal } from '../journal.ts';
import { requireLoopback } from '../loopback.ts';
import { createOccasions } from '../occasions.ts';
import type { Entry, Simulator } from '../simulator.ts';
import { type Call, readCall, shownCall } from './call.ts';
import { type FixedPage, parseUpsPatch, type UpsControl } from './control.ts';
import { requireFaultOptions, type UpsFault } from './faults.ts';
import { changed, createReadings, outage } from './readings.ts';
import { createSessions } from './sessions.ts';
import { openChoices, plainSettings, type UpsSettings } from './settings.ts';
import { models, type Values, type ValuesChange } from './values.ts';
import { createWebUi, type Reply } from './web-ui.ts';

export interface UpsOptions {
  /** 127.0.0.1 when absent; anything but loopback needs `allowNonLoopback` or SIM_ALLOW_NON_LOOPBACK=true. */
  host?: string;
  allowNonLoopback?: boolean;
  /** 0, a free port, when absent. */
  port?: number;
  /** Ends idle sessions and locks, and moves scripts on. */
  clock?: Clock;
  /** Chooses what the product leaves open; any number when absent, 0: as the fixtures have it. */
  seed?: number;
  settings?: Partial<UpsSettings>;
  /** Measurements that differ from those of the model. */
  values?: ValuesChange;
  /** A new self-signed one when absent; making one takes a moment. */
  certificate?: Certificate;
  onEntry?: (entry: Entry) => void;
}

export interface UpsSimulator extends Simulator<UpsControl> {
  readonly credentials: { readonly user: string; readonly password: string };
  /** SHA-256 of the certificate, upper-case hex pairs joined by colons. */
  readonly fingerprint256: string;
}

/** Starts a UPS; `url` is like `https://127.0.0.1:6547`. */
export async function startUps(options: UpsOptions = {}): Promise<UpsSimulator> {
  const { host = '127.0.0.1', clock = systemClock, seed = randomInt(1, 1_000_000) } = options;
  requireLoopback(host, options.allowNonLoopback);
  const choices = openChoices(seed);
  const firstSettings: UpsSettings = { ...plainSettings, ...choices.settings, ...options.settings };
  const settings = { ...firstSettings };
  const firstValues = (): Values => changed(models[settings.model], options.values ?? {});
  const readings = createReadings(clock, firstValues());
  const fixedPages = new Map<string, FixedPage>();
  const faults = createArmedFaults<UpsFault>();
  const occasions = createOccasions(faults);
  const journal = createJournal({
    clock,
    secrets: () => [settings.password],
    ...(options.onEntry ? { onEntry: options.onEntry } : {}),
  });
  const note = journal.add;
  const sessions = createSessions({ clock, settings, note });
  const take = (call: Call, fault: UpsFault) => occasions.take(call, fault, call.path);
  const answer = createWebUi({
    settings,
    sessions,
    readings,
    look: () => choices.look,
    fixedPages,
    take,
    now: clock.now,
    note,
  });

  let requests = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const call = await readCall(request, requests);
    if (call === null) {
      response.writeHead(413).end();
      return;
    }
    note('request', shownCall(call));
    const reply = answer(call);
    note('answer', { number: call.number, status: reply.status, location: shownLocation(reply) });
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
    response.end(reply.body);
  };

  const { hostname } = new URL(`https://${host.includes(':') ? `[${host}]` : host}`);
  const certificate = options.certificate ?? (await createSelfSigned([host, 'localhost'], { digest: 'sha512' }));
  const server = createServer(certificate, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      note('broken', { reason: messageOf(error) });
      response.destroy();
    });
  });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const control: UpsControl = {
    journal: journal.entries,
    get settings() {
      return settings;
    },
    get values() {
      return readings.current();
    },
    clearJournal: journal.clear,
    fail(fault, faultOptions = {}) {
      requireFaultOptions(fault, faultOptions);
      note('fault-armed', { fault, ...faultOptions });
      faults.arm(fault, faultOptions);
    },
    clearFaults: faults.clear,
    reset() {
      faults.clear();
      fixedPages.clear();
      Object.assign(settings, firstSettings);
      readings.reset(firstValues());
      sessions.clear();
      journal.clear();
    },
    state: () => {
      const { password: _password, ...shown } = settings;
      return {
        url: `https://${hostname}:${port}`,
        seed,
        ...shown,
        firstLocale: firstSettings.locale,
        values: readings.current(),
        stepsLeft: readings.stepsLeft(),
        sessions: sessions.list().length,
        loggedOn: sessions.list().filter(({ loggedOn }) => loggedOn).length,
        owner: sessions.owner()?.number ?? null,
        failures: sessions.failures,
        lockedUntil: sessions.lockedUntil,
        requests,
        faults: faults.list(),
      };
    },
    patch(change) {
      const { values, ...rest } = parseUpsPatch(change);
      const isOtherModel = rest.model !== undefined && rest.model !== settings.model;
      Object.assign(settings, rest);
      if (isOtherModel) {
        readings.reset(firstValues());
      }
      if (values) {
        readings.set(values);
      }
    },
    set: (change) => control.patch({ values: change }),
    play: (script) => readings.play(script === 'outage' ? outage(readings.current()) : script),
    logOnElsewhere() {
      const session = sessions.create();
      sessions.logOn(session);
      note('login-elsewhere', { session: session.number });
    },
    setPage(path, page) {
      if (page === null) {
        fixedPages.delete(path);
      } else {
        fixedPages.set(path, page);
      }
    },
  };

  return {
    url: new URL(`https://${hostname}:${port}`),
    control,
    get credentials() {
      return { user: settings.user, password: settings.password };
    },
    fingerprint256: certificate.fingerprint256,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Where a reply leads, without the session in it. */
function shownLocation({ headers }: Reply): string | null {
  return headers.location?.replace(/;[\w-]+=[^?]*/, '') ?? null;
}
