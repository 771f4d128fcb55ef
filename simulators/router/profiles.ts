// The named router profiles: what a box is before anybody touches it. Data only.
import type { DeviceSettings, RouterKind } from './model.ts';

/** How vendor_b prints its NAT table; `ios-plain-only` refuses `verbose`. */
export type TableDialect = 'ios' | 'xe16' | 'xe17' | 'ios-plain-only';

export type LoginMethod = 'password' | 'keyboard-interactive' | 'publickey';

/** Lists are in the server's order of preference; no group exchange, which the SSH library cannot serve. */
export interface SshOffer {
  /** Identification without the leading `SSH-2.0-`. */
  ident: string;
  kex: readonly string[];
  cipher: readonly string[];
  hmac: readonly string[];
  hostKeyBits: number;
  methods: readonly LoginMethod[];
}

export interface Profile {
  name: string;
  kind: RouterKind;
  /** One sentence for documentation and `--help`. */
  says: string;
  tables: TableDialect | null;
  /** vendor_a: NAT compatibility type: 1 one outer port per session, 2 TCP shares ports, 3 TCP and UDP share. */
  natType: 1 | 2 | 3;
  /** Outer ports in the order they are handed out, inclusive ranges. */
  outerPorts: readonly (readonly [number, number])[];
  ssh: SshOffer;
  /** Logins at once: `sshd session` or the number of vty lines. */
  sessionLimit: number;
  /** Idle time after which the router closes a session: `login timer` or `exec-timeout`. */
  idleMs: number;
  /** Time a connection may take to log in: `ip ssh time-out`. */
  loginMs: number;
  /** Input in the first so many ms after the banner is lost. */
  deafMs: number;
  device: Omit<DeviceSettings, 'profile' | 'bootedAt' | 'changed' | 'clockSkewMs' | 'clockSet' | 'consoleInfo'>;
}

const hourMs = 3_600_000;

const modernSsh = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group14-sha1',
  ],
  cipher: ['aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256', 'hmac-sha2-512', 'hmac-sha1'],
} as const;

/** What old IOS offers: CBC and SHA-1 only. `--legacy-crypto` and the fault `no-common-algorithm` use it too. */
export const legacySsh = {
  kex: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'],
  cipher: ['aes128-cbc', '3des-cbc', 'aes192-cbc', 'aes256-cbc'],
  hmac: ['hmac-sha1'],
} as const;

const yamahaPorts = [
  [60000, 64095],
  [49152, 59999],
  [44096, 49151],
] as const;

const yamaha = {
  kind: 'vendor_a',
  tables: null,
  natType: 2,
  outerPorts: yamahaPorts,
  sessionLimit: 8,
  idleMs: 300_000,
  loginMs: 120_000,
  deafMs: 0,
} as const satisfies Partial<Profile>;

const yamahaDevice = {
  hostName: '',
  lines: 24,
  columns: 80,
  natDescriptor: 1000,
  lanAddress: '192.168.100.1',
  lanPrefix: 24,
  wanAddress: '203.0.113.24',
  tableLimit: 65_534,
  clockZoneMs: 9 * hourMs,
  macs: ['00:a0:de:00:00:01', '00:a0:de:00:00:02', '00:a0:de:00:00:03'],
} as const;

const cisco = {
  kind: 'vendor_b',
  natType: 1,
  outerPorts: [[1024, 65_535]],
  sessionLimit: 5,
  idleMs: 600_000,
  loginMs: 120_000,
  deafMs: 0,
} as const satisfies Partial<Profile>;

const ciscoDevice = {
  hostName: 'edge-rtr1',
  character: 'en.ascii',
  lines: 24,
  columns: 80,
  natDescriptor: 1,
  lanAddress: '192.168.100.254',
  lanPrefix: 24,
  wanAddress: '203.0.113.25',
  tableLimit: 65_534,
  clockZoneMs: 9 * hourMs,
  macs: ['00:00:5e:00:53:fe', '00:00:5e:00:53:fd'],
} as const;

const yamahaMethods = ['publickey', 'password'] as const;
const ciscoMethods = ['publickey', 'keyboard-interactive', 'password'] as const;

