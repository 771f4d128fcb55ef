// `gatehouse config` as it is typed: export, an empty folder, apply, export; what it refuses; what the next start records.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { startHubProcess } from '../support/hub-process.ts';
import { type ProgramOptions, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

// Several programs are started one after another.
vi.setConfig({ testTimeout: 300_000 });

const adminToken = 'token-of-the-config-command-test';
const config = (dataDir: string, words: readonly string[], options?: ProgramOptions) =>
  runProgram(['src/main.ts', 'config', ...words, '--data', dataDir], options);

verifies(
  'rest.config-text.round-trip rest.config-text.audited',
  'from one machine to another, with its secrets',
  async () => {
    using folder = temporaryFolder();
    const [first, second, text, secrets] = ['first', 'second', 'hub.yaml', 'secrets.yaml'].map((one) =>
      path.join(folder.path, one),
    ) as [string, string, string, string];
    {
      await using hub = await startHubProcess({ dataDir: first, adminToken });
      const { routers, chat, config: general } = hub.as.admin;
      const login = { user: 'watch', pass: 'hunter2-of-the-router' };
      await routers.create({ body: { kind: 'vendor_a', ip: '192.168.1.1', enabled: false, ...login } });
      await chat.saveConfig({ body: { token: 'xoxb-hunter2', displayName: 'off' } });
      await general.saveGeneral({ body: { homeCountry: 'NO' } });
      // Reading goes on while the hub runs; changing does not.
      const exported = await config(first, ['export', '--secrets', secrets]);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      expect(exported.stdout).not.toContain('hunter2');
      writeFileSync(text, exported.stdout);
      expect(await config(first, ['diff', text])).toMatchObject({ code: 0, stdout: '' });
      expect(await config(first, ['apply', text, '--yes'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(`process ${hub.program.pid}.*end it first`),
      });
    }
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const missing = await config(second, ['apply', text, '--yes']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr.match(/needs the secret [\w.]+/g)).toEqual([
      'needs the secret chat.token',
      expect.stringMatching(/^needs the secret routers\.vendor/),
    ]);
    const asked = await config(second, ['apply', text, '--secrets', secrets]);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const different = await config(second, ['diff', text, '--secrets', secrets]);
    expect(different).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('-  homeCountry: "JP"\n+  homeCountry: "NO"\n'),
    });
    expect(await config(second, ['apply', text, '--secrets', secrets, '--yes'])).toMatchObject({
      code: 0,
      stdout: `${different.stdout}Applied. It holds from the next start of the hub.\n`,
    });
    expect(await config(second, ['export'])).toMatchObject({ code: 0, stdout: readFileSync(text, 'utf8') });
    expect(await config(second, ['apply', text, '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/nothing was changed/),
    });
    await using hub = await startHubProcess({ dataDir: second, adminToken });
    const { events } = await hub.as.admin.auth.auditEvents({ query: {} });
    const applied = events.filter(({ eventType }) => eventType === 'config_applied');
    expect(applied).toMatchObject([
      { outcome: 'success', metadata: { sections: ['general', 'chat', 'routers'], revoked: 0 } },
    ]);
    const { routers } = await hub.as.admin.routers.list({});
    expect(routers).toMatchObject([{ ip: '192.168.1.1', passSet: true }]);
    expect(await config(second, ['export'])).toMatchObject({ stdout: readFileSync(text, 'utf8') });
  },
);

test('what cannot be read changes nothing, and diff ends with 2', async () => {
  using folder = temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  mkdirSync(dataDir);
  const [text, secrets] = [path.join(folder.path, 'hub.yaml'), path.join(folder.path, 'secrets.yaml')];
  writeFileSync(text, 'version: 1\nchat: { token: { secret: chat } }\n');
  writeFileSync(secrets, 'chat: xoxb-1\n');
  chmodSync(secrets, 0o640);
  expect(await config(dataDir, ['diff', text, '--secrets', secrets])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('make it private with chmod 600'),
  });
  const env = { GATEHOUSE_SECRET_CHAT: 'xoxb-2' };
  expect(await config(dataDir, ['diff', text], { env })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\+ {2}token: "?\(set\)/),
  });
  expect(await config(dataDir, ['export'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/monitor.json does not exist/),
  });
  expect(await config(dataDir, ['apply'])).toMatchObject({ code: 2 });
  expect(await config(dataDir, ['diff', path.join(folder.path, 'none.yaml')])).toMatchObject({ code: 2, stdout: '' });
  writeFileSync(text, `version: 1\n# ${'x'.repeat(1_000_000)}`);
  expect(await config(dataDir, ['diff', text])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/at most 1000000 bytes/),
  });
  expect(await runProgram(['src/main.ts', 'config', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: gatehouse config/),
  });
});
