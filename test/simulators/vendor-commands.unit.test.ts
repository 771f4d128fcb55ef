// The command languages themselves: abbreviations, errors, filters, levels, settings, prompts.
import { describe, expect, test } from 'vitest';
import { vendorA } from '#simulators/router/vendor-a.ts';
import { vendorB } from '#simulators/router/vendor-b.ts';
import {
  expectedOf,
  type FrozenOptions,
  fixture,
  frozenAt,
  frozenHosts,
  frozenTable,
  frozenWorld,
} from '../support/frozen-world.ts';
import { linesOf, startDialogue } from '../support/vendor-dialogue.ts';
import { verifies } from '../support/verifies.ts';

const invalid = "% Invalid input detected at '^' marker.";

describe('a listing moves while it is printed', () => {
  test.each([
    ['vendor_a', vendorA, 'yamaha/synthetic/nat_detail', 'show nat descriptor address 1000 detail', 6 + 4],
    ['vendor_b', vendorB, 'cisco/synthetic/nat', 'show ip nat translations', 1 + 5],
  ] as const)('%s', (kind, vendor, file, command, before) => {
    const nat = frozenTable(kind, expectedOf(`${file}.expected.json`));
    let passed = 0;
    const frozen = frozenWorld(kind, { nat });
    const world = { ...frozen, ttl: (entry: Parameters<typeof frozen.ttl>[0]) => frozen.ttl(entry) - passed };
    const login = { ...vendor.newLogin('monitor', world), privileged: true };
    const outcome = vendor.run(command, world, login);
    const lines = outcome.kind === 'lines' ? outcome.lines[Symbol.iterator]() : expect.fail('not a listing');
    for (let line = 0; line < before + 1; line += 1) {
      expect(lines.next().done).toBe(false);
    }
    passed = 100;
    const rest = [...{ [Symbol.iterator]: () => lines }];
    const alive = nat.entries.filter((entry) => !entry.fixed && frozen.ttl(entry) > 100);
    // The first session is printed already; of the others only those that live 100 s longer still come.
    const first = nat.entries.find((entry) => !entry.fixed);
    expect(rest).toHaveLength(alive.filter((entry) => entry !== first).length);
    expect(rest.length).toBeLessThan(nat.entries.filter((entry) => !entry.fixed).length - 1);
    if (vendor === vendorA) {
      expect(rest[0]).toMatch(/ 185$/);
    }
  });
});

