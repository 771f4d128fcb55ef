// What a MAC address says of the interface that has it.
import type { InterfaceKind } from '#contract/devices.ts';

/** Virtual addresses of router redundancy: globally unique, but whoever is on duty has them (VRRP, HSRP, GLBP). */
const sharedPrefixes = [
  '00:00:5e:00:01:',
  '00:00:5e:00:02:',
  '00:00:0c:07:ac:',
  '00:00:0c:9f:f',
  '00:05:73:a0:0',
  '00:07:b4:',
];

/** Locally administered, but made by a hypervisor or container engine and kept (QEMU, Docker). */
const virtualPrefixes = ['52:54:00:', '02:42:'];

/** `mac` in lower-case colon form; `null` for what is no interface's address: zero, groups, everybody. */
export function macKind(mac: string): InterfaceKind | null {
  const first = Number.parseInt(mac.slice(0, 2), 16);
  if ((first & 0x01) !== 0 || mac === '00:00:00:00:00:00') {
    return null;
  }
  const startsWith = (prefix: string) => mac.startsWith(prefix);
  if (sharedPrefixes.some(startsWith)) {
    return 'shared';
  }
  if (virtualPrefixes.some(startsWith)) {
    return 'virtual';
  }
  return (first & 0x02) === 0 ? 'stable' : 'private';
}
