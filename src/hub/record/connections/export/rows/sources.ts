// The texts of sources, as of the last sighting of a row: an address changes hands, and earlier rows keep their labels.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Cells } from './cells.ts';
import { createDictionary } from './dictionary.ts';
import type { Piece } from './page-bytes.ts';

interface SourceRow {
  id: number;
  src: string;
  /** Null while the address has had one holder. */
  heldSince: number | null;
}

interface SourceEntry extends SourceRow {
  pieces: readonly Piece[];
}

export type Sources = ReturnType<typeof createSources>;

const labels = 'mac AS srcMac, vendor AS srcVendor, dns_name AS srcDnsName, mdns_name AS srcMdnsName';
const unlabelled = { srcMac: null, srcVendor: null, srcDnsName: null, srcMdnsName: null };

export function createSources(reader: Pick<Reader, 'prepare'>, encode: (cells: Cells['source']) => Piece[]) {
  const select = `SELECT id, held_since AS heldSince, address AS src, ${labels} FROM source`;
  const entries = createDictionary(
    reader,
    select,
    (row: SourceRow & Cells['source']): SourceEntry => ({
      id: row.id,
      src: row.src,
      heldSince: row.heldSince,
      pieces: encode(row),
    }),
  );
  const past = reader.prepare(
    `SELECT ${labels} FROM source_past WHERE address = ? AND (until IS NULL OR until > ?) ORDER BY since LIMIT 1`,
  );
  return {
    ...entries,
    findPieces(id: number, lastSeen: number): readonly Piece[] {
      const { src, heldSince, pieces } = entries.get(id);
      if (heldSince === null || lastSeen >= heldSince) {
        return pieces;
      }
      const former = past.get(src, lastSeen) as Omit<Cells['source'], 'src'> | undefined;
      return encode({ src, ...(former ?? unlabelled) });
    },
  };
}
