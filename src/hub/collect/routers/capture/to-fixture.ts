// Makes a fixture of the NAT table in a capture, with what is read of it today as the expectation. Somebody corrects that by hand.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { type Bundle, type Exchange, getBytes } from '#capture/bundle.ts';
import { createFile, createText, isThere, readJson, removeIfPossible, writeText } from '#kernel/files/files.ts';
import { makeFolder } from '#kernel/files/make-folder.ts';
import { readInput } from '#kernel/text/problem.ts';
import type { Session } from '../driver.ts';
import { createScreen } from '../shell/screen.ts';
import { createNatDetailReader } from '../vendor-a/nat.ts';
import { createTranslationReader } from '../vendor-b/nat.ts';
import { readPlayed } from './played.ts';

/** Writes `NAME.txt` and `NAME.expected.json` into `folder`, and lists the first in the manifest of the fixtures. Returns their paths. */
export async function writeFixture(
  bundle: Bundle,
  folder: string,
  name: string,
  signal: AbortSignal,
): Promise<string[]> {
  const exchange = findTable(bundle);
  const bytes = getBytes(bundle, exchange);
  const { snapshot, failure } = await readPlayed(bundle, signal);
  const sessions = snapshot?.sessions ?? failure?.sessions ?? [];
  const expected = {
    vendor: bundle.index.kind,
    dialect: bundle.index.model,
    complete: snapshot?.complete ?? false,
    dynamic: sessions.length,
    static: countStatic(bundle, bytes),
    sessions: sessions.map(toExpectedRow),
  };
  const files = [path.join(folder, `${name}.txt`), path.join(folder, `${name}.expected.json`)] as const;
  const taken = files.find(isThere);
  if (taken !== undefined) {
    throw new Error(`${taken} is there already: name another fixture with --name`);
  }
  const manifest = readManifest(files[0]);
  makeFolder(folder);
  createFile(files[0], bytes);
  try {
    createText(files[1], `${JSON.stringify(expected, null, 1)}\n`);
  } catch (error) {
    removeIfPossible(files[0]);
    throw error;
  }
  if (manifest === null) {
    return [...files];
  }
  addToManifest(manifest, files[0], bytes, bundle.index.model);
  return [...files, manifest.place];
}

/** The answer that the driver took its sessions from: the last one to a command that prints the NAT table. */
function findTable({ index }: Bundle): Exchange {
  const table = /^show (?:nat descriptor address \d+ detail|ip nat translations(?: verbose)?)$/;
  const found = index.exchanges.findLast(({ command }) => table.test(command));
  if (!found) {
    throw new Error(
      `the capture has no answer with a NAT table; it ended before (${index.failure ?? 'for no known reason'})`,
    );
  }
  return found;
}

function countStatic({ index }: Bundle, bytes: Uint8Array): number {
  const reader = index.kind === 'vendor_a' ? createNatDetailReader() : createTranslationReader();
  const screen = createScreen('utf-8', ({ text, isDamaged }) => {
    if (!isDamaged) {
      reader.push(text);
    }
  });
  screen.feed(bytes);
  return reader.end({ cut: false, noisy: 0 }).staticRows;
}

function toExpectedRow(session: Session) {
  const { proto, src, sport, dst, dport, outerAddress, outerPort, ttl, ageSec, idleSec } = session;
  const times = Object.entries({ ttlSec: ttl, ageSec, idleSec }).filter(([, seconds]) => seconds !== null);
  const row = { proto: proto.toLowerCase(), src, sport, dst, dport, nat: outerPort, outer: outerAddress };
  return { ...row, ...Object.fromEntries(times) };
}

interface Manifest {
  place: string;
  entries: Record<string, unknown>;
}

/** What MANIFEST.json lists by file. A file of that name that lists something else is not touched. */
const manifestSchema = z.record(z.string(), z.looseObject({ sha256: z.string() }));

/** Reads the manifest two folders up, where the fixtures of the project have it. Throws when it is no JSON. */
function readManifest(file: string): Manifest | null {
  const place = path.join(path.dirname(file), '..', '..', 'MANIFEST.json');
  const entries = readInput(manifestSchema, readJson(place)).data;
  return entries === undefined ? null : { place, entries };
}

function addToManifest({ place, entries }: Manifest, file: string, bytes: Uint8Array, model: string): void {
  entries[path.relative(path.dirname(place), file).split(path.sep).join('/')] = {
    origin: `captured from a ${model}, anonymised by gatehouse capture`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
  writeText(place, `${JSON.stringify(entries, null, 1)}\n`);
}
