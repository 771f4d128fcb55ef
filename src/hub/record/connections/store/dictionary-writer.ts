// The dictionaries of a batch: finds the row of each address, or inserts it with its facts.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { DestinationFacts, FactProvider, SourceFacts } from './facts.ts';

interface Entry {
  id: number;
  /** When the address was first seen, epoch milliseconds. */
  first: number;
}

/** Finds or inserts the row of `address`; an earlier `seenAt` becomes its first sighting. */
type FindEntry<E extends Entry> = (address: string, seenAt: number) => E;

const noSourceFacts: SourceFacts = { mac: null, vendor: null, dnsName: null, mdnsName: null, deviceId: null };
const noDestinationFacts: DestinationFacts = { host: null, country: null, org: null, lat: null, lon: null, city: null };

export function createSourceFinder(
  writer: Writer,
  factProvider: FactProvider | undefined,
  onNew: (address: string) => void,
): FindEntry<Entry> {
  const insert = writer.prepare(
    `INSERT INTO source (address, first_seen, mac, vendor, dns_name, mdns_name, device_id)
     VALUES (@address, @seenAt, @mac, @vendor, @dnsName, @mdnsName, @deviceId)`,
  );
  return createEntryFinder(writer, 'source', 'id, first_seen AS first', (address, seenAt) => {
    onNew(address);
    const facts = factProvider?.describeSource(address) ?? noSourceFacts;
    const { lastInsertRowid } = insert.run({ address, seenAt, ...facts });
    return { id: Number(lastInsertRowid), first: seenAt };
  });
}

export function createDestinationFinder(
  writer: Writer,
  factProvider: FactProvider | undefined,
): FindEntry<Entry & { host: string | null }> {
  const insert = writer.prepare(
    `INSERT INTO destination (address, first_seen, host, country, org, lat, lon, city)
     VALUES (@address, @seenAt, @host, @country, @org, @lat, @lon, @city)`,
  );
  return createEntryFinder(writer, 'destination', 'id, first_seen AS first, host', (address, seenAt) => {
    const facts = factProvider?.describe(address) ?? noDestinationFacts;
    const { lastInsertRowid } = insert.run({ address, seenAt, ...facts });
    return { id: Number(lastInsertRowid), first: seenAt, host: facts.host };
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
