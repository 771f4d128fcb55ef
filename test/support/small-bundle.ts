// A capture of two answers, small enough to be written down: what is wrong with a bundle is done to it.
import path from 'node:path';
import type { BundleIndex } from '#capture/bundle.ts';
import type { KnownWords } from '#capture/tokens.ts';
import { writeBundle } from '#capture/write-bundle.ts';

export const smallTable = Buffer.from(
  'Protocol  Address\r\nInternet  192.0.2.7   1   0000.5e00.5301  ARPA   Vlan1\r\n',
);

/** The first part of its table comes after twenty minutes, the second one when a key was typed. */
export const smallIndex: BundleIndex = {
  format: 'gatehouse-capture',
  version: 1,
  kind: 'vendor_b',
  model: 'C841M-4X-JSEC/K9',
  natDescriptor: null,
  ssh: { identification: 'SSH-2.0-Cisco-1.25', methods: ['password'], algorithms: {} },
  greeting: { prompt: 'router#', file: '00-greeting.txt', bytes: 2, steps: [{ afterMs: 3, bytes: 2 }] },
  exchanges: [
    {
      command: 'show ip arp',
      promptBefore: 'router#',
      promptAfter: 'router#',
      ending: 'prompt',
      file: '01-show-ip-arp.txt',
      bytes: smallTable.length,
      steps: [{ afterMs: 1_200_000, bytes: 20 }, { typed: 'key' }, { afterMs: 0, bytes: smallTable.length - 20 }],
    },
  ],
  failure: null,
  missing: [],
  replaced: {},
};

/** Writes it below `parent`; the scan knows `replacements` and `words`. Returns its folder. */
export function writeSmallBundle(
  parent: string,
  replacements: Parameters<typeof writeBundle>[2] = [],
  words: Partial<KnownWords> = {},
): string {
  const folder = path.join(parent, 'bundle');
  const files = new Map([
    ['00-greeting.txt', Buffer.from('\r\n')],
    ['01-show-ip-arp.txt', smallTable],
  ]);
  writeBundle(folder, { index: smallIndex, files }, replacements, { names: [], secrets: [], ...words });
  return folder;
}
