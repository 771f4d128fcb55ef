// One simulated UPS: its web UI over real HTTPS with a self-signed certificate, and the control surface.
import { randomInt } from 'node:crypto';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from '../support/armed-faults.ts';
import { baseControl } from '../support/base-control.ts';
import { type Certificate, createSelfSigned } from '../support/certificates.ts';
import { createJournal } from '../support/journal.ts';
import { requireLoopback } from '../support/loopback.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import type { Call } from './call.ts';
import { type FixedPage, parseUpsPatch, type UpsControl } from './control.ts';
import { createExchange } from './exchange.ts';
import { requireFaultOptions, type UpsFault } from './faults.ts';
import { startListener } from './listener.ts';
import { readCapturedPages } from './pages/captured-pages.ts';
import { markupUnderFaults } from './pages/markup-faults.ts';
import { createPageSource } from './pages/page-source.ts';
import { changed, createReadings, outage } from './readings.ts';
import { createSessions } from './sessions.ts';
import { openChoices, plainSettings, type UpsSettings } from './settings.ts';
import { models, type Values, type ValuesChange } from './values.ts';
import { createWebUi } from './web-ui.ts';

export interface UpsOptions extends SimulatorOptions {
  /** Ends idle sessions and locks, and moves scripts on. */
  clock?: Clock;
  /** Chooses what the product leaves open; any number when absent, 0: as the fixtures have it. */
  seed?: number;
  settings?: Partial<UpsSettings>;
  /** A folder of saved pages, such as `upsget --snapshot` writes; what is not in it is written as ever. */
  pages?: string;
  /** Measurements that differ from those of the model; saved pages show their own. */
  values?: ValuesChange;
  /** A new self-signed one when absent; making one takes a moment. */
  certificate?: Certificate;
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
  const captured = options.pages === undefined ? null : readCapturedPages(options.pages);
  const firstSettings: UpsSettings = {
    ...plainSettings,
    ...choices.settings,
    ...(captured ? { locale: captured.locales[0] ?? 'en', locales: captured.locales } : {}),
    ...options.settings,
  };
  requireLocale(firstSettings);
  const settings = { ...firstSettings };
  const firstValues = (): Values => changed(models[settings.model], options.values ?? {});
  const readings = createReadings(clock, firstValues());
  const fixedPages = new Map<string, FixedPage>();
  const faults = createArmedFaults<UpsFault>();
  const requestFaults = createRequestFaults(faults);
  const journal = createJournal({
    clock,
    secrets: () => [settings.password],
    onEntry: options.onEntry,
  });
  const note = journal.add;
  const sessions = createSessions({ clock, settings, note });
  const stopped = new AbortController();
  const take = (call: Call, fault: UpsFault) => {
    const isNew = requestFaults.answered(call, fault) === undefined;
    const armed = requestFaults.take(call, fault, call.path);
    if (isNew && armed) {
      note('fault', { fault, number: call.number });
    }
    return armed;
  };
  const answer = createWebUi({
    settings,
    sessions,
    source: createPageSource({ settings, readings, fixedPages, captured }),
    look: (call) => markupUnderFaults(choices.look, (fault) => take(call, fault)),
    take,
    now: clock.now,
    note,
  });

  const certificate = options.certificate ?? (await createSelfSigned([host, 'localhost'], { digest: 'sha512' }));
  const exchange = createExchange({
    answer,
    take,
    reset: (socket) => listener.reset(socket),
    clock,
    stopped: stopped.signal,
    note,
  });
  const listener = await startListener({
    host,
    port: options.port ?? 0,
    certificate,
    faults,
    serve: exchange.serve,
    note,
  });
  const url = `https://${listener.address}`;

  const control: UpsControl = {
    ...baseControl(faults, journal, requireFaultOptions),
    get settings() {
      return settings;
    },
    get values() {
      return readings.current();
    },
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
        url,
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
        requests: exchange.count,
        connections: listener.connections,
        faults: faults.list(),
      };
    },
    patch(change) {
      const { values, ...rest } = parseUpsPatch(change);
      requireLocale({ ...settings, ...(rest as Partial<UpsSettings>) });
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
    url: new URL(url),
    control,
    get credentials() {
      return { user: settings.user, password: settings.password };
    },
    fingerprint256: certificate.fingerprint256,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await listener[Symbol.asyncDispose]();
    },
  };
}

function requireLocale({ locale, locales }: Pick<UpsSettings, 'locale' | 'locales'>): void {
  if (!locales.includes(locale)) {
    throw new Error(`locale: one of ${locales.join(', ')}, not "${locale}"`);
  }
}
