// The witness on the host behind the proxy: what it asks for before it listens, what it proves, and how it ends.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isWitnessed, startWitness } from '#gate/collect/witness.ts';
import { type GateConfig, readGateConfig } from '#gate/config.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { type GateDesk, openGateDesk } from '../support/gate-desk.ts';
import { startProgram } from '../support/program.ts';

const host = { address: '127.0.0.1', family: 4 };
const { signal } = new AbortController();
const noHub = 'no hub that takes MCP_GATE_MONITOR_TOKEN answers at MCP_GATE_MONITOR_URL: start it, then this';

/** What hub and MCP server answer with. */
const services = { hub: 200, mcp: 200 };
let desk: GateDesk;
const servers: Server[] = [];
beforeAll(async () => {
  desk = await openGateDesk();
  const hub = createServer(({ url, headers }, response) => {
    const isRight = url === '/api/routers' && headers['x-admin-token'] === desk.settings.MCP_GATE_MONITOR_TOKEN;
    response.writeHead(isRight ? services.hub : 404).end('{}');
  });
  const mcp = createServer(({ url }, response) => {
    response.writeHead(url === '/.well-known/oauth-protected-resource' ? services.mcp : 404).end('{}');
  });
  servers.push(hub, mcp);
  desk.settings.MCP_GATE_MONITOR_URL = `http://${await listen(hub)}`;
  desk.settings.MCP_GATE_MCP_PORT = (await listen(mcp)).split(':')[1] ?? '';
  desk.save();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => close(server)));
  await desk[Symbol.asyncDispose]();
});

const start = (config: GateConfig) => startWitness({ config, host: '127.0.0.1', port: 0 });

test('does not start without a hub that takes the token, nor without an MCP server', async () => {
  const config = readGateConfig(desk.env);
  for (const status of [401, 503]) {
    services.hub = status;
    await expect(start(config)).rejects.toThrow(noHub);
  }
  services.hub = 200;
  await expect(start({ ...config, MCP_GATE_MONITOR_URL: 'http://127.0.0.1:9' })).rejects.toThrow(noHub);
  await expect(start({ ...config, MCP_GATE_MONITOR_TOKEN: 'another token' })).rejects.toThrow(noHub);
  services.mcp = 404;
  await expect(start(config)).rejects.toThrow(`no MCP server answers at 127.0.0.1:${config.MCP_GATE_MCP_PORT}: `);
  services.mcp = 200;
  await expect(start({ ...config, MCP_GATE_MCP_PORT: 9 })).rejects.toThrow('no MCP server answers at 127.0.0.1:9: ');
});

test('is believed by whoever has the same secret and the same resource, and by nobody else', async () => {
  const config = readGateConfig(desk.env);
  const witness = await start(config);
  const seenBy = (changes: Partial<GateConfig>) =>
    isWitnessed(host, witness.port, { config: { ...config, ...changes }, signal });
  expect(await seenBy({})).toBe(true);
  expect(await seenBy({ MCP_GATE_MONITOR_TOKEN: 'another token' })).toBe(false);
  expect(await seenBy({ MCP_GATE_RESOURCE: 'https://other.gatehouse.test/mcp' })).toBe(false);
  expect(await isWitnessed(host, 9, { config, signal })).toBe(false);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(isWitnessed(host, witness.port, { config, signal: stopped })).rejects.toThrow('stopped');
  await witness[Symbol.asyncDispose]();
  expect(await seenBy({})).toBe(false);
});

test('answers a challenge, and does nothing else', async () => {
  await using witness = await start(readGateConfig(desk.env));
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${witness.port}${path}`);
    return [response.status, await response.json()];
  };
  const nonce = '0f'.repeat(32);
  const proof = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(await ask(`/?nonce=${nonce}`)).toEqual([200, { proof }]);
  for (const path of [
    '/',
    `/?nonce=${nonce}0`,
    `/?nonce=${nonce.slice(1)}`,
    `/x?nonce=${nonce}`,
    `/?nonce=${nonce}&x=`,
  ]) {
    expect(await ask(path)).toEqual([404, {}]);
  }
});

test('an answer that is not 200, and a proof that is no text, show nothing', async () => {
  const config = readGateConfig(desk.env);
  await using witness = await start(config);
  let answered: (proof: unknown) => [number, unknown] = (proof) => [200, { proof }];
  const relay = createServer(async ({ url }, response) => {
    const real = await fetch(`http://127.0.0.1:${witness.port}${url}`);
    const { proof } = (await real.json()) as { proof: unknown };
    const [status, body] = answered(proof);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = Number((await listen(relay)).split(':')[1]);
  const isSeen = () => isWitnessed(host, port, { config, signal });
  expect(await isSeen()).toBe(true);
  for (const wrong of [
    (proof: unknown): [number, unknown] => [404, { proof }],
    (proof: unknown): [number, unknown] => [200, { proof: [proof] }],
    (proof: unknown): [number, unknown] => [200, { proof: `${proof}0` }],
    (proof: unknown): [number, unknown] => [
      200,
      { proof: String(proof).replace(/.$/, (one) => (one === '0' ? '1' : '0')) },
    ],
    (): [number, unknown] => [200, null],
  ]) {
    answered = wrong;
    expect(await isSeen()).toBe(false);
  }
  await close(relay);
});

test('the command says where it listens, and ends cleanly when it is stopped', async () => {
  await using program = startProgram([
    'src/main.ts',
    'gate',
    'witness',
    '--env',
    desk.env,
    '--port',
    '0',
    '--host',
    '127.0.0.1',
  ]);
  const [, port] = await program.printed(/^gatehouse gate witness ready on port (\d+)\n/);
  expect(await isWitnessed(host, Number(port), { config: readGateConfig(desk.env), signal })).toBe(true);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe('');
});

test('the command asks for a port', async () => {
  for (const port of ['65536', 'x', '-1', '']) {
    expect(await desk.gate('witness', '--env', desk.env, `--port=${port}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'gatehouse gate witness: --port must be a port number (see --help)\n',
    });
  }
});
