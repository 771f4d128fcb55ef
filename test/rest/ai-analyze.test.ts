// An analysis: what is refused before anybody is asked, what leaves the hub, and what comes back.
import { expect, test } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import { hourMs } from '#kernel/time/time.ts';
import { startMesh } from '#simulators/mesh/access-point.ts';
import { type AiLab, findQuestions, makeContact, postJson, startAiLab } from '../support/ai-lab.ts';
import { verifies } from '../support/verifies.ts';

const clouds = ['cloud_a', 'cloud_b', 'cloud_c'] as const;

/** A hub with a router that was read, and a contact in its log. */
async function startWatching(provider: 'disabled' | (typeof aiProviderNames)[number] = 'local') {
  const lab = await startAiLab({ provider, routers: { home: 'vendor_a' } });
  await makeContact(lab, '192.168.100.23');
  return lab;
}

const lastHour = (lab: AiLab<'home'>) => ({ from: lab.clock.now() - hourMs });
/** The facts in the latest request to a provider. */
function factsSent(lab: AiLab<'home'>): Record<string, unknown> {
  const body = findQuestions(lab).at(-1)?.body ?? '';
  const [, facts = ''] = /<facts>\\n(.*?)\\n<\/facts>/.exec(body) ?? [];
  return JSON.parse(JSON.parse(`"${facts}"`) as string) as Record<string, unknown>;
}

for (const provider of aiProviderNames) {
  verifies(
    'rest.ai-analyze.body rest.ai-analyze.sends',
    `${provider} gets the counts that the facts of the hub have, and its answer comes back with what it cost and cites`,
    async () => {
      await using lab = await startWatching(provider);
      const to = lab.clock.now() + 1;
      const answer = await lab.as.admin.ai.analyze({
        body: { from: to - hourMs, to, cloudConsentConfirmed: true, language: 'en' },
      });
      const facts = await lab.as.admin.ai.facts({ query: { from: String(to - hourMs), to: String(to) } });
      expect(facts.current.connections).toBeGreaterThan(0);
      expect(answer).toMatchObject({ success: true, range: { from: to - hourMs, to }, provider, truncated: false });
      expect(answer.text).toContain(`There were ${facts.current.connections} connections, and 0 in the period before.`);
      expect(answer.usage?.inputTokens).toBeGreaterThan(100);
      expect(answer.generatedAt).toBe(lab.clock.now());
      expect(answer.citations.length).toBeGreaterThan(2);
      expect(answer.citations.filter(({ verified }) => !verified)).toEqual([]);
      for (const { text, start, end } of answer.citations) {
        expect(answer.text.slice(start, end)).toBe(text);
      }
      expect(findQuestions(lab)).toHaveLength(1);
      const { current, topDestinations, deviceInventory } = factsSent(lab);
      expect(current).toEqual(facts.current);
      expect(topDestinations).toEqual(facts.topDestinations);
      expect(deviceInventory).toMatchObject({
        devices: expect.arrayContaining([expect.objectContaining({ ip: '192.168.100.23', connections: 1 })]),
      });
    },
  );
}

verifies(
  'rest.ai-analyze.14-days',
  'to is now when left out; empty and too long periods are refused and nobody is asked',
  async () => {
    await using lab = await startWatching();
    const now = lab.clock.now();
    const whole = await lab.as.admin.ai.analyze({ body: { from: now - limits.factsMs } });
    expect(whole.range).toEqual({ from: now - limits.factsMs, to: now });
    lab.ai.clearJournal();
    const refused: [object, RegExp][] = [
      [{}, /^from/],
      [{ from: now }, /^to must be later than from/],
      [{ from: 5, to: 4 }, /^to must be later than from/],
      [{ from: now - limits.factsMs - 1, to: now }, /14 days/],
      [{ from: now - 1, sourceKind: 'router' }, /^sourceId is missing/],
      [{ from: now - 1, sourceKind: 'router', sourceId: 'nobody' }, /^sourceId is no router/],
      [{ from: now - 1, language: 'de' }, /^language/],
      [{ from: now - 1, more: 1 }, /more/],
    ];
    for (const path of ['/api/ai/analyze', '/api/ai/preview']) {
      for (const [body, message] of refused) {
        const answer = await postJson(lab, path, body);
        expect([body, answer.status]).toEqual([body, 400]);
        expect((answer.body as { error: string }).error).toMatch(message);
      }
    }
    expect(findQuestions(lab)).toEqual([]);
  },
);

