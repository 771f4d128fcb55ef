// Leases in the logs of DHCP servers: Yamaha RTX, dnsmasq and ISC dhcpd.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { parseHostName } from '#kernel/net/host-name.ts';
import type { LineReader } from './findings.ts';

/** `[DHCPD] LAN1(port4) Allocates 192.168.100.4: 00:a0:de:01:02:03`, also `Extends`. */
const yamaha = /\[DHCPD\] \S+ (?:Allocates|Extends) ([\d.]+): ([\da-fA-F:]{17})\b/;
/** `dnsmasq-dhcp[1]: DHCPACK(br0) 192.168.1.5 00:11:22:33:44:55 laptop` */
const dnsmasq = /\bdnsmasq-dhcp\[\d+\]: (?:\d+ )?DHCPACK\(\S+\) ([\d.]+) ([\da-fA-F:]{17})(?: (\S+))?/;
/** `dhcpd[1]: DHCPACK on 192.168.1.5 to 00:11:22:33:44:55 (laptop) via eth0` */
const isc = /\bdhcpd(?:\[\d+\])?: DHCPACK on ([\d.]+) to ([\da-fA-F:]{17})(?: \(([^)]+)\))? via/;
const anyLine = /\[DHCPD\]|\bdnsmasq-dhcp\[|\bdhcpd(?:\[\d+\])?: /;

export function createDhcpLogReader(): LineReader {
  return {
    read(line) {
      const [, ip = '', hardware = '', host = ''] = yamaha.exec(line) ?? dnsmasq.exec(line) ?? isc.exec(line) ?? [];
      const address = canonicalIp(ip);
      const mac = canonicalMac(hardware);
      if (address === null || mac === null) {
        return anyLine.test(line) ? [] : null;
      }
      return [{ kind: 'host', address, mac, name: parseHostName(host) }];
    },
  };
}
