// What is published where: the document of each path, cached with its validators until its rows change.
import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/time/clock.ts';
import { c2Csv, dropJson, falsePositivesCsv, iocCsv, urlCsv } from './documents.ts';
import type { ListName, Rows } from './listing.ts';
import { zipped } from './zip.ts';

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

const csv = 'text/csv; charset=utf-8';
const ofVersion = (rows: Rows, isV6: boolean) => rows.drop.filter(({ cidr }) => cidr.includes(':') === isV6);

/** Every document by the path below the simulator's address: the first word is the publisher's host. */
export const pages: Readonly<Record<string, Page>> = {
  '/feodotracker/downloads/ipblocklist.csv': {
    list: 'c2',
    type: csv,
    locked: false,
    method: 'GET',
    write: ({ c2 }, at) => c2Csv(c2, at),
  },
  '/threatfox/files/exports/recent.csv': {
    list: 'ioc',
    type: csv,
    locked: true,
    method: 'GET',
    write: ({ ioc }, at) => iocCsv(ioc, at),
  },
  '/threatfox/files/exports/full.csv.zip': {
    list: 'ioc',
    type: 'application/zip',
    locked: true,
    method: 'GET',
    write: ({ ioc }, at) => iocCsv(ioc, at),
    packedAs: 'full.csv',
  },
  '/urlhaus/files/exports/recent.csv': {
    list: 'url',
    type: csv,
    locked: true,
    method: 'GET',
    write: ({ url }, at) => urlCsv(url, at),
  },
  '/hunting/api/v1/': {
    list: 'falsePositives',
    type: csv,
    locked: true,
    method: 'POST',
    write: ({ falsePositives }, at) => falsePositivesCsv(falsePositives, at),
  },
  '/spamhaus/drop/drop_v4.json': {
    list: 'drop',
    type: 'application/json',
    locked: false,
    method: 'GET',
    write: (rows, at) => dropJson(ofVersion(rows, false), at),
  },
  '/spamhaus/drop/drop_v6.json': {
    list: 'drop',
    type: 'application/json',
    locked: false,
    method: 'GET',
    write: (rows, at) => dropJson(ofVersion(rows, true), at),
  },
};

export interface Publications {
  /** The document at a path of `pages`, as it is now. */
  at(path: string): Publication;
  /** As `at`, written from these rows and not cached. */
  from(path: string, rows: Rows): Publication;
  /** To be told when rows have changed. */
  changed(list: ListName): void;
}

export function createPublications(clock: Clock, rows: Rows): Publications {
  const kept = new Map<string, Publication>();
  const publish = (path: string, from: Rows): Publication => {
    const page = pages[path];
    if (!page) {
      throw new Error(`nothing is published at ${path}`);
    }
    const changedAt = Math.floor(clock.now() / 1000) * 1000;
    const text = Buffer.from(page.write(from, changedAt));
    const body = page.packedAs === undefined ? text : zipped(page.packedAs, text);
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    return { body, type: page.type, etag, changedAt };
  };
  return {
    at(path) {
      const publication = kept.get(path) ?? publish(path, rows);
      kept.set(path, publication);
      return publication;
    },
    from: publish,
    changed(list) {
      for (const path of kept.keys()) {
        if (pages[path]?.list === list) {
          kept.delete(path);
        }
      }
    },
  };
}