verifies(
  'rest.ai-analyze.both-consents rest.ai.explicit-action rest.ai.optional',
  'a cloud provider is asked only with the saved consent and that of the request; without a provider the facts stay',
  async () => {
    await using lab = await startWatching('disabled');
    const ask = (body: object) => postJson(lab, '/api/ai/analyze', { ...lastHour(lab), ...body });
    expect(await ask({})).toMatchObject({ status: 400, body: { code: 'ai_disabled' } });
    expect((await lab.as.raw({ method: 'GET', path: `/api/ai/facts?from=${lastHour(lab).from}` })).status).toBe(200);
    for (const provider of clouds) {
      await lab.choose(provider);
      for (const unconfirmed of [{}, { cloudConsentConfirmed: false }]) {
        expect(await ask(unconfirmed)).toMatchObject({ status: 403, body: { code: 'ai_consent_required' } });
      }
      await lab.as.admin.ai.saveConfig({ body: { provider: 'disabled', cloudConsent: { [provider]: false } } });
      expect(await ask({ cloudConsentConfirmed: true })).toMatchObject({ status: 400, body: { code: 'ai_disabled' } });
    }
    // Time alone asks nobody.
    await lab.choose('local');
    await lab.skip(3 * hourMs);
    expect(findQuestions(lab)).toEqual([]);
  },
);

verifies(
  'rest.ai-analyze.one-at-a-time',
  'while an analysis is made a second one is refused at once; then the place is free',
  async () => {
    await using lab = await startWatching();
    lab.ai.fail('hold', { times: 1 });
    const first = lab.as.admin.ai.analyze({ body: lastHour(lab) });
    await lab.ai.held();
    const second = await postJson(lab, '/api/ai/analyze', lastHour(lab));
    expect(second).toMatchObject({ status: 409, body: { code: 'ai_busy' } });
    const shown = await lab.as.admin.ai.preview({ body: lastHour(lab) });
    expect(shown.body).toContain('<facts>');
    lab.ai.release();
    expect((await first).success).toBe(true);
    expect((await lab.as.admin.ai.analyze({ body: lastHour(lab) })).success).toBe(true);
    expect(findQuestions(lab)).toHaveLength(2);
  },
);

test('a client that goes away ends its analysis: the place is free, and nothing is stored as used', async () => {
  await using lab = await startWatching();
  lab.ai.fail('hold', { times: 1 });
  const gone = new AbortController();
  const asked = fetch(new URL('/api/ai/analyze', lab.url), {
    method: 'POST',
    headers: { 'x-admin-token': lab.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(lastHour(lab)),
    signal: gone.signal,
  });
  await lab.ai.held();
  gone.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(async () => (await postJson(lab, '/api/ai/analyze', lastHour(lab))).status).toBe(200);
  const { current } = await lab.as.admin.ai.monthlyUsage({ query: {} });
  expect(current.requests).toBe(1);
});

test('failures of a provider come with their code; an address, host and number that it made up are not verified', async () => {
  await using lab = await startWatching();
  lab.ai.fail('rate-limited', { times: 1 });
  const limited = await postJson(lab, '/api/ai/analyze', lastHour(lab));
  expect(limited).toMatchObject({ status: 502, body: { code: 'ai_limited' } });
  lab.ai.fail('made-up-address', { times: 1 });
  const answer = await lab.as.admin.ai.analyze({ body: lastHour(lab) });
  const unverified = answer.citations.filter(({ verified }) => !verified);
  expect(unverified.map(({ kind }) => kind)).toEqual(['address', 'host', 'number']);
  expect(unverified.map(({ text }) => text).slice(1)).toEqual(['made-up.invalid', '987654321']);
});

test('of a scope, the source that was asked for; the mesh is that of the whole network, and is left out', async () => {
  await using lab = await startWatching();
  await using mesh = await startMesh({ clock: lab.clock });
  const { user: username, password } = mesh.credentials;
  await lab.as.admin.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
  await lab.settled();
  await lab.as.admin.ai.analyze({ body: lastHour(lab) });
  expect(factsSent(lab)).toMatchObject({ sourceScope: null, networkTopology: { source: 'mesh', totalNodes: 3 } });
  const scope = { sourceKind: 'router' as const, sourceId: lab.routers.home.id };
  await lab.as.admin.ai.analyze({ body: { ...lastHour(lab), ...scope } });
  expect(factsSent(lab)).toMatchObject({
    sourceScope: scope,
    collection: { enabledRouters: 1, routerKinds: ['vendor_a'] },
  });
  expect(factsSent(lab)).not.toHaveProperty('networkTopology');
});
