// The chat workspace through the API: settings that never show the token, and what the workspace is asked at once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type DetectionLab, startDetectionLab } from '../support/detection-lab.ts';
import { eventually } from '../support/eventually.ts';
import { verifies } from '../support/verifies.ts';

verifies(
  'rest.settings.chat-read rest.settings.chat-write',
  'settings are kept, the token is sealed and never shown',
  async () => {
    await using lab = await startDetectionLab({ isSetUp: false });
    const { chat } = lab.as.admin;
    const off = {
      enabled: false,
      userId: '',
      displayName: '',
      cooldownMinutes: 60,
      tellResolved: false,
      tokenSet: false,
    };
    expect((await chat.config({})).config).toEqual(off);
    const token = 'xoxb-a-secret-of-the-operator';
    const answer = await chat.saveConfig({
      body: { enabled: true, token, userId: ' U0OWNER001 ', cooldownMinutes: 0.5 },
    });
    const saved = { ...off, enabled: true, userId: 'U0OWNER001', cooldownMinutes: 0.5, tokenSet: true };
    expect(answer).toEqual({ success: true, config: saved });
    expect(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8')).not.toContain(token);
    await lab.restart();
    expect((await lab.as.admin.chat.config({})).config).toEqual(saved);
    expect((await lab.as.admin.chat.saveConfig({ body: { token: '' } })).config.tokenSet).toBe(true);
    for (const body of [
      { cooldownMinutes: 0 },
      { cooldownMinutes: 1441 },
      { token: 'with space' },
      { token: 'x'.repeat(513) },
      { userId: 'x'.repeat(257) },
      { clearToken: false },
      { clearToken: true, token: 'xoxb-other' },
      { unknown: 1 },
    ]) {
      await expect(lab.as.admin.chat.saveConfig({ body: body as never })).rejects.toMatchObject({
        code: 'invalid_body',
      });
    }
    expect((await lab.as.admin.chat.config({})).config).toEqual(saved);
    expect((await lab.as.admin.chat.saveConfig({ body: { clearToken: true } })).config.tokenSet).toBe(false);
  },
);

verifies('rest.chat.test', 'a test message arrives at once, or the answer says why it does not', async () => {
  await using lab = await startDetectionLab({ isSetUp: false });
  const { chat } = lab.as.admin;
  const failing = (code: string, body: Record<string, unknown>) =>
    expect(chat.test({ body: {} })).rejects.toMatchObject({ code, body: { success: false, ...body } });
  await failing('token_or_userid_missing', { error: 'save a token and a user first, then test again' });
  const { token, userId } = lab.chat.credentials;
  await chat.saveConfig({ body: { token, userId } });
  expect(await chat.test({ body: {} })).toEqual({ success: true });
  expect(lab.chat.messages).toMatchObject([{ user: userId, text: expect.stringContaining('Gatehouse') }]);
  lab.chat.fail('invalid_auth', { times: 1 });
  await failing('chat_refused', { reason: 'invalid_auth', errorFacts: [{ code: 'chat_token_refused', values: {} }] });
  lab.chat.fail('rate-limited', { times: 1 });
  await failing('chat_refused', { reason: 'rate_limited', errorFacts: [{ code: 'chat_busy', values: {} }] });
  lab.chat.fail('error', { times: 1, value: 'of_next_year' });
  const unknown = { code: 'chat_code', values: { detail: 'of_next_year' } };
  await failing('chat_refused', { reason: 'of_next_year', errorFacts: [unknown] });
  for (const fault of ['server-error', 'cut-connection', 'html-answer', 'malformed-json', 'large-answer'] as const) {
    lab.chat.fail(fault, { times: 1 });
    await expect(chat.test({ body: {} })).rejects.toMatchObject({ status: 502, code: 'chat_unreachable' });
  }
  const calls = lab.chat.journal().filter(({ kind }) => kind === 'call').length;
  lab.chat.fail('error', { times: 1, value: 'channel_not_found' });
  await failing('chat_refused', { reason: 'channel_not_found' });
  expect(lab.chat.journal().filter(({ kind }) => kind === 'call')).toHaveLength(calls + 1);
});

verifies('rest.chat.verify', 'whose token this is, what it lacks, and why it opens nothing', async () => {
  await using lab = await startDetectionLab();
  const { chat } = lab.as.admin;
  const whose = { ok: true, team: 'Home', teamId: 'T0HOME0001', user: 'gatehouse', userId: 'U0BOT00001' };
  expect(await chat.verify({ body: {} })).toEqual({ ...whose, missingScopes: [] });
  const poor = lab.chat.issueToken(['chat:write']);
  const missingScopes = ['im:write', 'users:read', 'users:read.email'];
  expect(await chat.verify({ body: { token: poor } })).toEqual({ ...whose, missingScopes });
  expect(await chat.verify({ body: { token: 'xoxb-nobody' } })).toMatchObject({
    ...{ ok: false, error: 'invalid_auth' },
    messageFacts: [{ code: 'chat_token_refused', values: {} }],
  });
  lab.chat.fail('server-error', { times: 1 });
  expect(await chat.verify({ body: {} })).toMatchObject({ ok: false, error: 'http_500' });
  await chat.saveConfig({ body: { clearToken: true } });
  expect(await chat.verify({ body: {} })).toMatchObject({ ok: false, error: 'missing_params' });
});

verifies('rest.chat.lookup-user', 'by account, chosen name, real name or e-mail; five pages at most', async () => {
  await using lab = await startDetectionLab();
  const { chat } = lab.as.admin;
  const found = (username: string) => chat.lookupUser({ body: { username } });
  const owner = { ok: true, userId: 'U0OWNER001', name: 'owner', realName: 'Olga Owner', displayName: 'olga' };
  for (const name of ['owner', '@OWNER', 'Olga', 'olga owner', 'owner@home.example']) {
    expect(await found(name)).toEqual(owner);
  }
  for (const name of ['gone', 'helper', 'nobody', 'nobody@home.example']) {
    expect(await found(name)).toMatchObject({ ok: false, error: 'user_not_found' });
  }
  const [first] = lab.chat.settings.members;
  const many = Array.from({ length: 1001 }, (_, index) => ({
    ...first,
    id: `U0MANY${index + 1000}`,
    name: `m${index}`,
  }));
  lab.chat.patch({ members: many });
  expect(await found('m999')).toMatchObject({ ok: true, userId: 'U0MANY1999' });
  expect(await found('m1000')).toMatchObject({ ok: false, error: 'user_not_found' });
  const poor = lab.chat.issueToken(['chat:write']);
  expect(await chat.lookupUser({ body: { username: 'm1', token: poor } })).toMatchObject({
    ok: false,
    error: 'missing_scope',
  });
  await expect(found('')).rejects.toMatchObject({ code: 'invalid_body' });
});

describe('delivery', () => {
  const dsts = (count: number, from = 10) => Array.from({ length: count }, (_, index) => `203.0.113.${index + from}`);

  test('what waits is withdrawn when chat is switched off, and not told later', async () => {
    await using lab = await startDetectionLab();
    lab.chat.fail('server-error');
    for (const dst of dsts(2)) {
      lab.contact(dst);
    }
    await lab.poll();
    for (const dst of dsts(2)) {
      await lab.list(dst);
    }
    await lab.poll();
    expect((await lab.as.admin.chat.config({})).delivery).toMatchObject({ waiting: 2, lastError: 'http_500' });
    await lab.as.admin.chat.saveConfig({ body: { enabled: false } });
    expect((await lab.as.admin.chat.config({})).delivery.waiting).toBe(0);
    lab.chat.clearFaults();
    await lab.as.admin.chat.saveConfig({ body: { enabled: true } });
    await lab.advance(1_200_000);
    expect(lab.told()).toEqual([]);
  });

  test('settings that are saved are acknowledged, also while another program holds the database', async () => {
    await using lab = await startDetectionLab();
    await lab.settled();
    const other = new Database(path.join(lab.dataDir, 'monitor.db'));
    other.exec('BEGIN IMMEDIATE');
    try {
      const { config } = await lab.as.admin.chat.saveConfig({ body: { displayName: 'Ada' } });
      expect(config.displayName).toBe('Ada');
    } finally {
      other.close();
    }
    expect((await lab.as.admin.chat.config({})).config.displayName).toBe('Ada');
  });

  /** A detection is being told, and the workspace does not answer this call of it before the faults are cleared. */
  async function startTelling(lab: DetectionLab, command: string) {
    lab.chat.fail('late-answer', { command, times: 1 });
    lab.contact('203.0.113.9');
    await lab.poll();
    await lab.list('203.0.113.9');
    await lab.clock.advance(60_000);
    await eventually(
      async () => lab.chat.journal(),
      (entries) => entries.some(({ method }) => method === command) || undefined,
    );
  }

  test('nothing is posted once chat is switched off, also when the channel was being asked for', async () => {
    await using lab = await startDetectionLab();
    await startTelling(lab, 'conversations.open');
    await lab.as.admin.chat.saveConfig({ body: { enabled: false } });
    lab.chat.clearFaults();
    await lab.settled();
    expect(lab.told()).toEqual([]);
    await lab.as.admin.chat.saveConfig({ body: { enabled: true } });
    await lab.advance(1_200_000);
    expect(lab.told()).toEqual([]);
  });

  test('a new token is tried at once, also when it was saved while the old one was being refused', async () => {
    await using lab = await startDetectionLab();
    await startTelling(lab, 'chat.postMessage');
    lab.chat.patch({ tokens: [{ token: 'xoxb-another', scopes: [], state: 'active' }] });
    const fresh = lab.chat.issueToken();
    await lab.as.admin.chat.saveConfig({ body: { token: fresh } });
    lab.chat.clearFaults();
    await lab.settled();
    expect(lab.told()).toHaveLength(1);
    expect((await lab.as.admin.chat.config({})).delivery).toMatchObject({ waiting: 0, lastError: null });
  });
});
