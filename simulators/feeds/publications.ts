// What is published where: the document of each path, cached with its validators until its rows change.
import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/time/clock.ts';
import { c2Csv, dropJson, falsePositivesCsv, iocCsv, urlCsv } from './documents.ts';
import type { ListName, Rows } from './listing.ts';
import { createZip } from './zip.ts';

export interface Publication {
  body: Buffer;
  type: string;
  etag: string;
  /** Epoch milliseconds, whole seconds. */
  changedAt: number;
}

interface Page {
  list: ListName;
  type: string;
  /** Only with the key of abuse.ch. */
  locked: boolean;
  method: 'GET' | 'POST';
  write(rows: Rows, at: number): string;
  packedAs?: string;
}

const csv = { type: 'text/csv; charset=utf-8', method: 'GET' } as const;
const json = { type: 'application/json', method: 'GET', list: 'drop', locked: false } as const;
const ofVersion = (rows: Rows, isV6: boolean) => rows.drop.filter(({ cidr }) => cidr.includes(':') === isV6);
const writeIoc: Page['write'] = ({ ioc }, at) => iocCsv(ioc, at);

/** Every document by the path below the simulator's address: the first word is the publisher's host. */
export const pages: Readonly<Record<string, Page>> = {
  '/feodotracker/downloads/ipblocklist.csv': {
    ...csv,
    list: 'c2',
    locked: false,
    write: ({ c2 }, at) => c2Csv(c2, at),
  },
  '/threatfox/files/exports/recent.csv': { ...csv, list: 'ioc', locked: true, write: writeIoc },
  '/threatfox/files/exports/full.csv.zip': {
    ...csv,
    type: 'application/zip',
    list: 'ioc',
    locked: true,
    write: writeIoc,
    packedAs: 'full.csv',
  },
  '/urlhaus/files/exports/recent.csv': { ...csv, list: 'url', locked: true, write: ({ url }, at) => urlCsv(url, at) },
  '/hunting/api/v1/': {
    ...csv,
    method: 'POST',
    list: 'falsePositives',
    locked: true,
    write: ({ falsePositives }, at) => falsePositivesCsv(falsePositives, at),
  },
  '/spamhaus/drop/drop_v4.json': { ...json, write: (rows, at) => dropJson(ofVersion(rows, false), at) },
  '/spamhaus/drop/drop_v6.json': { ...json, write: (rows, at) => dropJson(ofVersion(rows, true), at) },
};

export type Publications = ReturnType<typeof createPublications>;

export function createPublications(clock: Clock, rows: Rows) {
  const kept = new Map<string, Publication>();
  const publish = (path: string, from: Rows): Publication => {
    const page = pages[path];
    if (!page) {
      throw new Error(`nothing is published at ${path}`);
    }
    const changedAt = Math.floor(clock.now() / 1000) * 1000;
    const text = Buffer.from(page.write(from, changedAt));
    const body = page.packedAs === undefined ? text : createZip(page.packedAs, text);
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    return { body, type: page.type, etag, changedAt };
  };
  return {
    /** The document at a path of `pages`, as it is now. */
    at(path: string): Publication {
      const publication = kept.get(path) ?? publish(path, rows);
      kept.set(path, publication);
      return publication;
    },
    /** As `at`, written from these rows and not cached. */
    from: publish,
    changed(list: ListName): void {
      for (const path of kept.keys()) {
        if (pages[path]?.list === list) {
          kept.delete(path);
        }
      }
    },
  };
}
