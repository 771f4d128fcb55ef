// Drafts of notes by the chosen provider: only after it was agreed to, only facts of the device, never a note.
import { expect, test } from 'vitest';
import { type AiLab, makeContact, startAiLab } from '../support/ai-lab.ts';
import { verifies } from '../support/verifies.ts';

const refused = (status: number, code: string) => expect.objectContaining({ status, code });
const ip = '192.168.100.23';
const secretNote = 'zq-the safe is behind the picture';

async function startWithNote(): Promise<AiLab<'home'>> {
  const lab = await startAiLab({ routers: { home: 'vendor_a' } });
  await makeContact(lab, ip);
  await lab.as.admin.notes.write({ body: { ip, note: secretNote } });
  return lab;
}

verifies(
  'rest.notes.draft',
  'the local server words it, with the facts of the device and without its note, and it is counted as a draft',
  async () => {
    await using lab = await startWithNote();
    await lab.choose('local');
    const { draft, raw: facts, generatedBy } = await lab.as.admin.notes.draft({ body: { ip } });
    expect(generatedBy).toBe('local AI server: qwen3:8b');
    expect(draft).not.toBe('');
    expect(draft.length).toBeLessThanOrEqual(500);
    expect(facts).toMatchObject({ ip, topDestinations: [{ name: '203.0.113.80', sessions: 1 }] });
    const [sent] = lab.ai.requests();
    expect(sent?.body).toContain(ip);
    expect(
      lab.ai
        .requests()
        .map(({ body }) => body)
        .join(),
    ).not.toContain('zq-');
    expect((await lab.as.admin.ai.monthlyUsage({ query: {} })).current.requests).toBe(1);
  },
);

test('without a provider, or when the caller wants none, it is put together here and nobody is asked', async () => {
  await using lab = await startWithNote();
  const alone = await lab.as.admin.notes.draft({ body: { ip } });
  expect(alone).toMatchObject({ generatedBy: 'local', raw: { ip } });
  await lab.choose('cloud_a');
  expect(await lab.as.admin.notes.draft({ body: { ip, assistant: false } })).toEqual(alone);
  expect(lab.asked()).toEqual([]);
});

test('a cloud provider is asked only for callers who may have it asked and confirm it', async () => {
  await using lab = await startWithNote();
  for (const provider of ['cloud_a', 'cloud_b', 'cloud_c'] as const) {
    await lab.choose(provider);
    const unconfirmed = lab.as.admin.notes.draft({ body: { ip } });
    await expect(unconfirmed).rejects.toEqual(refused(403, 'ai_consent_required'));
  }
  const writer = await lab.as.identity(['network.read', 'notes.write']);
  const confirmed = { ip, cloudConsentConfirmed: true };
  await expect(writer.client.notes.draft({ body: confirmed })).rejects.toEqual(refused(403, 'forbidden'));
  expect(await writer.client.notes.draft({ body: { ...confirmed, assistant: false } })).toMatchObject({
    generatedBy: 'local',
  });
  expect(lab.asked()).toEqual([]);
  await lab.choose('cloud_b');
  const trusted = await lab.as.identity(['network.read', 'notes.write', 'ai.run']);
  const { generatedBy } = await trusted.client.notes.draft({ body: confirmed });
  expect(generatedBy).toBe('OpenAI: gpt-6-sol');
  // A server of the network needs neither.
  await lab.choose('local');
  expect(await writer.client.notes.draft({ body: { ip } })).toMatchObject({ generatedBy: 'local AI server: qwen3:8b' });
});

test('one question at a time; a failure is said and no draft is made up for it', async () => {
  await using lab = await startWithNote();
  await lab.choose('local');
  lab.ai.fail('hold', { times: 1 });
  const first = lab.as.admin.notes.draft({ body: { ip } });
  await lab.ai.held();
  await expect(lab.as.admin.notes.draft({ body: { ip } })).rejects.toEqual(refused(409, 'ai_busy'));
  lab.ai.release();
  await first;
  lab.ai.fail('server-error', { times: 1 });
  await expect(lab.as.admin.notes.draft({ body: { ip } })).rejects.toMatchObject({ status: 502 });
});
