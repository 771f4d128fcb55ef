// The check of the service identity that calls share: it belongs to none of them.
import { expect, test } from 'vitest';
import { until } from '../support/eventually.ts';
import { sendAndStay, serverHasRead } from '../support/leaving-clients.ts';
import { legacy, type McpLab, mcpToken, passTimeUntil, startMcpLab } from '../support/mcp-lab.ts';

const call = legacy('tools/call', { name: 'get_threat_summary', arguments: {} });
const headers = { 'x-admin-token': mcpToken };

const year = 365 * 86_400_000;

const checks = (scene: McpLab) => scene.relay.sent().match(/api-identities\/self/g)?.length ?? 0;

/** The hub refused the identity: the next call checks it, and the hub does not answer that. */
async function doubt(scene: McpLab): Promise<void> {
  const { identities } = await scene.lab.as.admin.auth.identities({});
  await scene.lab.as.admin.auth.revokeIdentity({ params: { id: identities[0]?.id ?? '' }, body: {} });
  await scene.post(call);
  scene.relay.hold();
}

const isChecked = (scene: McpLab, before: number) => until(() => checks(scene) > before);

test('the first caller leaves: the others get the result of the check', async () => {
  await using scene = await startMcpLab();
  await doubt(scene);
  const before = checks(scene);
  const first = await sendAndStay({ url: scene.url, headers, message: call, count: 1 });
  await isChecked(scene, before);
  const others = [1, 2].map(() => scene.post(call));
  await serverHasRead(scene.url);
  first.reset();
  await until(async () => (await scene.rows()).filter(({ reason }) => reason === 'client_error').length === 1);
  scene.relay.letGo();
  for (const answer of await Promise.all(others)) {
    expect(JSON.stringify(answer.body.result)).toContain('no valid identity at the monitoring service');
  }
  expect(checks(scene)).toBe(before + 1);
});

test('an identity that is good again is checked once, and believed from then on', async () => {
  await using scene = await startMcpLab();
  const { clock } = scene.lab;
  const today = clock.now();
  clock.jump(today + 20 * year);
  expect(JSON.stringify((await scene.post(call)).body.result)).toContain('answered 401');
  await scene.settledRows();
  clock.jump(today);
  // The hub looks at its clock every minute.
  await scene.lab.advance(60_000);
  const before = checks(scene);
  for (const _call of [1, 2]) {
    expect((await scene.post(call)).body).toMatchObject({ result: { structuredContent: { total: 5 } } });
  }
  expect(checks(scene)).toBe(before + 1);
});

test('a stop ends a check that is under way', async () => {
  const scene = await startMcpLab();
  await doubt(scene);
  const before = checks(scene);
  const clients = await sendAndStay({ url: scene.url, headers, message: call, count: 1 });
  await isChecked(scene, before);
  clients.reset();
  const stopped = scene.lab.clock.now();
  await passTimeUntil(scene, 1000, scene.mcp[Symbol.asyncDispose]());
  expect(scene.lab.clock.now() - stopped).toBeLessThan(10_000);
  await scene[Symbol.asyncDispose]();
});
