// Puts together what is known of addresses: data at hand, look-ups that are switched on, logs that are followed.
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { Knowledge } from './connections/store/facts.ts';
import { type DataSources, startDataSources } from './data-sources/data-sources.ts';
import type { Devices } from './devices/devices.ts';
import { type Enrichment, startEnrichment } from './enrichment/enrichment.ts';
import { type LookUps, startLookUps } from './enrichment/remote/look-ups.ts';
import { createLearning } from './learning.ts';
import type { HubOptions } from './options.ts';
import type { PollerOptions } from './routers/poller.ts';
import type { Registry } from './routers/registry.ts';
import type { SettingsDocument } from './settings/document.ts';

export interface KnowingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  document: SettingsDocument;
  registry: Registry;
  options: Pick<
    HubOptions,
    'offline' | 'internalDns' | 'trustedCa' | 'allowLoopbackRouters' | 'logPathPrefixes' | 'enrichmentDir'
  >;
  /** Records sessions that a followed log tells of. */
  record: PollerOptions['record'];
  devices: Pick<Devices, 'hearOf' | 'describeSource'>;
  /** Told of destinations that a name, country or organisation was learnt for. */
  onLearnt?: (addresses: readonly string[]) => void;
}

export interface Knowing extends AsyncDisposable {
  enrichment: Enrichment;
  lookUps: LookUps;
  dataSources: DataSources;
  /** Describes what is new; to be asked when it resolves. */
  describers(): Promise<Pick<Knowledge, 'describe' | 'describeSource'>>;
  /** What a log called the host at this address. */
  nameOf(address: string): string | null;
}

export function startKnowing({
  db,
  clock,
  log,
  document,
  registry,
  options,
  record,
  devices,
  onLearnt,
}: KnowingOptions): Knowing {
  const stack = new AsyncDisposableStack();
  const settings = () => document.current();
  const enrichment = stack.use(
    startEnrichment({ db, clock, log, folder: options.enrichmentDir, ...(onLearnt ? { onLearnt } : {}) }),
  );
  const learning = createLearning({ clock, enrichment, registry, record, hearOf: devices.hearOf });
  const lookUps = stack.use(
    startLookUps({
      db,
      clock,
      log,
      settings: () => settings().enrichment,
      offline: options.offline ?? false,
      internalDns: options.internalDns ?? '',
      trustedCa: options.trustedCa,
      allowLoopback: options.allowLoopbackRouters ?? false,
      learn: enrichment.learn,
    }),
  );
  const dataSources = stack.use(
    startDataSources({
      clock,
      log,
      settings: () => settings().dataSources,
      pathPrefixes: options.logPathPrefixes ?? [],
      onFindings: learning.onFindings,
    }),
  );
  return {
    enrichment,
    lookUps,
    dataSources,
    async describers() {
      await enrichment.ready;
      const describeSource = (address: string) => devices.describeSource(address) ?? learning.describeSource(address);
      return { describe: enrichment.describe, describeSource };
    },
    nameOf: (address) => learning.describeSource(address)?.dnsName ?? null,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
