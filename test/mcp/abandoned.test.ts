// Clients that leave: whatever was under way, they keep no place of the tool calls, and each leaves one row of the audit.
import { expect, test } from 'vitest';
import { until } from '../support/eventually.ts';
import { openApplication } from '../support/issuer-client.ts';
import { sendAndReset, sendAndStay, serverHasRead } from '../support/leaving-clients.ts';
import { hubAsked, legacy, type McpLab, mcpToken, passTimeUntil, startMcpLab } from '../support/mcp-lab.ts';

const call = legacy('tools/call', { name: 'get_threat_summary', arguments: {} });
const count = 400;

async function accessToken(scene: McpLab): Promise<Record<string, string>> {
  const { resource } = scene.settings.auth as { resource: string };
  const application = await openApplication(scene.issuer, { scope: 'network.read', resource });
  return { authorization: `Bearer ${(await application.login()).access_token}` };
}

/** Every place is free: as many tool calls as may run at once are all served. */
async function expectFourAtOnce(scene: McpLab, headers: Record<string, string>): Promise<void> {
  const answers = await Promise.all([1, 2, 3, 4].map(() => scene.post(call, { 'x-admin-token': null, ...headers })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
}

/** Rows of the requests to the endpoint: one each. */
async function rowsOf(scene: McpLab) {
  const rows = (await scene.settledRows()).filter(({ reason }) => reason !== 'not_found');
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length);
  return rows;
}

test('OAuth, keys still being fetched', async () => {
  await using scene = await startMcpLab({ oauth: {} });
  const headers = await accessToken(scene);
  scene.issuer.fail('slow', { value: 5000, command: '/jwks' });
  const clients = await sendAndStay({ url: scene.url, headers, message: call, count });
  await serverHasRead(scene.url);
  clients.reset();
  const rows = await rowsOf(scene);
  expect(rows).toHaveLength(count);
  expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['client_error']));
  const listed = scene.post(legacy('tools/list'), { 'x-admin-token': null, ...headers });
  expect((await passTimeUntil(scene, 1000, listed)).status).toBe(200);
  await expectFourAtOnce(scene, headers);
});

test('OAuth, keys known', async () => {
  await using scene = await startMcpLab({ oauth: {} });
  const headers = await accessToken(scene);
  await expectFourAtOnce(scene, headers);
  await sendAndReset({ url: scene.url, headers, message: call, count }, 12);
  await rowsOf(scene);
  await expectFourAtOnce(scene, headers);
});

test('token mode', async () => {
  await using scene = await startMcpLab();
  const headers = { 'x-admin-token': mcpToken };
  await sendAndReset({ url: scene.url, headers, message: call, count }, 12);
  await rowsOf(scene);
  await expectFourAtOnce(scene, headers);
});

test('requests that wait behind another one on the same connection', async () => {
  await using scene = await startMcpLab();
  const headers = { 'x-admin-token': mcpToken };
  scene.relay.hold();
  const clients = await sendAndStay({ url: scene.url, headers, message: call, count: 2, each: 2 });
  await hubAsked(scene, 4);
  clients.reset();
  await until(async () => (await rowsOf(scene)).length === 4);
  scene.relay.letGo();
  await expectFourAtOnce(scene, headers);
});
