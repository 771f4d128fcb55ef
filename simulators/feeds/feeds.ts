// The four threat feeds, the false positives and three reputation services on one loopback port, and their control surface.
import { createServer } from 'node:http';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase } from '../support/simulator-base.ts';
import { type FeedsControl, patchSchema } from './control.ts';
import { createExchange, type FeedSettings } from './exchange.ts';
import { type FeedFault, feedFaults, requireFaultValue } from './faults.ts';
import { type GivenRows, type ListName, listNames, madeUpRows, parseRows, type Rows, standingRows } from './listing.ts';
import { createPublications } from './publications.ts';

/** `clock` dates documents. */
export interface FeedsOptions extends SimulatorOptions {
  rows?: GivenRows;
  /** So many made-up entries of ThreatFox and URLhaus instead of a few standing ones. */
  entries?: number;
}

export interface FeedsSimulator extends FeedsControl, Simulator {
  readonly authKey: string;
  readonly keys: Readonly<FeedSettings['keys']>;
}

const firstSettings: FeedSettings = {
  authKey: 'abuse-ch-key-of-the-simulator',
  keys: {
    abuseipdb: 'abuseipdb-key-of-the-simulator',
    virustotal: 'virustotal-key-of-the-simulator',
    otx: 'otx-key-of-the-simulator',
  },
};

/**
 * Starts four threat feeds and three reputation services; each publisher is a folder below `url`, such as `/feodotracker`.
 * Rejects for a wrong row.
 */
export async function startFeeds(options: FeedsOptions = {}): Promise<FeedsSimulator> {
  const firstRows = (): Rows => {
    const { entries } = options;
    const madeUp =
      entries === undefined ? {} : { ioc: [...madeUpRows('ioc', entries)], url: [...madeUpRows('url', entries)] };
    const given: Partial<Record<ListName, readonly unknown[]>> = { ...standingRows, ...madeUp, ...options.rows };
    return Object.fromEntries(listNames.map((name) => [name, parseRows(name, given[name] ?? [])])) as Rows;
  };
  const rows = firstRows();
  const settings = structuredClone(firstSettings);
  const base = createSimulatorBase<FeedFault>(options, {
    faults: feedFaults,
    secrets: () => [settings.authKey, ...Object.values(settings.keys)],
    requireOptions: requireFaultValue,
  });
  const { clock, faults, journal } = base;
  const publications = createPublications(clock, rows);
  const put = <N extends ListName>(name: N, list: Rows[N]) => {
    rows[name] = list;
    publications.changed(name);
    journal.add('rows-changed', { list: name, rows: list.length });
  };

  const server = createServer(base.listener(createExchange({ rows, settings, publications, base })));
  const url = new URL(`http://${await base.listen(server)}`);

  const control: FeedsControl = {
    ...base.control,
    reset() {
      faults.clear();
      Object.assign(settings, structuredClone(firstSettings));
      for (const [name, list] of Object.entries(firstRows()) as [ListName, Rows[ListName]][]) {
        put(name, list);
      }
      journal.clear();
    },
    state: () => ({
      url: url.origin,
      rows: Object.fromEntries(listNames.map((name) => [name, rows[name].length])),
      faults: faults.list(),
    }),
    patch(change) {
      const { madeUp = {}, ...rest } = parseChange(patchSchema, change);
      Object.assign(settings, rest);
      for (const [name, count] of Object.entries(madeUp) as [ListName, number][]) {
        put(name, parseRows(name, [...madeUpRows(name, count)]));
      }
    },
    list: (name, given) => put(name, parseRows(name, given)),
    rows: (name) => rows[name],
  };

  return toRunning(control, {
    url,
    get authKey() {
      return settings.authKey;
    },
    get keys() {
      return settings.keys;
    },
    [Symbol.asyncDispose]: () => base.close(server),
  });
}