describe('vendor_a', () => {
  const nat = frozenTable('vendor_a', expectedOf('yamaha/synthetic/nat_detail.expected.json'));
  const hosts = frozenHosts('vendor_a');
  const world = (options: FrozenOptions = {}) =>
    frozenWorld('vendor_a', { nat, hosts, ...options, settings: { character: 'en.ascii', ...options.settings } });
  const lines = (command: string, privileged = false) => linesOf(vendorA, world(), command, privileged);

  test.each([
    ['shwo environment', 'Error: Invalid command name'],
    ['terminal length 0', 'Error: Invalid command name'],
    ['show version', 'Error: Illegal keyword'],
    ['show ip interface brief', 'Error: Illegal keyword'],
    ['show ip ssh', 'Error: Illegal keyword'],
    ['show nat descriptor', 'Error: Insufficient or too many parameters'],
    ['show arp now', 'Error: Insufficient or too many parameters'],
    ['show', 'Error: Insufficient or too many parameters'],
    ['show nat descriptor address lan2', 'Error: Parameter must be an integer'],
    ['show nat descriptor address 2147483648', 'Error: Parameter out of range'],
    ['show nat descriptor address 0 detail', 'Error: Parameter out of range'],
    ['console lines 0', 'Error: Parameter out of range'],
    ['console lines 101', 'Error: Parameter out of range'],
    ['console lines many', 'Error: Parameter must be an integer'],
    ['console columns 79', 'Error: Parameter out of range'],
    ['console character latin1', 'Error: Illegal keyword'],
    ['console info maybe', 'Error: Illegal keyword'],
    ['save', 'Error: Administrator use only'],
    ['ip lan1 address 192.168.1.1/24', 'Error: Administrator use only'],
    ['disconnect user monitor', 'Error: Administrator use only'],
    ['show arp | sort', 'Error: Illegal keyword'],
    ['show arp | grep', 'Error: Insufficient or too many parameters'],
  ])('%s: %s', (command, error) => {
    expect(lines(command)).toEqual([error]);
  });

  test('the errors are the ones of the captures, in both languages', () => {
    const commands = ['shwo', 'show version', 'save', 'show arp now', null, 'console lines 0'];
    const answers = (character: 'en.ascii' | 'ja.sjis') =>
      commands.map((command) => {
        const frozen = world({ settings: { character } });
        if (command !== null) {
          return linesOf(vendorA, frozen, command)[0];
        }
        const dialogue = startDialogue(vendorA, frozen);
        dialogue.type('administrator');
        return dialogue.type('wrong').split('\r\n')[1];
      });
    const japanese = new TextDecoder('shift_jis').decode(fixture('yamaha/hostile/errors.ja.sjis.txt')).split('\r\n');
    const english = fixture('yamaha/hostile/errors.en.txt').toString('latin1').split('\r\n');
    expect(answers('ja.sjis')).toEqual(japanese.slice(0, 6));
    const byMeaning = [0, 1, 2, 3, 4, 5].map((index) => english[index]);
    expect(answers('en.ascii')).toEqual(byMeaning);
  });

  test.each([
    ['sh env', 'show environment'],
    ['show nat desc addr 1000 det', 'show nat descriptor address 1000 detail'],
    ['show nat descriptor address all detail', 'show nat descriptor address 1000 detail'],
    ['show nat descriptor address all', 'show nat descriptor address 1000'],
    ['SHOW  ARP ', 'show arp'],
    ['show ipv6 nei cac', 'show ipv6 neighbor cache'],
  ])('%s means %s', (short, long) => {
    expect(lines(short)).toEqual(lines(long));
    expect(lines(short).length).toBeGreaterThan(1);
  });

  test('a descriptor that does not exist has no block', () => {
    expect(lines('show nat descriptor address 99999 detail')).toEqual([]);
    expect(lines('show nat descriptor masquerade session 99999 summary')).toEqual([]);
  });

  test('grep says that it searches, and filters by word, case and inversion', () => {
    expect(lines('show arp | grep 53:0')).toEqual(['Searching ...', ...lines('show arp').slice(2)]);
    expect(lines('show arp | grep LAN1(PORT2)')).toEqual(['Searching ...']);
    expect(lines('show arp | grep -i LAN1(PORT2)')).toHaveLength(2);
    expect(lines('show arp | grep -w 192.168.100')).toHaveLength(8);
    expect(lines('show arp | grep -w 168.100.')).toEqual(['Searching ...', ...lines('show arp').slice(2)]);
    expect(lines('show arp | grep -w rmanent')).toEqual(['Searching ...']);
    expect(lines('show arp | grep -v LAN1')).toHaveLength(3);
    expect(lines('show config | grep "console character"')).toEqual(['Searching ...', 'console character en.ascii']);
  });

  test('ARP entries run out after 20 minutes, leases at their end; fixed ones stay', () => {
    const old = hosts.map((host, index) =>
      index < 2 ? { ...host, arpAt: frozenAt - 1_200_000, leaseUntil: 0 } : host,
    );
    const shown = (command: string) => linesOf(vendorA, world({ hosts: old }), command).join('\n');
    expect(shown('show arp')).toContain('Count: 6\n');
    expect(shown('show arp')).toContain('192.168.100.2     00:00:5e:00:53:00 permanent');
    expect(shown('show arp')).not.toContain('192.168.100.3 ');
    expect(shown('show status dhcp')).toContain('Reserved address: 192.168.100.2');
    expect(shown('show status dhcp')).not.toContain('192.168.100.3');
  });

  test('console settings are device-wide, mark the settings changed and show in show config', () => {
    const frozen = world();
    const dialogue = startDialogue(vendorA, frozen);
    for (const line of [
      'console lines infinity',
      'console columns 200',
      'console prompt "office rtx"',
      'console info on',
    ]) {
      dialogue.type(line);
    }
    expect(frozen.settings).toMatchObject({ lines: 'infinity', columns: 200, hostName: 'office rtx', changed: true });
    expect(linesOf(vendorA, frozen, 'show config')).toEqual(
      expect.arrayContaining(['console lines infinity', 'console columns 200', 'console prompt "office rtx"']),
    );
    const other = vendorA.newLogin('other', frozen);
    expect(vendorA.prompt(frozen, other)).toBe('office rtx> ');
    expect(vendorA.pager(frozen, other).rows).toBeNull();
    expect(vendorA.wrapAt(frozen, other)).toBe(200);
    dialogue.type('no console prompt');
    dialogue.type('console lines 40');
    expect(frozen.settings.hostName).toBe('');
    expect(vendorA.pager(frozen, other)).toEqual({ text: '---more---', erase: `\r${' '.repeat(10)}\r`, rows: 39 });
  });

  test('the language follows the character set at once', () => {
    const frozen = world();
    const dialogue = startDialogue(vendorA, frozen);
    dialogue.type('console character ja.euc');
    expect(vendorA.encoding(frozen)).toBe('euc-jp');
    expect(dialogue.type('shwo')).toBe('shwo\r\nエラー: コマンド名を確認してください\r\n> ');
    expect(vendorA.pager(frozen, dialogue.login).text).toBe('---つづく---');
    expect(vendorA.pager(frozen, dialogue.login).erase).toBe(`\r${' '.repeat(12)}\r`);
  });

  verifies('sim.router.escalation', 'without an administrator password an empty one is taken', () => {
    const dialogue = startDialogue(vendorA, world({ enable: null }));
    dialogue.type('administrator');
    expect(dialogue.type('')).toBe('\r\n# ');
  });

  test('pp select stands in the prompt until the level is left', () => {
    const dialogue = startDialogue(vendorA, world(), true);
    expect(dialogue.type('pp select 1')).toBe('pp select 1\r\npp1# ');
    expect(dialogue.type('tunnel select 2')).toContain('tunnel2# ');
    expect(dialogue.type('pp select none')).toBe('pp select none\r\n# ');
    dialogue.type('pp select 1');
    expect(dialogue.type('exit')).toBe('exit\r\n> ');
  });

  test('the save question takes one key: Y saves, N does not, anything else asks again', () => {
    const frozen = world({ settings: { changed: true } });
    const dialogue = startDialogue(vendorA, frozen);
    expect(dialogue.type('quit')).toBe('quit\r\nSave new configuration ? (Y/N)');
    expect(dialogue.type('x')).toBe('x\r\nSave new configuration ? (Y/N)');
    dialogue.type('y');
    expect([dialogue.closed, frozen.settings.changed]).toEqual([true, false]);
  });

  test('save at administrator level ends the question', () => {
    const dialogue = startDialogue(vendorA, world({ settings: { changed: true } }), true);
    dialogue.type('save');
    dialogue.type('exit');
    dialogue.type('exit');
    expect(dialogue.closed).toBe(true);
  });

  test('show config shows secrets to the administrator only', () => {
    expect(lines('show config').join('\n')).not.toMatch(/secret|pass$/m);
    expect(lines('show config', true)).toContain('administrator password secret');
  });

  test('the other tables', () => {
    const users = [
      { user: 'monitor', from: '192.168.100.9', privileged: false, self: true },
      { user: 'admin', from: '192.168.100.10', privileged: true, self: false },
    ];
    const shown = linesOf(vendorA, world({ users }), 'show status user');
    expect(shown.slice(2)).toEqual([
      expect.stringMatching(/^\* {2}monitor .*\.9$/),
      expect.stringMatching(/^ \+ admin .*\.10$/),
    ]);
    expect(lines('show ipv6 connection')).toEqual(['Session count: 0']);
    expect(lines('show status dhcp summary')).toContain('192.168.100.3     00:00:5e:00:53:01');
    const ports = lines('show nat descriptor masquerade port 1000 summary');
    const used = expectedOf('yamaha/synthetic/nat_detail.expected.json').sessions.filter(({ proto }) =>
      /tcp|udp/.test(proto),
    );
    expect(ports.at(-1)).toMatch(new RegExp(`^LAN2\\(1\\) +1000 203\\.0\\.113\\.24 +${used.length}/ +20000$`));
    const techinfo = linesOf(vendorA, frozenWorld('vendor_a', { nat, hosts }), 'show techinfo');
    expect(techinfo).toContain('Count: 7');
    expect(techinfo.join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
    expect(techinfo).toContain('administrator password *');
    expect(linesOf(vendorA, world(), 'show techinfo', true)).toContain('administrator password *');
  });
});

describe('vendor_b', () => {
  const nat = frozenTable('vendor_b', expectedOf('cisco/synthetic/nat.expected.json'));
  const hosts = frozenHosts('vendor_b');
  const world = (options: FrozenOptions = {}) => frozenWorld('vendor_b', { nat, hosts, ...options });
  const lines = (command: string, privileged = true, options: FrozenOptions = {}) =>
    linesOf(vendorB, world(options), command, privileged);

  test.each([
    ['show arpa', 5],
    ['show environment', 5],
    ['show nat descriptor address', 5],
    ['console lines infinity', 1],
    ['show version now', 13],
    ['terminal length many', 16],
    ['terminal length 513', 16],
    ['show version | sort x', 13],
  ])('%s has the caret at column %i of the command', (command, column) => {
    const caret = `${' '.repeat('edge-rtr1#'.length + column)}^`;
    const place = command.startsWith('console') ? ' '.repeat('edge-rtr1#'.length) : caret.slice(0, -1);
    expect(lines(command)).toEqual([`${place}^`, invalid, '']);
  });

  test.each(['show ip nat translations', 'show ip nat statistics', 'show ip dhcp binding', 'show running-config'])(
    '%s needs the privilege',
    (command) => {
      expect(lines(command, false)).toContain(invalid);
      expect(lines(command, true)).not.toContain(invalid);
    },
  );

  test('ambiguous and incomplete commands', () => {
    expect(lines('sh i')).toEqual(['% Ambiguous command:  "sh i"']);
    expect(lines('show ip')).toEqual(['% Incomplete command.', '']);
    expect(lines('show version |')).toEqual(['% Incomplete command.', '']);
  });

  test.each([
    ['sh ip nat tr ve', 'show ip nat translations verbose'],
    ['sh ver', 'show version'],
    ['show ipv6 nei', 'show ipv6 neighbors'],
    ['sh ip int br', 'show ip interface brief'],
    ['show run', 'show running-config'],
    ['show arp', 'show ip arp'],
  ])('%s means %s', (short, long) => {
    expect(lines(short)).toEqual(lines(long));
    expect(lines(short).length).toBeGreaterThan(1);
  });

  test('old firmware refuses verbose, only IOS-XE counts', () => {
    const old = { profile: 'ios12-legacy' };
    const caret = ' '.repeat('edge-rtr1#show ip nat translations '.length);
    expect(lines('show ip nat translations verbose', true, old)).toEqual([`${caret}^`, invalid, '']);
    expect(lines('show ip nat translations total', true, old)).toContain(invalid);
    expect(lines('show ip nat translations total', true, { profile: 'isr-xe17' })).toEqual([
      `Total number of translations: ${nat.entries.length}`,
    ]);
  });

  test('filters', () => {
    const all = lines('show ip nat translations');
    const udp = all.filter((line) => line.startsWith('udp'));
    expect(lines('show ip nat translations | include ^udp')).toEqual(udp);
    expect(lines('show ip nat translations | exclude ^udp')).toEqual(all.filter((line) => !udp.includes(line)));
    expect(lines('show ip nat translations | b ^esp')).toEqual(
      all.slice(all.findIndex((line) => line.startsWith('esp'))),
    );
    expect(lines('show ip nat translations | i tcp|esp').length).toBeGreaterThan(udp.length);
    expect(lines('show ip nat translations | include (')).toEqual([]);
  });

  test('a comment and an empty line do nothing', () => {
    expect(lines('! nothing')).toEqual([]);
    expect(lines('  ')).toEqual([]);
  });

  test('ARP entries run out after four hours, leases at their end', () => {
    const old = hosts.map((host, index) =>
      index === 1 ? { ...host, arpAt: frozenAt - 240 * 60_000, leaseUntil: frozenAt } : host,
    );
    expect(lines('show ip arp', true, { hosts: old })).toHaveLength(lines('show ip arp').length - 1);
    expect(lines('show ip dhcp binding', true, { hosts: old }).join('\n')).not.toContain('192.168.100.3 ');
  });

  test('a FIN shows in the flags', () => {
    const entries = nat.entries.map((entry) => ({ ...entry, closing: !entry.fixed }));
    const shown = lines('show ip nat translations verbose', true, { nat: { ...nat, entries } });
    const closing = shown.filter((line) => line.startsWith('extended, timing-out, use_count: 0, entry-id: '));
    expect(closing).toHaveLength(24);
  });

  test('terminal settings belong to the login', () => {
    const dialogue = startDialogue(vendorB, world());
    expect(vendorB.pager(world(), dialogue.login).rows).toBe(23);
    dialogue.type('terminal length 0');
    expect(vendorB.pager(world(), dialogue.login).rows).toBeNull();
    expect(vendorB.pager(world(), vendorB.newLogin('other', world())).rows).toBe(23);
  });

  test('time-stamped prompts put two lines and a blank one before every output', () => {
    const dialogue = startDialogue(vendorB, world(), true);
    dialogue.type('terminal exec prompt timestamp');
    const [, load, time, blank, ...rest] = dialogue.type('show clock').split('\r\n');
    expect(load).toBe('Load for five secs: 14%/1%; one minute: 11%; five minutes: 11%');
    expect([time, blank]).toEqual(['Time source is NTP, 12:00:00.000 JST Sun Mar 1 2026', '']);
    expect(rest).toEqual(['12:00:00.000 JST Sun Mar 1 2026', 'edge-rtr1#']);
    dialogue.type('terminal no exec prompt timestamp');
    expect(dialogue.type('show privilege')).toBe('show privilege\r\nCurrent privilege level is 15\r\nedge-rtr1#');
  });

  test('a clock that was never set has a star', () => {
    expect(lines('show clock', false, { settings: { clockSet: false } })).toEqual(['*12:00:00.000 JST Sun Mar 1 2026']);
  });

  test('absolute times follow the clock of the router, ages do not', () => {
    const skewed: FrozenOptions = { profile: 'isr-xe16', settings: { clockSkewMs: 3_600_000 } };
    expect(lines('show ip nat translations verbose', true, skewed)[2]).toContain('use: 03/01/26 12:55:00');
    const ios = { settings: { clockSkewMs: 3_600_000 } };
    expect(lines('show ip nat translations verbose', true, ios)).toEqual(lines('show ip nat translations verbose'));
  });

  test('configuration mode shows in the prompt, with the host name cut, and is left by end', () => {
    const dialogue = startDialogue(
      vendorB,
      world({ settings: { hostName: 'a-very-long-host-name-of-a-router' } }),
      true,
    );
    expect(dialogue.type('conf t')).toContain('\r\na-very-long-host-nam(config)#');
    expect(dialogue.type('do show privilege')).toContain('level is 15');
    expect(dialogue.type('end')).toContain('\r\na-very-long-host-name-of-a-router#');
  });

  test('commands that change something are denied by authorisation', () => {
    expect(lines('clear ip nat translation *')).toEqual(['Command authorization failed.', '']);
    expect(lines('reload')).toEqual(['Command authorization failed.', '']);
    expect(lines('clear ip nat translation *', false)).toContain(invalid);
  });

  test('disable and exit', () => {
    const dialogue = startDialogue(vendorB, world(), true);
    expect(dialogue.type('disable')).toBe('disable\r\nedge-rtr1>');
    expect(dialogue.type('exit')).toBe('exit\r\n');
    expect(dialogue.closed).toBe(true);
  });

  test('the configuration names what the tables show', () => {
    const shown = lines('show running-config');
    expect(shown).toContain('hostname edge-rtr1');
    expect(shown).toContain('ip nat inside source static 192.168.100.3 203.0.113.30');
    expect(shown.join('\n')).not.toContain('secret\n');
    expect(lines('show processes cpu')[0]).toBe(
      'CPU utilization for five seconds: 14%/1%; one minute: 11%; five minutes: 11%',
    );
  });

  test('fixed leases are manual bindings without an end', () => {
    expect(lines('show ip dhcp binding')[4]).toMatch(/^192\.168\.100\.2 +0000\.5e00\.5300 +Infinite +Manual$/);
  });

  test('every profile prints its own hardware', () => {
    for (const profile of ['c841m-ios155', 'isr-xe16', 'isr-xe17', 'ios12-legacy']) {
      const { settings } = world({ profile });
      expect(lines('show version', false, { profile }).join('\n')).toContain(settings.model);
    }
  });
});
