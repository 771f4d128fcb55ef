// Interfaces by MAC: created once, touched at every sighting, updated only when their facts change.
import type { InterfaceKind } from '#contract/devices.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { InterfaceFacts } from './sighting.ts';

export interface InterfaceRow {
  id: number;
  mac: string;
  /** Null when several machines use the MAC. */
  device: number | null;
  kind: InterfaceKind;
}

export interface Interfaces {
  find(mac: string): InterfaceRow | null;
  create(one: { mac: string; device: number | null; kind: InterfaceKind; at: number }): void;
  /** True when its facts changed. */
  update(mac: string, facts: InterfaceFacts, heardAt: number | null): boolean;
  /** Marks every other interface as not connected by radio. */
  disconnectAllBut(macs: ReadonlySet<string>): void;
  /** Marks a MAC as shared by several machines. */
  share(mac: string): void;
  /** Whether the device, or one merged with it, has an interface. */
  belongTo(device: number): boolean;
}

const noFacts = { dhcpName: null, clientId: null, meshName: null, mdnsName: null, netbiosName: null };

export function createInterfaces(writer: Writer, findVendor: (mac: string) => string | null): Interfaces {
  const select = writer.prepare('SELECT id, mac, device, kind FROM interface WHERE mac = ?');
  const insert = writer.prepare(
    'INSERT INTO interface (mac, device, kind, vendor, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const hear = writer.prepare('UPDATE interface SET last_seen = max(last_seen, ?) WHERE mac = ?');
  const connect = writer.prepare('UPDATE interface SET wifi_node = ?, wifi_band = ?, wifi_signal = ? WHERE mac = ?');
  const name = writer.prepare(
    `UPDATE interface SET vendor = ifnull(@vendor, vendor), dhcp_name = ifnull(@dhcpName, dhcp_name),
       client_id = ifnull(@clientId, client_id), mesh_name = ifnull(@meshName, mesh_name), mdns_name = ifnull(@mdnsName, mdns_name),
       netbios_name = ifnull(@netbiosName, netbios_name)
     WHERE mac = @mac AND (vendor IS NOT ifnull(@vendor, vendor) OR dhcp_name IS NOT ifnull(@dhcpName, dhcp_name)
       OR client_id IS NOT ifnull(@clientId, client_id) OR mesh_name IS NOT ifnull(@meshName, mesh_name)
       OR mdns_name IS NOT ifnull(@mdnsName, mdns_name) OR netbios_name IS NOT ifnull(@netbiosName, netbios_name))`,
  );
  const wireless = writer.prepare(
    'SELECT mac FROM interface WHERE wifi_node IS NOT NULL OR wifi_band IS NOT NULL OR wifi_signal IS NOT NULL',
  );
  const share = writer.prepare("UPDATE interface SET kind = 'shared' WHERE mac = ?");
  const owned = writer.prepare(
    `SELECT 1 FROM device one JOIN device d ON d.root = one.root JOIN interface i ON i.device = d.id
     WHERE one.id = ? LIMIT 1`,
  );
  const find = (mac: string) => (select.get(mac) as InterfaceRow | undefined) ?? null;

  return {
    find,
    create: ({ mac, device, kind, at }) => void insert.run(mac, device, kind, findVendor(mac), at, at),
    update(mac, { wifi, ...facts }, heardAt) {
      if (heardAt !== null) {
        hear.run(heardAt, mac);
      }
      if (wifi) {
        connect.run(wifi.node, wifi.band, wifi.signal, mac);
      }
      return name.run({ ...noFacts, ...facts, vendor: findVendor(mac), mac }).changes > 0;
    },
    disconnectAllBut(macs) {
      for (const { mac } of wireless.all() as { mac: string }[]) {
        if (!macs.has(mac)) {
          connect.run(null, null, null, mac);
        }
      }
    },
    share: (mac) => void share.run(mac),
    belongTo: (device) => owned.get(device) !== undefined,
  };
}
