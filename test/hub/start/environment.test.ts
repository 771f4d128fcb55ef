// A hub, an MCP server and a simulator with a variable that they cannot take: one sentence, and nothing is started.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startHubProcess } from '../../support/hub-process.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const onOrOff = ['MONITOR_OFFLINE_MODE', 'MONITOR_SECURE_COOKIES', 'MONITOR_ALLOW_LOOPBACK_ROUTERS'];

/** A hub that would start if it took `env`; killed if it does. */
async function refusedHub(env: Record<string, string>) {
  using folder = temporaryFolder();
  const args = ['src/main.ts', 'hub', '--port', '0', '--data', folder.path];
  const offline = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' };
  await using hub = startProgram(args, { env: { ...offline, ...env } });
  const started = hub.printed(/^gatehouse hub ready/m).then(
    () => true,
    () => false,
  );
  expect(await started, 'the hub started').toBe(false);
  expect(await hub.ended).toEqual({ code: 1, signal: null });
  expect(readdirSync(folder.path)).toEqual([]);
  return { stdout: hub.stdout(), stderr: hub.stderr() };
}

test.each([
  ...onOrOff.map((name, at) => [name, ['yes', '1', 'TRUE'][at] ?? '', 'true or false']),
  ['MONITOR_SESSION_TTL_DAYS', '366', 'a whole number from 1 to 365'],
  ['MONITOR_RATE_LIMIT_READS', '9', 'a whole number from 10 to 100000'],
  ['POLL_INTERVAL_MS', '60s', 'a whole number from 10000 to 86400000'],
  ['PORT', '65536', 'a whole number from 0 to 65535'],
  ['LOG_LEVEL', 'verbose', 'silent, error, warn, info or debug'],
])('%s=%s stops the start of the hub', async (name, value, allowed) => {
  const env = { [name]: value };
  const { stdout, stderr } = await refusedHub(env);
  expect({ stdout, stderr }).toEqual({
    stdout: '',
    stderr: `gatehouse hub: ${name}: must be ${allowed}, not "${value}"\n`,
  });
});

test.each([
  ['DEMO_MODE', 'run npm run demo, which has a system of simulators and a folder of its own'],
  ['DEMO_READ_ONLY', 'make an API identity with network.read for people who may only look'],
])('%s=true stops the start of the hub', async (name, remedy) => {
  const { stderr } = await refusedHub({ [name]: 'true' });
  expect(stderr).toBe(`gatehouse hub: ${name}: there is no such mode: ${remedy}\n`);
});

test('a variable that the hub does not have is named in its log and its status', async () => {
  using folder = temporaryFolder();
  const adminToken = 'a-token-given-by-automation';
  const env = {
    ...{ LOG_LEVEL: 'warn', MONITOR_OFFLINEMODE: 'true', MONITOR_BACKUPDIR: '/backup', ROUTER_IP: '192.168.1.1' },
    ...{ MONITOR_URL: 'http://127.0.0.1:3000', MONITOR_SECRET_KEY_FILE: '', DEMO_MODE: 'false' },
  };
  await using hub = await startHubProcess({ dataDir: folder.path, adminToken, env });
  const expected = [
    'MONITOR_BACKUPDIR has no effect: this hub has no such variable (see --help)',
    'MONITOR_OFFLINEMODE has no effect: this hub has no such variable (see --help)',
    'ROUTER_IP has no effect: add the router with POST /api/routers, which seals its secrets',
  ];
  const { warnings } = await hub.as.admin.status.status({});
  expect(warnings.filter((warning) => warning.includes('has no effect'))).toEqual(expected);
  const printed = () => Promise.resolve(`${hub.program.stdout()}${hub.program.stderr()}`);
  for (const sentence of expected) {
    await eventually(printed, (text) => text.includes(sentence) || undefined);
  }
});

test('--port out of range is a usage error', async () => {
  const { code, stderr } = await runProgram(['src/main.ts', 'hub', '--port', '65536']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'gatehouse hub: --port must be a whole number from 0 to 65535, not "65536" (see --help)\n',
  });
});

test('a boolean that is none stops the MCP server', async () => {
  const env = { MONITOR_TOKEN: 'x', MCP_ALLOW_NON_LOOPBACK: 'yes' };
  expect(await runProgram(['src/main.ts', 'mcp'], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'gatehouse mcp: MCP_ALLOW_NON_LOOPBACK: must be true or false, not "yes"\n',
  });
});

test('an MCP limit that is none takes its default with a warning', async () => {
  const env = { MONITOR_TOKEN: 'x', MCP_API_TIMEOUT_MS: '15s', MCP_MAX_BODY: '1gb' };
  const { code, stdout, stderr } = await runProgram(['src/main.ts', 'mcp'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain(
    'MCP_API_TIMEOUT_MS: must be a whole number from 1 to 600000, not \\"15s\\"; the default is used: 15000',
  );
  expect(stderr).toContain(
    'MCP_MAX_BODY: must be a size such as 256kb, 1mb or 4096, not \\"1gb\\"; the default is used: 262144',
  );
});

test('a boolean that is none stops a simulator, also on loopback', async () => {
  const env = { SIM_ALLOW_NON_LOOPBACK: 'TRUE' };
  const args = ['src/main.ts', 'sim', 'ups', '--port', '0'];
  await using simulator = startProgram(args, { env });
  await expect(simulator.printed(/\{/)).rejects.toThrow('SIM_ALLOW_NON_LOOPBACK: must be true or false, not "TRUE"');
  expect((await simulator.ended).code).toBe(1);
});
