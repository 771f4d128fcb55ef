// What vendor_b models print about their own hardware and interfaces.
import type { DeviceSettings } from '../model.ts';
import type { TableDialect } from '../profiles.ts';
import { findProfile } from '../profiles.ts';

/** One row of `show ip interface brief`. `address` is filled in for `lan` and `wan`. */
export interface Port {
  name: string;
  /** As neighbour tables shorten it. */
  short: string;
  role: 'lan' | 'wan' | 'nvi' | 'second-lan' | 'unused' | 'shut' | 'switch';
}

export interface Platform {
  ports: readonly Port[];
  /** First lines of `show version`, and the ones behind `Last reload`; `version` is put in. */
  software: (version: string) => string;
  rom: string;
  image: string;
  hardware: readonly string[];
  firstVty: number;
}

const port = (name: string, short: string, role: Port['role']): Port => ({ name, short, role });

const c841m: Platform = {
  ports: [
    port('GigabitEthernet0/0', 'Gi0/0', 'switch'),
    port('GigabitEthernet0/1', 'Gi0/1', 'unused'),
    port('GigabitEthernet0/4', 'Gi0/4', 'wan'),
    port('GigabitEthernet0/5', 'Gi0/5', 'shut'),
    port('NVI0', 'NV0', 'nvi'),
    port('Vlan1', 'Vl1', 'lan'),
    port('Vlan20', 'Vl20', 'second-lan'),
  ],
  software: (version) =>
    `Cisco IOS Software, C800M Software (C800M-UNIVERSALK9-M), Version ${version}, RELEASE SOFTWARE (fc1)`,
  rom: 'ROM: System Bootstrap, Version 15.4(1r)T2, RELEASE SOFTWARE (fc1)',
  image: 'flash:c800m-universalk9-mz.SPA.155-3.M9.bin',
  hardware: [
    'Cisco C841M-4X-JSEC/K9 (revision 1.0) with 488448K/35840K bytes of memory.',
    'Processor board ID FGL00000000',
    '6 Gigabit Ethernet interfaces',
    '2 terminal lines',
    '1 Virtual Private Network (VPN) Module',
    'DRAM configuration is 32 bits wide',
    '255K bytes of non-volatile configuration memory.',
  ],
  firstVty: 10,
};

const iosXe = (name: string, inside: Port, outside: Port, hardware: readonly string[]): Platform => ({
  ports: [outside, inside],
  software: (version) =>
    `Cisco IOS Software [${Number(version.split('.')[0]) >= 17 ? 'Cupertino' : 'Fuji'}], ${name} Software ` +
    `(X86_64_LINUX_IOSD-UNIVERSALK9-M), Version ${unpadded(version)}, RELEASE SOFTWARE (fc1)`,
  rom: 'ROM: IOS-XE ROMMON',
  image: 'bootflash:packages.conf',
  hardware,
  firstVty: 866,
});

const isr4321 = iosXe(
  'ISR',
  port('GigabitEthernet0/0/1', 'Gi0/0/1', 'lan'),
  port('GigabitEthernet0/0/0', 'Gi0/0/0', 'wan'),
  [
    'cisco ISR4321/K9 (1RU) processor with 1795979K/6147K bytes of memory.',
    'Processor board ID FDO00000000',
    '2 Gigabit Ethernet interfaces',
    '32768K bytes of non-volatile configuration memory.',
    '4194304K bytes of physical memory.',
  ],
);

const c1111 = iosXe('ISR', port('GigabitEthernet4', 'Gi4', 'lan'), port('GigabitEthernet5', 'Gi5', 'wan'), [
  'cisco C1111-8P (1RU) processor with 1458576K/6147K bytes of memory.',
  'Processor board ID FGL00000001',
  '2 Gigabit Ethernet interfaces',
  '32768K bytes of non-volatile configuration memory.',
  '4194304K bytes of physical memory.',
]);

const c1841: Platform = {
  ports: [port('FastEthernet0/0', 'Fa0/0', 'lan'), port('FastEthernet0/1', 'Fa0/1', 'wan'), port('NVI0', 'NV0', 'nvi')],
  software: (version) =>
    `Cisco IOS Software, 1841 Software (C1841-ADVIPSERVICESK9-M), Version ${version}, RELEASE SOFTWARE (fc1)`,
  rom: 'ROM: System Bootstrap, Version 12.4(13r)T, RELEASE SOFTWARE (fc1)',
  image: 'flash:c1841-advipservicesk9-mz.124-24.T8.bin',
  hardware: [
    'Cisco 1841 (revision 7.0) with 234496K/27648K bytes of memory.',
    'Processor board ID FCZ00000000',
    '2 FastEthernet interfaces',
    'DRAM configuration is 64 bits wide with parity disabled.',
    '191K bytes of NVRAM.',
  ],
  firstVty: 194,
};

const platforms: Readonly<Record<string, Platform>> = {
  'C841M-4X-JSEC/K9': c841m,
  'ISR4321/K9': isr4321,
  'C1111-8P': c1111,
  '1841': c1841,
};

export function getPlatform({ model }: DeviceSettings): Platform {
  return platforms[model] ?? c841m;
}

export function getDialect({ profile }: DeviceSettings): TableDialect {
  return findProfile('vendor_b', profile).tables ?? 'ios';
}

/** The full and short name of the inside or outside interface. */
export function getPort(settings: DeviceSettings, role: 'lan' | 'wan'): Port {
  const found = getPlatform(settings).ports.find((one) => one.role === role);
  return found ?? port('Vlan1', 'Vl1', role);
}

/** `16.09.05` is printed as `16.9.5` in the first line. */
function unpadded(version: string): string {
  return version.replaceAll(/\b0+(?=\d)/g, '');
}
