// Stores network interfaces by MAC. Each sighting updates `last_seen`; names are written only when they change.
import type { InterfaceKind } from '#contract/devices.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { InterfaceFacts } from './sighting.ts';

export interface InterfaceRow {
  id: number;
  mac: string;
  /** Null when the MAC was already known to be shared at its first sighting. */
  device: number | null;
  kind: InterfaceKind;
}

const noFacts = { dhcpName: null, clientId: null, meshName: null, mdnsName: null, netbiosName: null };

export function createInterfaces(writer: Writer, findVendor: (mac: string) => string | null) {
  const select = writer.prepare('SELECT id, mac, device, kind FROM interface WHERE mac = ?');
  const insert = writer.prepare(
    'INSERT INTO interface (mac, device, kind, vendor, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const updateLastSeen = writer.prepare('UPDATE interface SET last_seen = max(last_seen, ?) WHERE mac = ?');
  const updateWifi = writer.prepare('UPDATE interface SET wifi_node = ?, wifi_band = ?, wifi_signal = ? WHERE mac = ?');
  const updateNames = writer.prepare(
    `UPDATE interface SET vendor = ifnull(@vendor, vendor), dhcp_name = ifnull(@dhcpName, dhcp_name),
       client_id = ifnull(@clientId, client_id), mesh_name = ifnull(@meshName, mesh_name), mdns_name = ifnull(@mdnsName, mdns_name),
       netbios_name = ifnull(@netbiosName, netbios_name)
     WHERE mac = @mac AND (vendor IS NOT ifnull(@vendor, vendor) OR dhcp_name IS NOT ifnull(@dhcpName, dhcp_name)
       OR client_id IS NOT ifnull(@clientId, client_id) OR mesh_name IS NOT ifnull(@meshName, mesh_name)
       OR mdns_name IS NOT ifnull(@mdnsName, mdns_name) OR netbios_name IS NOT ifnull(@netbiosName, netbios_name))`,
  );
  const selectWireless = writer.prepare(
    'SELECT mac FROM interface WHERE wifi_node IS NOT NULL OR wifi_band IS NOT NULL OR wifi_signal IS NOT NULL',
  );
  const updateShared = writer.prepare("UPDATE interface SET kind = 'shared' WHERE mac = ?");
  const selectOwned = writer.prepare(
    `SELECT 1 FROM device one JOIN device d ON d.root = one.root JOIN interface i ON i.device = d.id
     WHERE one.id = ? LIMIT 1`,
  );
  const find = (mac: string) => (select.get(mac) as InterfaceRow | undefined) ?? null;

  return {
    find,
    create: ({
      mac,
      device,
      kind,
      seenAt,
    }: {
      mac: string;
      device: number | null;
      kind: InterfaceKind;
      seenAt: number;
    }) => void insert.run(mac, device, kind, findVendor(mac), seenAt, seenAt),
    /** `heardAt` as in `Sighting`. True when a fact other than the Wi-Fi connection changed. */
    update(mac: string, { wifi, ...facts }: InterfaceFacts, heardAt: number | null) {
      if (heardAt !== null) {
        updateLastSeen.run(heardAt, mac);
      }
      if (wifi) {
        updateWifi.run(wifi.node, wifi.band, wifi.signal, mac);
      }
      return updateNames.run({ ...noFacts, ...facts, vendor: findVendor(mac), mac }).changes > 0;
    },
    /** Deletes the Wi-Fi connection of every other interface. */
    clearWifiExcept(macs: ReadonlySet<string>) {
      for (const { mac } of selectWireless.all() as { mac: string }[]) {
        if (!macs.has(mac)) {
          updateWifi.run(null, null, null, mac);
        }
      }
    },
    /** Marks a MAC as shared by several machines. */
    markShared: (mac: string) => void updateShared.run(mac),
    /** Whether an interface belongs to the device or to one merged with it. */
    hasAnyOf: (device: number) => selectOwned.get(device) !== undefined,
  };
}
