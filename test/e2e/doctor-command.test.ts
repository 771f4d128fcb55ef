// `gatehouse doctor` by its real program: beside a running hub, without one, and when the files keep a hub from starting.
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect } from 'vitest';
import type { Diagnostics } from '#contract/diagnostics.ts';
import { startLab } from '../support/lab.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const doctor = (words: readonly string[], env: Record<string, string>) =>
  runProgram(['bin/gatehouse.js', 'doctor', ...words], { env });

const statesIn = (text: string) =>
  Object.fromEntries((JSON.parse(text) as Diagnostics).checks.map(({ code, state }) => [code, state]));

verifies('rest.diagnostics.command', 'asks a running hub, and writes a private file without secrets', async () => {
  await using lab = await startLab();
  const out = path.join(lab.dataDir, 'diagnostics.json');
  const env = { PORT: lab.url.port, MONITOR_TOKEN: lab.adminToken };
  const { code, stdout, stderr } = await doctor(['--data', lab.dataDir, '--out', out], env);
  const text = readFileSync(out, 'utf8');
  expect({ code, stderr, states: new Set(Object.values(statesIn(text))) }).toEqual({
    code: 0,
    stderr: '',
    states: new Set(['ok']),
  });
  expect(Object.keys(statesIn(text))).toHaveLength(12);
  expect(stdout).toMatch(/^ok {7}port\nok {7}settings\n/);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(text).not.toContain(lab.adminToken);

  const refused = await doctor(['--data', lab.dataDir], { ...env, MONITOR_TOKEN: 'wrong' });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('could not be asked') });

  chmodSync(lab.dataDir, 0o777);
  const open = await doctor(['--data', lab.dataDir], env);
  expect(open.code).toBe(1);
  expect(open.stdout).toMatch(
    /^problem {2}permissions {2}The data directory .* has mode 0777.*\n {22}Give the folder/m,
  );
});

verifies(
  'rest.diagnostics.command',
  'without a hub: settings, database and port that keep it from starting',
  async () => {
    using folder = temporaryFolder();
    const env = { PORT: '1', MONITOR_DATA_DIR: folder.path };
    expect(await doctor([], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^advice {3}port +No hub runs/),
    });

    writeFileSync(path.join(folder.path, 'monitor.json'), '{"version": 2', { mode: 0o600 });
    writeFileSync(path.join(folder.path, 'monitor.db'), 'no database', { mode: 0o600 });
    await using server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const PORT = String((server.address() as { port: number }).port);
    const broken = await doctor(['--json'], { ...env, PORT });
    expect([broken.code, statesIn(broken.stdout)]).toEqual([
      1,
      { port: 'problem', settings: 'problem', database: 'problem', disk: 'ok', permissions: 'ok' },
    ]);

    const wrong = await doctor(['--json'], { ...env, PORT: 'eighty' });
    expect(statesIn(wrong.stdout)).toMatchObject({ settings: 'problem' });
    expect(await doctor(['--out', path.join(folder.path, 'none/file')], env)).toMatchObject({ code: 2 });
    expect(await doctor(['--nothing'], env)).toMatchObject({ code: 2 });
  },
);