/** Every profile; the first of a kind is its default. */
export const profiles: readonly Profile[] = [
  {
    ...yamaha,
    name: 'rtx1210-ja-sjis',
    says: 'RTX1210 as delivered: Japanese in Shift_JIS, pager on, empty prompt',
    ssh: { ...modernSsh, ident: 'OpenSSH_7.7', hostKeyBits: 2048, methods: yamahaMethods },
    device: {
      ...yamahaDevice,
      model: 'RTX1210',
      version: 'Rev.14.01.42 (Fri Jul  5 11:17:45 2024)',
      character: 'ja.sjis',
    },
  },
  {
    ...yamaha,
    name: 'rtx1300-en',
    says: 'RTX1300 set to English, NAT type 3, a table of 250,000 sessions',
    natType: 3,
    ssh: { ...modernSsh, ident: 'OpenSSH', hostKeyBits: 2048, methods: yamahaMethods },
    device: {
      ...yamahaDevice,
      model: 'RTX1300',
      version: 'Rev.23.00.14 (Mon Dec  2 10:02:31 2024)',
      character: 'en.ascii',
      tableLimit: 250_000,
    },
  },
  {
    ...yamaha,
    name: 'rtx810-old',
    says: 'RTX810: group1 and SHA-1 only, EUC-JP, first input after the banner lost, 10,000 sessions, NAT type 1',
    natType: 1,
    deafMs: 300,
    ssh: {
      ident: 'OpenSSH_3.9p1',
      kex: ['diffie-hellman-group1-sha1'],
      cipher: legacySsh.cipher,
      hmac: ['hmac-sha1'],
      hostKeyBits: 1024,
      methods: ['password'],
    },
    device: {
      ...yamahaDevice,
      model: 'RTX810',
      version: 'Rev.11.01.34 (Tue Nov 26 18:39:12 2019)',
      character: 'ja.euc',
      tableLimit: 10_000,
    },
  },
  {
    ...yamaha,
    name: 'rtx830-mape',
    says: 'RTX830 behind MAP-E: 240 outer ports in all, descriptor number 2147483647',
    outerPorts: [[1024, 1263]],
    ssh: { ...modernSsh, ident: 'OpenSSH', hostKeyBits: 2048, methods: yamahaMethods },
    device: {
      ...yamahaDevice,
      model: 'RTX830',
      version: 'Rev.15.02.31 (Thu May 30 19:45:05 2024)',
      character: 'ja.utf8',
      natDescriptor: 2_147_483_647,
    },
  },
  {
    ...cisco,
    name: 'c841m-ios155',
    says: 'C841M with IOS 15.5(3)M9: classic verbose table, five vty lines',
    tables: 'ios',
    ssh: {
      ...modernSsh,
      kex: ['ecdh-sha2-nistp256', 'diffie-hellman-group14-sha256', 'diffie-hellman-group14-sha1'],
      ident: 'Cisco-1.25',
      hostKeyBits: 2048,
      methods: ciscoMethods,
    },
    device: { ...ciscoDevice, model: 'C841M-4X-JSEC/K9', version: '15.5(3)M9' },
  },
  {
    ...cisco,
    name: 'isr-xe16',
    says: 'ISR 4321 with IOS-XE 16.9: verbose table with absolute times, keyboard-interactive only',
    tables: 'xe16',
    sessionLimit: 16,
    ssh: { ...modernSsh, ident: 'Cisco-1.25', hostKeyBits: 2048, methods: ['publickey', 'keyboard-interactive'] },
    device: { ...ciscoDevice, model: 'ISR4321/K9', version: '16.09.05' },
  },
  {
    ...cisco,
    name: 'isr-xe17',
    says: 'ISR 1111 with IOS-XE 17.9: verbose table with byte counts',
    tables: 'xe17',
    sessionLimit: 16,
    ssh: {
      ...modernSsh,
      cipher: ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com', ...modernSsh.cipher],
      ident: 'Cisco-1.25',
      hostKeyBits: 2048,
      methods: ciscoMethods,
    },
    device: { ...ciscoDevice, model: 'C1111-8P', version: '17.09.04a' },
  },
  {
    ...cisco,
    name: 'ios12-legacy',
    says: '1841 with IOS 12.4: CBC and SHA-1 only, no verbose table',
    tables: 'ios-plain-only',
    ssh: { ...legacySsh, ident: 'Cisco-1.25', hostKeyBits: 1024, methods: ['keyboard-interactive', 'password'] },
    device: { ...ciscoDevice, model: '1841', version: '12.4(24)T8' },
  },
];

/** The profile of that name, or the default of the kind when `name` is absent. Throws naming the ones there are. */
export function findProfile(kind: RouterKind, name?: string): Profile {
  const ofKind = profiles.filter((profile) => profile.kind === kind);
  const found = name === undefined ? ofKind[0] : ofKind.find((profile) => profile.name === name);
  if (!found) {
    throw new Error(`unknown profile "${name}" for ${kind}; there are ${ofKind.map(({ name }) => name).join(', ')}`);
  }
  return found;
}
