// The allow-list of commands: what may be sent to somebody's router, and what may not.
import { describe, expect, test } from 'vitest';
import { vendorA } from '#simulators/router/vendor-a.ts';
import { vendorB } from '#simulators/router/vendor-b.ts';
import { verifies } from '../support/verifies.ts';

const harmless = [
  '',
  '   ',
  '! a comment',
  'show environment',
  'show config | grep "console character"',
  'show config | grep -i -w nat',
  'show nat descriptor address 1000 detail',
  'show nat descriptor masquerade session 1000 summary',
  'show arp',
  'show ipv6 neighbor cache',
  'show status dhcp',
  'show version',
  'sh ip nat tr ve',
  'SHOW CLOCK',
  'show ip nat translations | include 192.168.100.2',
  'show running-config | begin interface',
  'show ip nat translations | exclude tcp|udp',
  'show log | grep ">"',
  'terminal length 0',
  'terminal width 511',
  'term len 0',
  'enable',
  'disable',
  'administrator',
  'exit',
  'quit',
  'logout',
];

const dangerous = [
  'console lines infinity',
  'console character en.ascii',
  'console columns 200',
  'console prompt rtx',
  'console info on',
  'no console lines',
  'save',
  'restart',
  'cold start',
  'clear nat descriptor dynamic 1000',
  'clear arp',
  'pp select 1',
  'ip lan1 address 192.168.1.1/24',
  'disconnect user monitor',
  'copy exec 0 1',
  'configure terminal',
  'conf t',
  'write memory',
  'wr',
  'reload',
  'clear ip nat translation *',
  'debug ip nat',
  'copy running-config startup-config',
  'terminal monitor',
  'terminal length',
  'terminal length 0 0',
  'show',
  'show running-config | redirect flash:config',
  'show running-config | tee flash:config',
  'show running-config | include ip | redir flash:config',
  'show config > usb1:config.txt',
  'show arp |',
  'show arp\nreload',
  'show arp\rreload',
  'do show arp',
  'enable 15',
  'exit all',
  'e',
  'ping 192.0.2.1',
];

for (const vendor of [vendorA, vendorB]) {
  describe(vendor.kind, () => {
    test.each(harmless)('%j only reads', (line) => {
      expect(vendor.readOnly(line)).toBe(true);
    });

    verifies('sim.router.violations', `${dangerous.length} lines that change something are not read-only`, () => {
      expect(dangerous.length).toBeGreaterThanOrEqual(30);
      expect(dangerous.filter((line) => vendor.readOnly(line))).toEqual([]);
    });
  });
}
