// The kind of a MAC address.
import type { InterfaceKind } from '#contract/devices.ts';

/** Virtual addresses of router redundancy (VRRP, HSRP, GLBP): globally unique, but held by the active router. */
const sharedPrefixes = [
  '00:00:5e:00:01:',
  '00:00:5e:00:02:',
  '00:00:0c:07:ac:',
  '00:00:0c:9f:f',
  '00:05:73:a0:0',
  '00:07:b4:',
];

/** Locally administered, but stable: assigned by a hypervisor or container engine (QEMU, Docker). */
const virtualPrefixes = ['52:54:00:', '02:42:'];

/** `mac` in lower-case colon form; `null` for zero, multicast and broadcast addresses. */
export function classifyMac(mac: string): InterfaceKind | null {
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
