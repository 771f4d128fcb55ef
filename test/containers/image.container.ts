// The image alone, as any engine runs it: without capabilities, healthy, ended by SIGTERM, its data kept.
import path from 'node:path';
import { GenericContainer, Wait } from 'testcontainers';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

test('the hub is ready, writes nothing but its data, and ends when it is asked to', async () => {
  const image = await GenericContainer.fromDockerfile(root, 'packaging/container/Containerfile').build(
    'gatehouse-test:latest',
    { deleteOnExit: false },
  );
  const hub = await image
    .withExposedPorts(3000)
    .withEnvironment({ MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' })
    .withTmpFs({ '/tmp': 'rw,size=64m' })
    .withDroppedCapabilities('ALL')
    .withSecurityOpt('no-new-privileges:true')
    .withWaitStrategy(Wait.forHttp('/readyz', 3000))
    .start();
  const exec = (...words: string[]) => hub.exec(words);
  const health = ['node', '/opt/gatehouse/bin/gatehouse.js', 'health', 'hub'];
  expect(await exec(...health)).toMatchObject({ exitCode: 0, output: expect.stringContaining('ready') });
  const status = (await exec('cat', '/proc/1/status')).output;
  expect(status).toMatch(/^Name:\tnode$/m);
  expect(status).toMatch(/^Uid:\t10001\t/m);
  expect(status).toMatch(/^CapEff:\t0000000000000000$/m);
  expect((await exec('touch', '/opt/gatehouse/x')).exitCode).not.toBe(0);
  expect((await exec('ls', '/data')).output).toContain('monitor.db');
  const lines: string[] = [];
  (await hub.logs()).on('data', (line: string) => lines.push(String(line)));
  await expect.poll(() => lines.join('')).toContain('gatehouse hub ready');
  await hub.stop({ timeout: 20_000 });
});
