// What people use on routers logs in to the simulated ones: netmiko, paramiko, RANCID, Ansible, OpenSSH typed by expect.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRouter } from '#simulators/index.ts';
import { root, runProgram } from '../support/program.ts';
import { python, withPrograms, withPython } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Router = Awaited<ReturnType<typeof startRouter>>;

const ciscoDialects = ['c841m-ios155', 'isr-xe16', 'isr-xe17', 'ios12-legacy'];
const scriptIn = (name: string) => path.join(root, 'test/clients', name);
const commandsOf = (router: Router) =>
  router.journal().flatMap((entry) => (entry.kind === 'command' ? [String(entry.line)] : []));
const loginOf = ({ url, credentials }: Router) => [url.hostname, url.port, credentials.user, credentials.password];

/** A router whose table stands still. */
const startQuiet = (kind: 'vendor_a' | 'vendor_b', dialect: string, sessions = 60) =>
  startRouter(kind, { dialect, sessions, traffic: false, seed: 7 });

/** Runs a program to its end; the test fails, with what it printed, unless it ends with 0. */
async function runClient(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { code, stdout, stderr } = await runProgram(args, { command, ...options });
  expect(code, `${command} ended with ${code}: ${stderr}${stdout}`).toBe(0);
  return stdout;
}

withPython('python3-netmiko', ['netmiko'], () => {
  test.each(ciscoDialects)('netmiko reads %s: login, enable, paging, a long table', async (dialect) => {
    await using router = await startQuiet('vendor_b', dialect, 500);
    const seen = JSON.parse(
      await runClient(python, [scriptIn('with_netmiko.py'), ...loginOf(router), router.credentials.enable ?? '']),
    );
    expect(seen).toMatchObject({ prompt: 'edge-rtr1>', privileged: [false, true] });
    expect(seen.answers['show version']).toContain('Cisco IOS Software');
    expect(seen.answers['show nonsense']).toContain("% Invalid input detected at '^' marker.");
    const rows = String(seen.answers['show ip nat translations']).match(/^(?:tcp|udp|icmp) +203\./gm);
    expect(rows).toHaveLength(router.truth().length);
    expect(commandsOf(router)).toEqual(expect.arrayContaining(['terminal width 511', 'terminal length 0', 'enable']));
  });
});

withPython('python3-paramiko', ['paramiko'], () => {
  test.each([
    ['vendor_a', 'rtx1300-en', 'ascii', /LAN1/],
    ['vendor_a', 'rtx830-mape', 'utf-8', /LAN1/],
    ['vendor_b', 'isr-xe16', 'ascii', /^Internet /m],
  ] as const)('paramiko types into the shell of %s %s', async (kind, dialect, encoding, row) => {
    await using router = await startQuiet(kind, dialect);
    const command = kind === 'vendor_a' ? 'show arp' : 'show ip arp';
    const answers = JSON.parse(
      await runClient(python, [scriptIn('with_paramiko.py'), ...loginOf(router), encoding, '> ?$', command]),
    );
    expect(answers[command]).toMatch(row);
    expect(router.violations).toEqual([]);
  });
});

