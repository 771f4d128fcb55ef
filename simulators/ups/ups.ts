// One simulated UPS: its web UI over real HTTPS with a self-signed certificate, and the control surface.
import { randomInt } from 'node:crypto';
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type Certificate, createSelfSigned } from '../support/certificates.ts';
import { parseChange, pickDefined } from '../support/change.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import type { Call } from './call.ts';
import { type FixedPage, patchSchema, type UpsControl } from './control.ts';
import { createExchange } from './exchange.ts';
import { requireFaultOptions, type UpsFault, upsFaults } from './faults.ts';
import { startListener } from './listener.ts';
import { builtInVersion, findVersionPages, readCapturedPages } from './pages/captured-pages.ts';
import { spoilLook } from './pages/markup-faults.ts';
import { createPageSource } from './pages/page-source.ts';
import { createOutage, createReadings, type Readings } from './readings.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { chooseOpenPoints, defaultSettings, type UpsSettings } from './settings.ts';
import { models, type Values, type ValuesChange } from './values.ts';
import { createWebUi } from './web-ui.ts';

export interface UpsOptions extends SimulatorOptions {
  /** Ends idle sessions and locks, and moves scripts on. */
  clock?: Clock;
  /** Chooses what the product leaves open; any number when absent, 0: as the fixtures have it. */
  seed?: number;
  settings?: Partial<UpsSettings>;
  /** Product version: 1.4.0 when absent, or another one that there are pages of. */
  version?: string;
  /** A folder of saved pages, such as `upsget --snapshot` writes; what is not in it is written as ever. */
  pages?: string;
  /** Measurements that differ from those of the model; saved pages show their own. */
  values?: ValuesChange;
  /** A new self-signed one when absent; making one takes a moment. */
  certificate?: Certificate;
}

export interface UpsSimulator extends UpsControl, Simulator {
  readonly credentials: { readonly user: string; readonly password: string };
  /** SHA-256 of the certificate, upper-case hex pairs joined by colons. */
  readonly fingerprint256: string;
}

/**
 * Starts a UPS with its web UI over HTTPS; `url` is like `https://127.0.0.1:6547` and `fingerprint256` that of its certificate.
 * Rejects for an unknown locale.
 */
export async function startUps(options: UpsOptions = {}): Promise<UpsSimulator> {
  const { seed = randomInt(1, 1_000_000) } = options;
  const choices = chooseOpenPoints(seed);
  const pages = options.pages ?? findVersionPages(options.version ?? builtInVersion);
  const captured = pages === null ? null : readCapturedPages(pages);
  const firstSettings: UpsSettings = {
    ...defaultSettings,
    ...choices.settings,
    ...(captured ? { locale: captured.locales[0] ?? 'en', locales: captured.locales } : {}),
    ...options.settings,
  };
  requireLocale(firstSettings);
  const settings = { ...firstSettings };
  const base = createSimulatorBase<UpsFault>(options, {
    faults: upsFaults,
    secrets: () => [settings.password],
    requireOptions: requireFaultOptions,
  });
  const { host, clock } = base;
  const state: UpsState = {
    base,
    firstSettings,
    settings,
    values: options.values ?? {},
    readings: createReadings(clock, withChanges<Values>(models[settings.model], options.values ?? {})),
    sessions: createSessions({ clock, settings, note: base.journal.add }),
    fixedPages: new Map(),
  };
  const take = createTake(base);
  const answer = createWebUi({
    settings,
    sessions: state.sessions,
    source: createPageSource({ ...state, captured }),
    look: (call) => spoilLook(choices.look, (fault) => take(call, fault)),
    take,
    now: clock.now,
    note: base.journal.add,
  });
  const certificate = options.certificate ?? (await createSelfSigned([host, 'localhost'], { digest: 'sha512' }));
  const exchange = createExchange({ base, answer, take, reset: (socket) => listener.reset(socket) });
  const listener = await startListener({ base, certificate, serve: base.listener(exchange.serve) });
  const url = `https://${listener.address}`;
  const control = createControl(state, () => ({
    url,
    seed,
    requests: exchange.count,
    connections: listener.connections,
  }));
  return toRunning(control, {
    url: new URL(url),
    get credentials() {
      return { user: settings.user, password: settings.password };
    },
    fingerprint256: certificate.fingerprint256,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  });
}

interface UpsState {
  base: SimulatorBase<UpsFault>;
  firstSettings: Readonly<UpsSettings>;
  settings: UpsSettings;
  /** Measurements given at the start, in place of those of the model. */
  values: ValuesChange;
  readings: Readings;
  sessions: Sessions;
  fixedPages: Map<string, FixedPage>;
}

/** Uses up one occasion of a fault for a call, and notes it once. */
function createTake({ faults, journal }: SimulatorBase<UpsFault>) {
  const requestFaults = createRequestFaults(faults);
  return (call: Call, fault: UpsFault) => {
    const isNew = requestFaults.answered(call, fault) === undefined;
    const armed = requestFaults.take(call, fault, call.path);
    if (isNew && armed) {
      journal.add('fault', { fault, number: call.number });
    }
    return armed;
  };
}

function createControl(state: UpsState, counts: () => Record<string, unknown>): UpsControl {
  const { base, firstSettings, settings, readings, sessions, fixedPages } = state;
  const resetReadings = () => readings.reset(withChanges<Values>(models[settings.model], state.values));
  const control: UpsControl = {
    ...base.control,
    settings,
    get values() {
      return readings.current();
    },
    reset() {
      base.faults.clear();
      fixedPages.clear();
      Object.assign(settings, firstSettings);
      resetReadings();
      sessions.clear();
      base.journal.clear();
    },
    state: () => {
      const { password: _password, ...shown } = settings;
      return {
        ...counts(),
        ...shown,
        firstLocale: firstSettings.locale,
        values: readings.current(),
        stepsLeft: readings.stepsLeft(),
        sessions: sessions.list().length,
        loggedOn: sessions.list().filter(({ loggedOn }) => loggedOn).length,
        owner: sessions.owner()?.number ?? null,
        failures: sessions.failures,
        lockedUntil: sessions.lockedUntil,
        faults: base.faults.list(),
      };
    },
    patch(change) {
      const { values, ...rest } = pickDefined(parseChange(patchSchema, change));
      requireLocale({ ...settings, ...rest } as UpsSettings);
      const isOtherModel = rest.model !== undefined && rest.model !== settings.model;
      Object.assign(settings, rest);
      if (isOtherModel) {
        resetReadings();
      }
      if (values) {
        readings.set(values);
      }
    },
    set: (change) => control.patch({ values: change }),
    play: (script) => readings.play(script === 'outage' ? createOutage(readings.current()) : script),
    logOnElsewhere() {
      const session = sessions.create();
      sessions.logOn(session);
      base.journal.add('login-elsewhere', { session: session.number });
    },
    setPage(path, page) {
      if (page === null) {
        fixedPages.delete(path);
      } else {
        fixedPages.set(path, page);
      }
    },
  };
  return control;
}

function requireLocale({ locale, locales }: Pick<UpsSettings, 'locale' | 'locales'>): void {
  if (!locales.includes(locale)) {
    throw new Error(`locale: one of ${locales.join(', ')}, not "${locale}"`);
  }
}
