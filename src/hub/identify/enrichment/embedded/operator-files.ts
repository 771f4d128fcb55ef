// Custom databases of the operator: every .mmdb file of a folder, in memory (MaxMind DB format 2).
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Reader } from 'mmdb-lib';
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import type { DestinationFacts } from '../../../record/connections/store/facts.ts';

/** Facts of a database about an address: all but the host name. */
export type AddressFacts = Omit<DestinationFacts, 'host'>;

export type OperatorFile = Awaited<ReturnType<typeof openOperatorFile>>;

const label = z
  .string()
  .trim()
  .min(1)
  .transform((text) => visibleText(text, 120));
const country = z.string().regex(/^[A-Z]{2}$/);
const place = z.number().min(-180).max(180);

/** The fields of the free databases: GeoLite2, DB-IP, IPinfo, ip-location-db. */
const record = z.object({
  country: z
    .union([country, z.object({ iso_code: country })])
    .optional()
    .catch(undefined),
  country_code: country.optional().catch(undefined),
  autonomous_system_organization: label.optional().catch(undefined),
  as_name: label.optional().catch(undefined),
  city: z
    .union([label, z.object({ names: z.object({ en: label }) })])
    .optional()
    .catch(undefined),
  location: z.object({ latitude: place, longitude: place }).optional().catch(undefined),
  latitude: place.optional().catch(undefined),
  longitude: place.optional().catch(undefined),
});

/** Opens the databases of `folder` in the order of their names. Rejects with a sentence that names an unreadable one. */
export async function openOperatorFiles(folder: string): Promise<OperatorFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mmdb')).sort();
  return Promise.all(names.map((name) => openOperatorFile(path.join(folder, name), name)));
}

async function openOperatorFile(file: string, name: string) {
  const bytes = await readFile(file);
  let reader: Reader<never>;
  try {
    reader = new Reader(bytes);
    requireWhole(reader.metadata, bytes);
  } catch (cause) {
    throw new Error(`${file} is no MaxMind database: ${messageOf(cause)}`, { cause });
  }
  const { databaseType, buildEpoch, ipVersion } = reader.metadata;
  const digest = createHash('sha256').update(bytes.subarray(-65_536)).digest('hex').slice(0, 8);
  let damage: string | null = null;
  return {
    name,
    /** The type and the time of the database, and the first digits of its digest. */
    version: `${databaseType}-${buildEpoch.toISOString().slice(0, 10)}-${digest}`,
    /** `address` is canonical; `null` when the database does not know it. */
    find(address: string) {
      if (ipVersion === 4 && address.includes(':')) {
        return null;
      }
      try {
        return parseFacts(reader.get(address));
      } catch (error) {
        // The library finds a damaged record when it is asked for; the others are as good as before.
        damage ??= `${file} is damaged (at ${address}: ${visibleText(messageOf(error), 120)}): replace it and start the hub again`;
        return null;
      }
    },
    /** Which place of it could not be read, as a sentence; null while none is known. */
    damage: () => damage,
  };
}

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** Throws when the metadata has no time, or describes a search tree that does not fit into the file. */
function requireWhole({ nodeCount, nodeByteSize, buildEpoch }: Reader<never>['metadata'], bytes: Buffer): void {
  if (!(nodeCount * nodeByteSize <= bytes.lastIndexOf(marker)) || Number.isNaN(buildEpoch.getTime())) {
    throw new Error('a part of it is missing or damaged');
  }
}

function parseFacts(found: unknown): AddressFacts | null {
  const parsed = readInput(record, found);
  if (!parsed.success) {
    return null;
  }
  const { data } = parsed;
  const [lat, lon] = data.location
    ? [data.location.latitude, data.location.longitude]
    : [data.latitude ?? null, data.longitude ?? null];
  return {
    country: data.country_code ?? (typeof data.country === 'object' ? data.country.iso_code : data.country) ?? null,
    org: data.autonomous_system_organization ?? data.as_name ?? null,
    lat: lon === null ? null : lat,
    lon: lat === null ? null : lon,
    city: (typeof data.city === 'object' ? data.city.names.en : data.city) ?? null,
  };
}