/** A folder with the login of RANCID for the router. */
function writeCloginrc(folder: string, { url, credentials }: Router): void {
  const lines = [
    `add method 127.0.0.1 {ssh:${url.port}}`,
    `add user 127.0.0.1 ${credentials.user}`,
    `add password 127.0.0.1 ${credentials.password} ${credentials.enable}`,
  ];
  writeFileSync(path.join(folder, '.cloginrc'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

withPrograms('rancid', ['/usr/lib/rancid/bin/rancid', 'clogin'], () => {
  test.each([
    ['c841m-ios155', 'C841M-4X-JSEC/K9'],
    ['isr-xe16', 'ISR4321/K9'],
    ['isr-xe17', 'C1111-8P'],
  ])('RANCID saves what %s is and its configuration', async (dialect, chassis) => {
    using home = temporaryFolder();
    await using router = await startQuiet('vendor_b', dialect);
    writeCloginrc(home.path, router);
    const env = { HOME: home.path, RANCID_HOME: home.path, TERM: 'network' };
    await runClient('/usr/lib/rancid/bin/rancid', ['-t', 'cisco', '127.0.0.1'], { cwd: home.path, env });
    const saved = readFileSync(path.join(home.path, '127.0.0.1.new'), 'utf8');
    expect(saved).toContain(`!Chassis type: ${chassis}\n`);
    expect(saved).toMatch(/^hostname edge-rtr1$/m);
    expect(saved).toMatch(/^end$/m);
  });
});

withPrograms('ansible', ['ansible-playbook'], () => {
  test("Ansible's ios_command reads isr-xe17", async () => {
    using home = temporaryFolder();
    await using router = await startQuiet('vendor_b', 'isr-xe17', 500);
    const [host, port, user, password] = loginOf(router);
    const connection = { ansible_connection: 'ansible.netcommon.network_cli', ansible_network_os: 'cisco.ios.ios' };
    const login = { ansible_host: host, ansible_port: Number(port), ansible_user: user, ansible_password: password };
    const become = {
      ansible_become: true,
      ansible_become_method: 'enable',
      ansible_become_password: router.credentials.enable,
    };
    const inventory = { all: { hosts: { router: { ...connection, ...login, ...become } } } };
    const commands = ['show version', 'show ip nat translations'];
    const output = path.join(home.path, 'output.json');
    const tasks = [
      { 'cisco.ios.ios_command': { commands }, register: 'seen' },
      {
        'ansible.builtin.copy': { content: '{{ seen.stdout | to_json }}', dest: output },
        delegate_to: 'localhost',
        become: false,
        vars: { ansible_connection: 'local', ansible_become: false },
      },
    ];
    // A document of JSON is one of YAML.
    writeFileSync(path.join(home.path, 'inventory.yml'), JSON.stringify(inventory));
    writeFileSync(path.join(home.path, 'play.yml'), JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]));
    const env = {
      HOME: home.path,
      ANSIBLE_HOST_KEY_CHECKING: 'false',
      ANSIBLE_LOCAL_TEMP: path.join(home.path, 'tmp'),
    };
    await runClient('ansible-playbook', ['-i', 'inventory.yml', 'play.yml'], { cwd: home.path, env });
    const [version, table] = JSON.parse(readFileSync(output, 'utf8')) as string[];
    expect(version).toContain('Cisco IOS Software');
    expect(table?.match(/^(?:tcp|udp|icmp) +203\./gm)).toHaveLength(router.truth().length);
  });
});

withPrograms('expect openssh-client', ['expect', 'ssh'], () => {
  const old = (cipher: string) => [
    '-o',
    'KexAlgorithms=diffie-hellman-group1-sha1',
    '-o',
    'HostKeyAlgorithms=ssh-rsa',
    '-o',
    `Ciphers=${cipher}`,
    '-o',
    'RequiredRSASize=1024',
  ];
  const nat = 'show nat descriptor address 1000 detail';
  describe.each([
    ['vendor_a', 'rtx1300-en', 'administrator', nat, /^ +(?:TCP|UDP|ICMP) /gm, 'new', []],
    ['vendor_a', 'rtx810-old', 'administrator', nat, /^ +(?:TCP|UDP|ICMP) /gm, 'old', old('3des-cbc')],
    ['vendor_b', 'c841m-ios155', 'enable', 'show ip nat translations', /(?:tcp|udp|icmp) 203\./g, 'new', []],
    [
      'vendor_b',
      'ios12-legacy',
      'enable',
      'show ip nat translations',
      /(?:tcp|udp|icmp) 203\./g,
      'old',
      old('aes128-cbc'),
    ],
  ] as const)('OpenSSH at %s %s', (kind, dialect, become, table, row, _algorithms, options) => {
    test(`with ${_algorithms} algorithms pages the whole table`, async () => {
      await using router = await startQuiet(kind, dialect);
      const { user, password, enable } = router.credentials;
      const typed = [router.url.port, user, password, become, enable ?? '', table];
      const screen = await runClient('expect', [scriptIn('log_in.exp'), ...typed, ...options]);
      expect(screen.match(row)).toHaveLength(router.truth().length);
      expect(router.journal().filter((entry) => entry.kind === 'pager-key').length).toBeGreaterThan(0);
    });
  });
});
