// Which store the bearer is put in: the choice at enrolment, the sealed file, a real Secret Service.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentFolder, agentFolder } from '../../support/agent-program-lab.ts';
import { startAgentHub } from '../../support/fake-agent-hub.ts';
import { startProgram } from '../../support/program.ts';
import { withPrograms } from '../../support/real-programs.ts';
import { verifies } from '../../support/verifies.ts';

const waits = /^waiting for approval of/m;

/** What systemd delivers with LoadCredentialEncrypted=agent-key. */
function credentials(folder: AgentFolder, key = 'ab'.repeat(32)): Record<string, string> {
  const directory = path.join(path.dirname(folder.path), 'credentials');
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'agent-key'), `${key}\n`);
  return { CREDENTIALS_DIRECTORY: directory };
}

const withoutKeyring = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (name === '@napi-rs/keyring') throw new Error('not there');
    return next(name, context);
  },
});`;

describe('without --store', () => {
  verifies(
    'rest.agents.credential-store',
    'a key of systemd: the file is sealed, and another key does not open it',
    async () => {
      await using hub = await startAgentHub();
      using folder = agentFolder();
      const env = credentials(folder);
      await using program = folder.start(['enroll', '--hub', hub.url.href, '--code', hub.code], env);
      await program.printed(waits);
      hub.decide('approved');
      expect((await program.ended).code).toBe(0);
      const text = readFileSync(folder.files.credential, 'utf8');
      expect(text).toMatch(/^v1:/);
      expect(hub.secrets().filter((secret) => text.includes(secret))).toEqual([]);
      expect(await folder.run(['rotate'], env)).toMatchObject({ code: 0 });
      expect((await folder.run(['status'], env)).stdout).toContain('sealed with the key that systemd delivers');
      const other = await folder.run(['rotate'], credentials(folder, 'cd'.repeat(32)));
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('sealed with another key, or changed') });
      const none = await folder.run(['run']);
      expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('LoadCredentialEncrypted=agent-key') });
      expect(hub.requests).toHaveLength(1);
    },
  );

  test('a key of another form is refused', async () => {
    using folder = agentFolder();
    const ended = await folder.run(
      ['enroll', '--hub', 'http://127.0.0.1:9', '--code', 'AB23CD'],
      credentials(folder, 'short'),
    );
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('64 hexadecimal digits') });
  });

  test('no key and no session bus: refused with the three ways, and no code is spent', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const ended = await folder.run(['enroll', '--hub', hub.url.href, '--code', hub.code]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/Three ways: .*Secret Service.*LoadCredentialEncrypted.*--store file/);
    expect(hub.calls).toEqual([]);
  });

  test('without the library of the keyring the other stores work', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutKeyring)}` };
    const enroll = ['enroll', '--hub', hub.url.href, '--code', hub.code, '--store'];
    expect(await folder.run([...enroll, 'secret-service'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('@napi-rs/keyring, which speaks to the Secret Service, is not installed here'),
    });
    await using program = folder.start([...enroll, 'file'], env);
    await program.printed(waits);
    hub.decide('approved');
    expect((await program.ended).code).toBe(0);
  });

  test('a session bus that nobody is at: the kernel keyring is not used instead', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/no-bus` };
    for (const store of [[], ['--store', 'secret-service']]) {
      const ended = await folder.run(['enroll', '--hub', hub.url.href, '--code', hub.code, ...store], env);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('the Secret Service cannot be used') });
    }
    expect(hub.calls).toEqual([]);
  });
});

const isThere =
  'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner ' +
  'string:org.freedesktop.secrets | grep -q true';

withPrograms('dbus gnome-keyring', ['dbus-run-session', 'gnome-keyring-daemon'], () => {
  verifies(
    'rest.agents.credential-store',
    'a real Secret Service is chosen, used by rotate, emptied by revoke',
    async () => {
      await using hub = await startAgentHub();
      using folder = agentFolder();
      const agent = `"$NODE" test/support/agent-program.ts`;
      const script = [
        'printf secret | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &',
        // A background job: it would outlive the session.
        "trap 'kill $!' EXIT",
        `until ${isThere}; do sleep 0.05; done`,
        `${agent} enroll --hub ${hub.url.href} --code ${hub.code} || exit 11`,
        `${agent} rotate || exit 12`,
        `${agent} status`,
        `${agent} revoke || exit 14`,
        `${agent} run; [ $? = 1 ] || exit 15`,
      ].join('\n');
      const home = path.dirname(folder.path);
      await using session = startProgram(['--', 'sh', '-c', script], {
        command: 'dbus-run-session',
        ownGroup: true,
        env: {
          NODE: process.execPath,
          HOME: home,
          XDG_DATA_HOME: path.join(home, 'share'),
          XDG_RUNTIME_DIR: home,
          GATEHOUSE_AGENT_DIR: folder.path,
          CREDENTIALS_DIRECTORY: '',
          STATE_DIRECTORY: '',
        },
      });
      await session.printed(waits);
      hub.decide('approved');
      const { code } = await session.ended;
      expect({ code, stderr: session.stderr() }).toMatchObject({ code: 0 });
      expect(session.stdout()).toContain('the bearer is in the Secret Service of the desktop session');
      expect(session.stdout()).toContain('rotated: the hub accepts the new bearer');
      expect(hub.bearers).toMatchObject([{ isRevoked: true, previous: null }]);
      expect(session.stderr()).toContain('this machine is not enrolled');
      const shown = session.stdout() + session.stderr();
      expect(hub.secrets().filter((secret) => shown.includes(secret))).toEqual([]);
    },
  );
});

withPrograms('keyutils', ['keyctl'], () => {
  test('where the keyring of the kernel works it is not used instead of the Secret Service', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const agent = '"$NODE" test/support/agent-program.ts';
    const script = `keyctl add user gatehouse-test x @s >/dev/null || exit 9
      ${agent} enroll --hub ${hub.url.href} --code ${hub.code} --store secret-service`;
    await using program = startProgram(['session', '-', 'sh', '-c', script], {
      command: 'keyctl',
      env: {
        NODE: process.execPath,
        GATEHOUSE_AGENT_DIR: folder.path,
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/no-bus`,
        XDG_RUNTIME_DIR: '',
      },
    });
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toContain('the Secret Service cannot be used');
    expect(hub.calls).toEqual([]);
  });
});
