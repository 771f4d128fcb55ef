// The dictionaries of a batch: finds the row of each address, or inserts it with its facts.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { FactProvider } from './facts.ts';

/** A row, and when its address was first seen. */
interface Entry {
  id: number;
  first: number;
}

/** The row of `address`; an earlier `seenAt` becomes its first sighting. */
type FindEntry<E extends Entry> = (address: string, seenAt: number) => E;

export function createSourceFinder(
  writer: Writer,
  factProvider: FactProvider | undefined,
  onNew: (address: string) => void,
): FindEntry<Entry> {
  const insert = writer.prepare(
    'INSERT INTO source (address, first_seen, mac, vendor, dns_name, mdns_name, device_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  return createEntryFinder(writer, 'source', 'id, first_seen AS first', (address, seenAt) => {
    onNew(address);
    const facts = factProvider?.describeSource(address) ?? null;
    const values = facts && [facts.mac, facts.vendor, facts.dnsName, facts.mdnsName, facts.deviceId];
    const { lastInsertRowid } = insert.run(address, seenAt, ...(values ?? [null, null, null, null, null]));
    return { id: Number(lastInsertRowid), first: seenAt };
  });
}

export function createDestinationFinder(
  writer: Writer,
  factProvider: FactProvider | undefined,
): FindEntry<Entry & { host: string | null }> {
  const insert = writer.prepare(
    'INSERT INTO destination (address, first_seen, host, country, org, lat, lon, city) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  return createEntryFinder(writer, 'destination', 'id, first_seen AS first, host', (address, seenAt) => {
    const facts = factProvider?.describe(address) ?? null;
    const values = facts && [facts.host, facts.country, facts.org, facts.lat, facts.lon, facts.city];
    const { lastInsertRowid } = insert.run(address, seenAt, ...(values ?? [null, null, null, null, null, null]));
    return { id: Number(lastInsertRowid), first: seenAt, host: facts?.host ?? null };
  });
}

function createEntryFinder<E extends Entry>(
  writer: Writer,
  table: 'source' | 'destination',
  columns: string,
  insert: (address: string, seenAt: number) => E,
): FindEntry<E> {
  const known = new Map<string, E>();
  const find = writer.prepare(`SELECT ${columns} FROM ${table} WHERE address = ?`);
  const update = writer.prepare(`UPDATE ${table} SET first_seen = ? WHERE id = ?`);
  return (address, seenAt) => {
    const entry = known.get(address) ?? (find.get(address) as E | undefined) ?? insert(address, seenAt);
    if (seenAt < entry.first) {
      entry.first = seenAt;
      update.run(seenAt, entry.id);
    }
    known.set(address, entry);
    return entry;
  };
}
