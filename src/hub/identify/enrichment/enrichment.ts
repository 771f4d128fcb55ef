// Enrichment from local data: opened in the background, stored in the rows of the log. No external service is queried.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import type { Base } from '../../base/feature.ts';
import type { DestinationFacts } from '../../record/connections/store/facts.ts';
import { type Answer, type AnswerKind, storeAnswers } from './answers.ts';
import { type EnrichmentData, type LocalOrigins, openEnrichmentData } from './embedded/data.ts';
import type { AddressFacts } from './embedded/operator-files.ts';
import { describeAgain } from './re-enrich.ts';

/** The part of `/api/status` about the data. */
export interface EnrichmentState {
  /** Null before the data is open, and when opening failed. */
  version: string | null;
  /** Why it could not be opened, or what of it is damaged. */
  error: string | null;
  operatorFiles: string[];
  attributions: { text: string; licence: string; url: string }[];
  /** Rows of the log are being described again. */
  describing: boolean;
}

export interface Enrichment extends AsyncDisposable {
  /** Resolves when the data is open, or opening failed. */
  readonly ready: Promise<void>;
  /** Resolves when the rows of the log are up to date with the data. */
  readonly described: Promise<void>;
  /** Facts of a canonical public address; `null` before `ready`. */
  describe(address: string): DestinationFacts | null;
  /** `mac` in lower-case colon form; `null` also before `ready`. */
  findVendor(mac: string): string | null;
  /** Stores names that clients resolved: for known destinations at once, for new ones that appear within a day. */
  noteNames(names: readonly { address: string; name: string }[]): Promise<string[]>;
  /** Stores answers; resolves to the destinations whose rows changed. */
  addAnswers(kind: AnswerKind, answers: readonly Answer[]): Promise<string[]>;
  state(): EnrichmentState;
  /** Where the local data about an address comes from; nulls before `ready`. */
  localOrigins(address: string): LocalOrigins;
  /** What makers of network cards are read from; null before `ready`. */
  vendorData(): { name: string; version: string } | null;
}

const nothing: AddressFacts = { country: null, org: null, lat: null, lon: null, city: null };

/** Starts opening the data. A failure is reported in the log and in the state; the hub continues. */
export function startEnrichment({ db, clock, log, signals, options }: Base): Enrichment {
  const names = new ExpiringCache<string>(clock, limits.namesKept, () => limits.nameKeptMs);
  const stop = new AbortController();
  let data: EnrichmentData | null = null;
  let error: string | null = null;
  let describing = false;
  const ready = openEnrichmentData(options.enrichmentDir).then(
    (opened) => {
      data = opened;
    },
    (cause: unknown) => {
      error = messageOf(cause);
      log.error({ err: cause }, 'destinations stay without country and organisation');
    },
  );
  const described = ready.then(async () => {
    if (data && !stop.signal.aborted) {
      describing = true;
      const { changed } = await describeAgain(db, data, stop.signal).finally(() => {
        describing = false;
      });
      if (changed > 0) {
        log.info({ changed, version: data.version }, 'destinations were described by other data');
      }
    }
  });
  const over = described.catch((cause: unknown) => {
    if (!stop.signal.aborted) {
      log.error({ err: cause }, 'destinations could not be described by other data');
    }
  });
  const find = (address: string) => data?.find(address) ?? nothing;
  const addAnswers: Enrichment['addAnswers'] = async (kind, answers) => {
    await ready;
    const changed = await storeAnswers(db, kind, answers, find);
    if (changed.length > 0) {
      signals.emit('destinationsDiscovered', changed);
    }
    return changed;
  };
  return {
    ready,
    described: over,
    describe(address) {
      const host = names.get(address) ?? null;
      return data || host !== null ? { host, ...find(address) } : null;
    },
    findVendor: (mac) => data?.dataset.findVendor(mac) ?? null,
    noteNames(noted) {
      for (const { address, name } of noted) {
        names.set(address, name);
      }
      const at = clock.now();
      return addAnswers(
        'dns',
        noted.map(({ address, name }) => ({ address, at, until: at + limits.nameKeptMs, facts: { host: name } })),
      );
    },
    addAnswers,
    localOrigins: (address) => data?.findOrigins(address) ?? { facts: nothing, country: null, org: null, place: null },
    vendorData: () => data && { name: 'makers of network cards', version: data.dataset.version },
    state: () => ({
      version: data?.version ?? null,
      error: error ?? data?.damage() ?? null,
      operatorFiles: data?.operatorFiles.map(({ name }) => name) ?? [],
      attributions: (data?.dataset.sources ?? []).map(({ attribution, licence, url }) => ({
        text: attribution,
        licence,
        url,
      })),
      describing,
    }),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub stops'));
      await over;
    },
  };
}
