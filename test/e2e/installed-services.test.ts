// The package as the image and the units have it: unpacked, installed by its lock without optional packages, and started as
// a user that is a number and can write nowhere but where it should, with no system call that the unit forbids.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { childEnv } from '#kernel/process/env.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { parseUnit, type Unit } from '../packaging/systemd-unit.ts';
import { type Program, root, runProgram, startProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const user = 10_001;
const isRoot = process.getuid?.() === 0;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (...names: string[]) => path.join(folder.path, ...names);
const app = at('opt/gatehouse');
const containerfile = readFileSync(path.join(root, 'packaging/container/Containerfile'), 'utf8');

/** What a RUN line of the Containerfile does, in the folder of the installation. */
function step(begin: string): void {
  const line = containerfile.split('\n').find((each) => each.startsWith(`RUN ${begin}`));
  expect(line).toBeDefined();
  const command = line?.slice(4).replace('/tmp/gatehouse.tgz', at(`gatehouse-${packageVersion()}.tgz`)) ?? '';
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: app, encoding: 'utf8', env: childEnv() });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
}

/** A folder that the service may write to. */
function own(...names: string[]): string {
  mkdirSync(at(...names), { recursive: true });
  chmodSync(at(...names), 0o700);
  chownSync(at(...names), user, user);
  return at(...names);
}

/** As systemd and engines start it: another user, no rights, nothing of the environment of the tests. */
function startAsService(words: readonly string[], env: Record<string, string>, trace: readonly string[] = []): Program {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const rights = ['--reuid', String(user), '--regid', String(user), '--clear-groups', '--no-new-privs'];
  const bare = ['env', '-i', `PATH=${path.dirname(process.execPath)}:${at('bin')}:/usr/bin:/bin`, ...variables];
  return startProgram([...rights, '--bounding-set', '-all', ...trace, ...bare, ...words], {
    command: 'setpriv',
    cwd: '/',
  });
}

/** The names of all system calls that a filter allows, sets resolved by systemd; later lines change earlier ones. */
function allowedCalls(unit: Unit): Set<string> {
  const allowed = new Set<string>();
  const resolve = (name: string): string[] => {
    if (!name.startsWith('@')) {
      return [name];
    }
    const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' });
    const members = stdout
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    return members.filter((line) => line !== '' && !line.startsWith('#')).flatMap(resolve);
  };
  for (const line of unit.all('SystemCallFilter')) {
    const takes = line.startsWith('~');
    for (const call of line.replace('~', '').split(' ').flatMap(resolve)) {
      takes ? allowed.delete(call) : allowed.add(call);
    }
  }
  return allowed;
}

/** What strace saw. */
function tracedCalls(prefix: string): string[] {
  const calls = globSync(`${prefix}.*`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(\w+)\(/gm)].map(([, name = '']) => name),
  );
  return [...new Set(calls)].sort();
}

/** Nobody listens there: threat feeds are not fetched from their publishers. */
const common = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' };
const stop = async (program: Program) => {
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
};

