// All local data: the operator's databases first, the embedded data where they have gaps.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataset } from './dataset.ts';
import { type AddressFacts, openOperatorFiles } from './operator-files.ts';

export type EnrichmentData = Awaited<ReturnType<typeof openEnrichmentData>>;

/** A file of the local data. */
export interface LocalOrigin {
  from: 'operator_file' | 'embedded';
  name: string;
  version: string;
}

/** What the local data says, and from where; null where it has nothing. Coordinates and city are one place. */
export interface LocalOrigins {
  facts: AddressFacts;
  country: LocalOrigin | null;
  org: LocalOrigin | null;
  place: LocalOrigin | null;
}

const fileName = 'enrichment.bin.zst';
const embedded = fileURLToPath(new URL(`./${fileName}`, import.meta.url));

/**
 * Opens the embedded data, or what replaces it in `folder`: a newer `enrichment.bin.zst`, and any .mmdb databases.
 * Rejects with a sentence that names the file.
 */
export async function openEnrichmentData(folder?: string) {
  const own = folder && path.join(folder, fileName);
  const dataset = await openDataset(own && existsSync(own) ? own : embedded);
  const operatorFiles = folder ? await openOperatorFiles(folder) : [];
  const findEmbedded = (address: string): AddressFacts => ({
    ...dataset.find(address),
    lat: null,
    lon: null,
    city: null,
  });
  const find = (address: string) => {
    const facts = findEmbedded(address);
    return operatorFiles.toReversed().reduce((known, file) => fillGaps(known, file.find(address)), facts);
  };
  return {
    dataset,
    operatorFiles,
    /** A text that changes whenever an answer may change. */
    version: [dataset.version, ...operatorFiles.map(({ version }) => version)].join(' '),
    /** `address` is canonical. */
    find,
    /** A place of the operator's databases that could not be read, as a sentence; null while none is known. */
    damage: () => operatorFiles.map((file) => file.damage()).find((one) => one !== null) ?? null,
    /** Returns the file that each fact of the address comes from. */
    findOrigins(address: string) {
      const own = operatorFiles.map((file) => ({
        origin: { from: 'operator_file' as const, name: file.name, version: file.version },
        facts: file.find(address),
      }));
      const ours = { from: 'embedded' as const, name: fileName, version: dataset.version };
      const all = [...own, { origin: ours, facts: findEmbedded(address) }];
      const first = (has: (facts: AddressFacts) => boolean) =>
        all.find(({ facts }) => facts !== null && has(facts))?.origin ?? null;
      return {
        facts: find(address),
        country: first(({ country }) => country !== null),
        org: first(({ org }) => org !== null),
        place: first(({ lat, city }) => lat !== null || city !== null),
      };
    },
  };
}

/** `better`, with its gaps filled from `known`; coordinates and city belong together. */
function fillGaps(known: AddressFacts, better: AddressFacts | null): AddressFacts {
  if (!better) {
    return known;
  }
  const located = better.lat === null && better.city === null ? known : better;
  return {
    country: better.country ?? known.country,
    org: better.org ?? known.org,
    lat: located.lat,
    lon: located.lon,
    city: located.city,
  };
}
