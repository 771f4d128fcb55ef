// Writes small MaxMind databases (format 2.0), as an operator would bring one: a tree of 24-bit records, then data.

/** Records by network, such as `203.0.113.0/24`. */
export function encodeMmdb(databaseType: string, networks: Record<string, object>): Buffer {
  const data: Buffer[] = [];
  let dataLength = 0;
  const nodes: [Slot, Slot][] = [[null, null]];
  for (const [network, record] of Object.entries(networks)) {
    const bytes = encodeValue(record);
    insert(nodes, toBits(network), { at: dataLength });
    data.push(bytes);
    dataLength += bytes.length;
  }
  const tree = Buffer.concat(nodes.flat().map((slot) => toRecord(slot, nodes.length)));
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_780_000_000,
    database_type: databaseType,
    description: { en: 'made for a test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  };
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encodeValue(metadata)]);
}

/** Another node, a place in the data, or nothing. */
type Slot = number | { at: number } | null;

function insert(nodes: [Slot, Slot][], bits: readonly (0 | 1)[], leaf: { at: number }): void {
  let node = nodes[0];
  for (const [depth, bit] of bits.entries()) {
    if (depth === bits.length - 1) {
      (node as [Slot, Slot])[bit] = leaf;
      return;
    }
    let next = node?.[bit] ?? null;
    if (typeof next !== 'number') {
      next = nodes.push([null, null]) - 1;
      (node as [Slot, Slot])[bit] = next;
    }
    node = nodes[next];
  }
}

function toRecord(slot: Slot, count: number): Buffer {
  const value = slot === null ? count : typeof slot === 'number' ? slot : count + 16 + slot.at;
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(value, 0, 3);
  return bytes;
}

/** IPv4 lies at ::/96. */
function toBits(network: string): (0 | 1)[] {
  const [address = '', length = ''] = network.split('/');
  const octets = address.split('.').map(Number);
  const bits = octets.flatMap((octet) => [...octet.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? 1 : 0)));
  return [...Array.from({ length: 96 }, () => 0 as const), ...bits.slice(0, Number(length))];
}

function encodeValue(value: unknown): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value, 'utf8');
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(3, 8), bytes]);
  }
  if (Array.isArray(value)) {
    return Buffer.concat([control(11, value.length), ...value.map(encodeValue)]);
  }
  const entries = Object.entries(value as object);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap((entry) => entry.map(encodeValue))]);
}

/** Type and size in front of a value; sizes from 29 to 284 take another byte, types from 8 on too. */
function control(type: number, size: number): Buffer {
  const small = Math.min(size, 29);
  const more = size >= 29 ? [size - 29] : [];
  return Buffer.from(type > 7 ? [small, type - 7, ...more] : [(type << 5) | small, ...more]);
}