if (isRoot) {
  withPrograms('util-linux strace systemd', ['setpriv', 'strace', 'systemd-analyze'], () => {
    beforeAll(async () => {
      chmodSync(folder.path, 0o755);
      const built = await runProgram(['scripts/build-package.ts', '--out', folder.path]);
      expect(built.code).toBe(0);
      mkdirSync(app, { recursive: true });
      step('tar xzf');
      step('npm ci');
      step('find node_modules');
      mkdirSync(at('bin'));
      writeFileSync(at('bin/gatehouse'), `#!/bin/sh\nexec node ${app}/bin/gatehouse.js "$@"\n`, { mode: 0o755 });
    });

    const health = (what: string, env: Record<string, string>) =>
      runProgram([path.join(app, 'bin/gatehouse.js'), 'health', what], { env });

    test('the image: its entry is ready, writes its data alone, and ends by SIGTERM', async () => {
      const port = String(await freePort());
      const env = {
        PORT: port,
        HOST: '0.0.0.0',
        MONITOR_DATA_DIR: own('data'),
        CACHE_DIRECTORY: own('tmp'),
        NODE_ENV: 'production',
      };
      await using hub = startAsService(['node', path.join(app, 'bin/gatehouse.js'), 'hub'], { ...env, ...common });
      await hub.printed(/^gatehouse hub ready /m);
      expect(await health('hub', { PORT: port })).toMatchObject({ code: 0, stdout: 'ready\n' });
      // No optional package is missing, and no second Node is there.
      expect(globSync('node_modules/{node-linux-*,@napi-rs}', { cwd: app })).toEqual([]);
      expect(readFileSync(at('data/initial-password'), 'utf8')).not.toBe('');
      await stop(hub);
      expect(hub.stderr()).not.toMatch(/"level":[56]0|ERR_/);
    });

    describe('the units', () => {
      const unitOf = (name: string) =>
        parseUnit(readFileSync(path.join(app, `packaging/gatehouse-${name}.service`), 'utf8'));
      const folders = (name: string) => {
        own('cache', `gatehouse-${name}`);
        own('lib', `gatehouse-${name}`);
        return { state: at('lib'), cache: at('cache'), credentials: own('credentials', name) };
      };
      const traced = (name: string) => ['strace', '-f', '-ff', '-qq', '-o', path.join(own('trace'), name)];

      test('hub and MCP server start as their units say, and make no call that these forbid', async () => {
        const [hubPort, mcpPort] = [String(await freePort()), String(await freePort())];
        const adminToken = 'the-admin-token-of-a-service';
        const hubUnit = unitOf('hub');
        const hubEnv = {
          PORT: hubPort,
          MONITOR_INITIAL_ADMIN_TOKEN: adminToken,
          ...hubUnit.environment(folders('hub')),
          ...common,
        };
        await using hub = startAsService(hubUnit.command, hubEnv, traced('hub'));
        await hub.printed(/^gatehouse hub ready /m);
        const identity = await fetch(`http://127.0.0.1:${hubPort}/api/auth/api-identities`, {
          method: 'POST',
          headers: { 'X-Admin-Token': adminToken, 'Content-Type': 'application/json' },
          body: JSON.stringify({ label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 86_400_000 }),
        });
        const { token } = (await identity.json()) as { token: string };
        const list = await fetch(`http://127.0.0.1:${hubPort}/api/connections`, {
          headers: { 'X-Admin-Token': adminToken },
        });
        expect([identity.status, list.status]).toEqual([201, 200]);

        const mcpUnit = unitOf('mcp');
        const places = folders('mcp');
        const secrets = { 'mcp-token': 'a'.repeat(64), 'service-token': token, 'audit-key': 'b'.repeat(64) };
        for (const [name, text] of Object.entries(secrets)) {
          writeFileSync(path.join(places.credentials, name), text, { mode: 0o400 });
          chownSync(path.join(places.credentials, name), user, user);
        }
        const mcpEnv = {
          ...mcpUnit.environment(places),
          MONITOR_URL: `http://127.0.0.1:${hubPort}`,
          MCP_PORT: mcpPort,
        };
        await using mcp = startAsService(mcpUnit.command, mcpEnv, traced('mcp'));
        await mcp.printed(/^gatehouse mcp ready /m);
        expect(await health('mcp', { MCP_PORT: mcpPort })).toMatchObject({ code: 0, stdout: 'listens\n' });

        // A signal to strace goes on to what it traces by the process group alone: the programs are asked by their ids.
        for (const [name, program] of [
          ['mcp', mcp],
          ['hub', hub],
        ] as const) {
          const ids = globSync(at('trace', `${name}.*`)).map((file) => Number(file.split('.').at(-1)));
          process.kill(Math.min(...ids), 'SIGTERM');
          expect(await program.ended).toEqual({ code: 0, signal: null });
          const allowed = allowedCalls(unitOf(name));
          expect(tracedCalls(at('trace', name)).filter((call) => !allowed.has(call))).toEqual([]);
        }
        expect(allowedCalls(hubUnit).has('mount')).toBe(false);
        const text = readFileSync(path.join(app, 'packaging/gatehouse-hub.service'), 'utf8');
        const without = parseUnit(text.replace('SystemCallFilter=setpriority', ''));
        expect(allowedCalls(without).has('setpriority')).toBe(false);
        expect(tracedCalls(at('trace', 'hub'))).toContain('setpriority');
      });
    });
  });
} else {
  test('services', (context) => context.skip('only root can start programs as another user'));
}
