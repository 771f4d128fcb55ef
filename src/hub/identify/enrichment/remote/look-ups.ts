// The remote look-ups: each has a switch, off by default.
import { type LookupName, lookupNames } from '#contract/config.ts';
import { limits } from '#contract/limits.ts';
import { elapsed } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { startJob } from '#kernel/time/job.ts';
import { createUnderWay } from '#kernel/time/under-way.ts';
import type { Base } from '../../../base/feature.ts';
import type { Enrichment } from '../enrichment.ts';
import { findDueAddresses } from './due.ts';
import { createGeoLookUp } from './geo.ts';
import { createHttpsJson } from './https-json.ts';
import type { LookUp } from './look-up.ts';
import { type Counter, lookUpDue } from './look-up-round.ts';
import { createPtrLookUp } from './ptr.ts';
import { createRdapLookUp } from './rdap.ts';
import { findResolver, readSwitch, type SwitchOptions } from './switches.ts';

export type LookUps = ReturnType<typeof startLookUps>;

const pace: Record<LookupName, { perSecond: number; atOnce: number }> = {
  ptr: { perSecond: limits.ptrPerSecond, atOnce: limits.ptrAtOnce },
  rdap: { perSecond: limits.rdapPerSecond, atOnce: limits.rdapAtOnce },
  geo: { perSecond: limits.geoPerSecond, atOnce: limits.geoAtOnce },
};
const failuresKept = 10_000;

/** Runs a round for the due destinations every minute. */
export function startLookUps(
  { db, clock, log, offline, settings, options }: Base,
  { addAnswers }: Pick<Enrichment, 'addAnswers'>,
) {
  const { internalDns = '', trustedCa: ca, allowLoopbackRouters: allowLoopback = false } = options;
  const https = createHttpsJson(clock, { ca, allowLoopback });
  const current = (): SwitchOptions => ({ settings: settings.current().enrichment, offline, internalDns });
  const make = createMaker(current, { clock, https });
  const rounds = createUnderWay();
  const states = lookupNames.map((name) => ({
    name,
    counter: { ok: 0, fail: 0, lastOkAt: null, lastFailAt: null, lastError: null } as Counter,
    failed: new ExpiringCache<true>(clock, failuresKept, () => limits.ptrAbsentMs),
    gaveUpAt: Number.NEGATIVE_INFINITY,
  }));
  const findState = (name: LookupName) => states.find((state) => state.name === name) ?? states[0];

  const round = async (state: (typeof states)[number], signal: AbortSignal) => {
    const { name, counter, failed } = state;
    const isAllowed = () => readSwitch(name, current()).enabled;
    if (!isAllowed() || elapsed(state.gaveUpAt, clock.now()) < limits.lookupRestMs) {
      return;
    }
    const { gaveUp } = await lookUpDue(findDueAddresses(db, name, clock.now()), {
      clock,
      // Settings may change between two requests.
      lookUp: (address, inner) => make(name)(address, inner),
      ...pace[name],
      counter,
      failed,
      addAnswers: (answers) => addAnswers(name, answers),
      isAllowed,
      signal,
    });
    if (gaveUp) {
      state.gaveUpAt = clock.now();
      log.warn({ lookup: name, reason: counter.lastError }, 'a look-up fails and pauses for five minutes');
    }
  };
  const jobs = states.map((state) =>
    startJob(clock, log, {
      name: `look-ups (${state.name})`,
      everyMs: limits.lookupEveryMs,
      run: (signal) => rounds.track(round(state, signal)),
    }),
  );
  return {
    counter: (name: LookupName) => ({ ...(findState(name)?.counter as Counter) }),
    getSwitch: (name: LookupName) => readSwitch(name, current()),
    /** The name server in use, as `address:port`; null when there is none. */
    resolver: () => findResolver(current())?.server ?? null,
    /** Resolves when no round is running. */
    settled: rounds.settled,
    async [Symbol.asyncDispose]() {
      await Promise.all(jobs.map((job) => job[Symbol.asyncDispose]()));
      await https[Symbol.asyncDispose]();
    },
  };
}

type Outbound = Pick<Parameters<typeof createRdapLookUp>[0], 'clock' | 'https'>;

/** The clients, rebuilt when their settings change: until then the list of registries is cached. */
function createMaker(current: () => SwitchOptions, outbound: Outbound): (name: LookupName) => LookUp {
  const made = new Map<LookupName, { by: string; lookUp: LookUp }>();
  return (name) => {
    const options = current();
    const by = JSON.stringify([options.settings[name], options.internalDns]);
    const known = made.get(name);
    const lookUp = known?.by === by ? known.lookUp : createLookUp(name, options, outbound);
    made.set(name, { by, lookUp });
    return lookUp;
  };
}

function createLookUp(name: LookupName, options: SwitchOptions, { clock, https }: Outbound): LookUp {
  const { geo, rdap } = options.settings;
  switch (name) {
    case 'ptr':
      return createPtrLookUp(findResolver(options)?.server ?? '');
    case 'rdap':
      return createRdapLookUp({ clock, https, bootstrapUrl: rdap.bootstrapUrl });
    case 'geo':
      return createGeoLookUp({ https, url: geo.url, token: geo.token });
  }
}
