// Lists that one permission could make longer for ever: each has an end, and what is there stays usable at it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createSessions } from '#hub/base/auth/sessions.ts';
import { createSignals } from '#hub/base/signals.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db, type Writer } from '#kernel/sqlite/sqlite.ts';
import { startChatLab } from '../support/chat-lab.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';

/** Runs `work` on the database of a hub that is stopped meanwhile. */
async function whileStopped(lab: Pick<Lab<never>, 'stop' | 'restart' | 'dataDir'>, work: (writer: Writer) => void) {
  await lab.stop();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write(work);
  await db.close();
  await lab.restart();
}

test('sessions of one person: the one that was used longest ago ends for one too many, and nobody else', async () => {
  await using lab = await startLab();
  const told: string[] = [];
  const signals = createSignals(createLog('hub', 'silent'));
  signals.on('credentialRevoked', (credential) => void told.push(credential));
  const db = new Db(`${lab.dataDir}/monitor.db`);
  const sessions = createSessions({ db, clock: lab.clock, signals, ttlMs: 60_000 });
  const open = async (subject: string | null) => {
    const about = {
      authMethod: subject === null ? 'local' : 'oidc',
      role: 'viewer',
      subject,
      deviceLabel: null,
      userAgent: null,
      address: null,
    } as const;
    return (await sessions.open(about, () => undefined)).session.id;
  };
  const [local, other, first, second] = [await open(null), await open('b'), await open('a'), await open('a')];
  for (let count = 2; count < limits.sessionsOfSubject; count += 1) {
    await open('a');
  }
  expect(told).toEqual([]);
  await open('a');
  expect(told).toEqual([`session:${first}`]);
  const ids = sessions.list().map(({ id }) => id);
  expect(ids).toHaveLength(limits.sessionsOfSubject + 2);
  expect(ids).toEqual(expect.arrayContaining([local, other, second]));
  await db.close();
});

test('identities that ended: the latest are listed, active ones always', async () => {
  await using lab = await startLab();
  const { auth } = lab.as.admin;
  const body = { label: 'active', permissions: ['network.read'] as const, expiresInMs: 86_400_000 };
  const { identity } = await auth.createIdentity({ body: { ...body, permissions: [...body.permissions] } });
  await whileStopped(lab, (writer) => {
    const insert = writer.prepare(
      `INSERT INTO api_identity (id, token_hash, label, permissions, created_at, expires_at, revoked_at)
       VALUES (@id, lower(hex(randomblob(32))), 'ended', '[]', @at, @at, NULL)`,
    );
    for (let at = 1; at <= limits.identitiesEnded + 5; at += 1) {
      insert.run({ id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, at });
    }
  });
  await lab.as.admin.auth.createIdentity({ body: { ...body, permissions: [...body.permissions] } });
  const { identities } = await lab.as.admin.auth.identities({});
  expect(identities).toHaveLength(limits.identitiesEnded + 2);
  expect(identities).toContainEqual(expect.objectContaining({ id: identity.id }));
  expect(Math.min(...identities.map(({ createdAt }) => createdAt))).toBe(6);
});

test('an identity that is no longer stored is not active again after a restore', async () => {
  await using lab = await startLab();
  const { id } = await lab.as.identity(['network.read']);
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await whileStopped(lab, (writer) => void writer.prepare('DELETE FROM api_identity').run());
  await lab.as.admin.backup.restore({ body: { name } });
  const { identities } = await lab.as.admin.auth.identities({});
  expect(identities).toMatchObject([{ id, revokedAt: lab.clock.now() }]);
});

test('conversations: at the limit none begins, those that are there go on, and a deleted one makes room', async () => {
  await using lab = await startChatLab();
  const { conversationId } = await lab.chat();
  await whileStopped(lab, (writer) => {
    const insert = writer.prepare(
      `INSERT INTO ai_conversation (conversation_id, created_at, provider, model, range_from, range_to)
       VALUES (@id, 1, 'local', 'x', 0, 1)`,
    );
    for (let n = 1; n < limits.aiConversationsStored; n += 1) {
      insert.run({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` });
    }
  });
  const asked = lab.questions().length;
  expect(await refusal(lab.chat())).toMatchObject({ status: 409, code: 'conversation_limit' });
  expect(lab.questions()).toHaveLength(asked);
  expect(await lab.chat({ conversationId })).toMatchObject({ conversationId });
  await lab.as.admin.ai.deleteConversation({ params: { id: '00000000-0000-4000-8000-000000000001' } });
  expect(await lab.chat()).toMatchObject({ startedNewConversation: true });
});

test('messages of a conversation: at the limit it is read and deleted, and another begins', async () => {
  await using lab = await startChatLab();
  const { conversationId } = await lab.chat();
  await whileStopped(lab, (writer) => {
    const insert = writer.prepare(
      `INSERT INTO ai_message (conversation, message_id, request_id, role, body, created_at, provider, model, range_from,
         range_to, status)
       SELECT id, @id, @id, 'user', 'x', 1, provider, model, range_from, range_to, 'complete' FROM ai_conversation`,
    );
    for (let n = 2; n < limits.aiMessagesStored; n += 1) {
      insert.run({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` });
    }
  });
  expect(await refusal(lab.chat({ conversationId }))).toMatchObject({ status: 409, code: 'conversation_limit' });
  const { messages } = await lab.as.admin.ai.conversation({ params: { id: conversationId } });
  expect(messages).toHaveLength(limits.aiMessages);
  expect(await lab.chat()).toMatchObject({ startedNewConversation: true });
});

test('dismissed beacons: at the limit none is added, and dismissing one again is no error', async () => {
  await using lab = await startLab();
  await whileStopped(lab, (writer) => {
    const insert = writer.prepare(
      `INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
         status, benign)
       VALUES ('192.168.1.2', '203.0.113.9', @port, 'TCP', 60000, 0.1, 0.9, 9, 1, 2, 3, @status, NULL)`,
    );
    for (let port = 1; port <= limits.beaconsDismissed; port += 1) {
      insert.run({ port, status: 'dismissed' });
    }
    insert.run({ port: 65_000, status: 'candidate' });
  });
  const { beacons } = lab.as.admin;
  const [candidate] = (await beacons.list({})).beacons;
  const dismiss = (id: number) => beacons.dismiss({ params: { id: String(id) }, body: {} });
  expect(await refusal(dismiss(candidate?.id ?? 0))).toMatchObject({ status: 409, code: 'beacon_limit' });
  expect((await beacons.list({})).beacons).toHaveLength(1);
  expect(await dismiss((candidate?.id ?? 0) - 1)).toEqual({ success: true });
});

test('routers that were removed: the latest of them are stored', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const file = path.join(lab.dataDir, 'monitor.json');
  await lab.stop();
  const document = JSON.parse(readFileSync(file, 'utf8')) as { tombstones: object[] };
  document.tombstones = Array.from({ length: limits.routerTombstones + 5 }, (_, index) => ({
    ...{ id: `vendor-a-${index}`, kind: 'vendor_a', displayName: 'Shed', deletedAt: index },
  }));
  writeFileSync(file, JSON.stringify(document));
  await lab.restart();
  await lab.as.admin.routers.remove({ params: { id: lab.routers.a.id } });
  const { tombstones } = JSON.parse(readFileSync(file, 'utf8')) as { tombstones: { id: string }[] };
  expect(tombstones).toHaveLength(limits.routerTombstones);
  expect(tombstones.at(-1)?.id).toBe(lab.routers.a.id);
});
