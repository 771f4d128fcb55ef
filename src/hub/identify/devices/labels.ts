// The labels of a device, and those of its addresses in the connection log.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { SourceFacts } from '../../record/connections/store/facts.ts';

/** Sets the names of a root from its own interfaces, then from those of its merged parts. */
export function refreshNames(writer: Writer, root: number): void {
  const first = (column: string) =>
    `(SELECT ${column} FROM interface i JOIN device m ON m.id = i.device WHERE m.root = @root AND ${column} IS NOT NULL
      ORDER BY m.id <> @root, i.id LIMIT 1)`;
  writer
    .prepare(
      `UPDATE device SET dns_name = coalesce(${first('i.dhcp_name')}, ${first('i.mesh_name')}, (
           SELECT l.name FROM lease l JOIN device m ON m.id = l.device
           WHERE m.root = @root AND l.until IS NULL AND l.name IS NOT NULL ORDER BY m.id <> @root, l.id LIMIT 1)),
         mdns_name = ${first('i.mdns_name')}, netbios_name = ${first('i.netbios_name')}
       WHERE id = @root`,
    )
    .run({ root });
}

/** The labels of an address: those of its holder, as shown. Null when nobody holds it. */
export function describeAddress(reader: Pick<Writer, 'prepare'>, address: string): SourceFacts | null {
  const row = reader
    .prepare(
      `SELECT l.mac, i.vendor, r.dns_name AS dnsName, r.mdns_name AS mdnsName, r.device_id AS deviceId
       FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root LEFT JOIN interface i ON i.mac = l.mac
       WHERE l.address = +? AND l.until IS NULL ORDER BY l.since, l.id LIMIT 1`,
    )
    .get(address);
  return (row as SourceFacts | undefined) ?? null;
}

/** Addresses that a root and its merged parts hold now. */
export function listAddresses(reader: Pick<Writer, 'prepare'>, root: number): string[] {
  const rows = reader
    .prepare(
      'SELECT DISTINCT l.address FROM device d JOIN lease l ON l.device = d.id WHERE d.root = ? AND l.until IS NULL',
    )
    .all(root) as { address: string }[];
  return rows.map(({ address }) => address);
}

/** The device that the interface with this MAC is shown with. */
export function findDeviceIdByMac(reader: Pick<Writer, 'prepare'>, mac: string): string | null {
  const row = reader
    .prepare(
      `SELECT r.device_id AS deviceId FROM interface i JOIN device d ON d.id = i.device JOIN device r ON r.id = d.root
       WHERE i.mac = ?`,
    )
    .get(mac) as { deviceId: string } | undefined;
  return row?.deviceId ?? null;
}

/** The device this one is shown as. */
export function findRoot(reader: Pick<Writer, 'prepare'>, device: number): number {
  const { root } = reader.prepare('SELECT root FROM device WHERE id = ?').get(device) as { root: number };
  return root;
}
