// The command that starts simulators: what it prints, and how it ends.
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commands } from '#simulators/commands.ts';
import { verifies } from '../support/verifies.ts';

describe('gatehouse sim', () => {
  const run = (args: readonly string[], until: (stdout: string) => boolean = () => false) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, ['src/main.ts', 'sim', ...args]);
      let stdout = '';
      let stderr = '';
      child.stderr.on('data', (bytes: Buffer) => {
        stderr += bytes.toString();
      });
      child.stdout.on('data', (bytes: Buffer) => {
        stdout += bytes.toString();
        if (until(stdout)) {
          child.kill('SIGTERM');
        }
      });
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });

  test.each([
    [['nonsense'], 'unknown kind "nonsense"'],
    [[], 'KIND is missing'],
    [['vendor_a', '--sessions', '65001'], '--sessions'],
    [['vendor_a', '--port', 'ssh'], '--port'],
    [['vendor_a', '--unknown'], '--unknown'],
    [['vendor_a', '--dialect', 'isr-xe17'], 'unknown profile "isr-xe17"'],
    [['vendor_b', '--replay', '/nowhere/x'], '--replay'],
    [['vendor_b', '--replay-mode', 'reject-replay'], '--replay-mode does not belong to vendor_b'],
    [['oidc', '--dialect', 'isr-xe17'], '--dialect does not belong to oidc'],
    [['oidc', '--replay-mode', 'accept'], '--replay-mode'],
    [['oidc', '--profile', 'lax'], '--profile'],
    [['oidc', '--access-token-ttl', '0'], '--access-token-ttl'],
    [['oidc', '--hub-redirect-uri', '/callback'], '--hub-redirect-uri'],
    [['ups', '--locale', 'xx'], '--locale must be en, ja, es, de or fr'],
    [['mqtt', '--mqtt-user', 'ha'], '--mqtt-user and --mqtt-password come together'],
    [['trapper', '--tls-port', '1'], '--tls-port does not belong to trapper'],
    [['all', '--dialect', 'isr-xe17'], '--dialect belongs to one kind'],
  ])('%j: one line on stderr, exit 2', async (args, naming) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
    expect(stderr).toContain(naming);
  });

  verifies('sim.router.loopback-only', 'another address is refused with exit 1 and the way out', async () => {
    const { code, stderr } = await run(['vendor_a', '--host', '0.0.0.0']);
    expect(code).toBe(1);
    expect(stderr).toContain('SIM_ALLOW_NON_LOOPBACK=true');
  });

  test('--help tells the options and dialects', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--legacy-crypto[\s\S]*rtx810-old[\s\S]*--access-token-ttl[\s\S]*--locale/);
  });

  test('all prints one JSON line for each and ends cleanly at SIGTERM', async () => {
    const ports = ['--port', '0', '--control-port', '0', '--sessions', '10'];
    const kinds = commands.filter(({ needs }) => needs === undefined).map(({ kind }) => kind);
    const isComplete = (text: string) => text.trim().split('\n').length === kinds.length;
    const { code, stdout } = await run(['all', ...ports], isComplete);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { simulator: string });
    expect(lines.map(({ simulator }) => simulator)).toEqual(kinds);
    for (const line of lines) {
      expect(line).toMatchObject({
        // Some are used below a path of their own.
        url: expect.stringMatching(/^\w+:\/\/127\.0\.0\.1:\d+(?:\/\w+\/)?$/),
        control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      });
    }
    const about = (kind: string) => lines.find(({ simulator }) => simulator === kind);
    expect([about('vendor_b'), about('oidc'), about('ups'), about('mqtt')]).toMatchObject([
      { user: 'monitor', enablePassword: 'enable-password' },
      { clientId: 'gatehouse-hub' },
      { user: 'operator' },
      { tlsUrl: expect.stringMatching(/^mqtts:/) },
    ]);
  });
});
