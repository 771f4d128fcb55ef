// Enrolment of Agents over HTTP: codes, requests, decisions, claims, and their races.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { agentClient, agentFacts, applyFor, enrolAgent } from '../support/agents.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const body = (code: string) => ({ body: { code, agent: agentFacts } });

/** A code that is none of this hub. */
function wrongCode(right: string): string {
  return right.startsWith('A') ? `B${right.slice(1)}` : `A${right.slice(1)}`;
}

async function storedText(lab: Lab<never>): Promise<string> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const tables = ['agent', 'agent_code', 'agent_request', 'audit_event'];
  const rows = tables.flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all());
  await db.close();
  return JSON.stringify(rows);
}

describe('codes', () => {
  verifies(
    'rest.enrolment.code-issue-admin rest.enrolment.code-six rest.enrolment.code-shown-once',
    'a code has six characters that are not mistaken for others, is shown once and stored as a hash',
    async () => {
      await using lab = await startLab();
      const { code, expiresAt } = await lab.as.admin.agents.createCode({ body: {} });
      expect(code).toMatch(/^[2-9A-HJ-NP-Z]{6}$/);
      expect(expiresAt).toBe(lab.clock.now() + 10 * minute);
      expect(await storedText(lab)).not.toContain(code);
      expect((await refusal(lab.as.nobody.agents.createCode({ body: {} }))).status).toBe(401);
    },
  );

  verifies('rest.enrolment.code-10-minutes', 'a code is valid for ten minutes, in any case and once', async () => {
    await using lab = await startLab();
    const { admin, nobody } = lab.as;
    const [first, second] = [await admin.agents.createCode({ body: {} }), await admin.agents.createCode({ body: {} })];
    await lab.skip(10 * minute - 1);
    await nobody.agents.enroll(body(first.code.toLowerCase()));
    expect((await refusal(nobody.agents.enroll(body(first.code)))).code).toBe('enrollment_code_refused');
    await lab.skip(1);
    expect((await refusal(nobody.agents.enroll(body(second.code)))).status).toBe(401);
  });

  verifies('rest.enrolment.code-burned', 'the fifth wrong application burns the code', async () => {
    await using lab = await startLab({ hub: { trustProxy: ['127.0.0.1'] } });
    const { admin } = lab.as;
    const { code } = await admin.agents.createCode({ body: {} });
    const from = (address: string, sent: string) =>
      lab.as.raw({
        method: 'POST',
        path: '/api/agent/enrollment-requests',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
        body: JSON.stringify({ code: sent, agent: agentFacts }),
      });
    for (let wrong = 1; wrong <= 4; wrong += 1) {
      expect((await from(`192.0.2.${wrong}`, wrongCode(code))).status).toBe(401);
    }
    const other = await admin.agents.createCode({ body: {} });
    expect((await from('192.0.2.5', wrongCode(code))).status).toBe(401);
    expect((await from('192.0.2.6', code)).status).toBe(401);
    // The other one has two failures.
    expect((await from('192.0.2.7', other.code)).status).toBe(202);
    const { events } = await admin.auth.auditEvents({});
    expect(events.filter(({ eventType }) => eventType === 'agent_enrollment_burned')).toHaveLength(1);
  });

  test('one address that fails five times waits, and what is refused for that counts against no code', async () => {
    await using lab = await startLab();
    const { admin, nobody } = lab.as;
    const { code } = await admin.agents.createCode({ body: {} });
    for (let wrong = 1; wrong <= 4; wrong += 1) {
      await refusal(nobody.agents.enroll(body(wrongCode(code))));
    }
    // A right one clears the count of the address, not that of the others.
    const other = await admin.agents.createCode({ body: {} });
    await nobody.agents.enroll(body(other.code));
    const third = await admin.agents.createCode({ body: {} });
    for (let wrong = 1; wrong <= 5; wrong += 1) {
      await refusal(nobody.agents.enroll(body(wrongCode(code))));
    }
    const late = await admin.agents.createCode({ body: {} });
    const waiting = await refusal(nobody.agents.enroll(body(late.code)));
    expect([waiting.status, waiting.code]).toEqual([429, 'enrollment_throttled']);
    expect(Number(waiting.headers['retry-after'])).toBe(300);
    await lab.skip(5 * minute);
    expect(await nobody.agents.enroll(body(late.code))).toMatchObject({ status: 'pending' });
    expect((await refusal(nobody.agents.enroll(body(third.code)))).status).toBe(401);
  });

  test('malformed applications are 400 and count nowhere', async () => {
    await using lab = await startLab();
    const { code } = await lab.as.admin.agents.createCode({ body: {} });
    const bad = [
      { code: 'ABC', agent: agentFacts },
      { code, agent: { ...agentFacts, platform: 'amiga' } },
      { code, agent: { ...agentFacts, hostName: 'a\u0007b' } },
      { code, agent: { ...agentFacts, more: 1 } },
      { code, agent: { ...agentFacts, osVersion: 'x'.repeat(65) } },
      { code },
    ];
    for (const one of [...bad, ...bad]) {
      const { status } = await lab.as.raw({
        method: 'POST',
        path: '/api/agent/enrollment-requests',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(one),
      });
      expect([one, status]).toEqual([one, 400]);
    }
    expect(await lab.as.nobody.agents.enroll(body(code))).toMatchObject({ status: 'pending' });
  });
});

describe('requests and claims', () => {
  test('an unknown request and a wrong secret are told apart by nobody', async () => {
    await using lab = await startLab();
    const request = await applyFor(lab);
    const wrong = { ...request, claimSecret: `svcc_${'0'.repeat(64)}` };
    const unknown = { ...wrong, requestId: '00000000-0000-4000-8000-000000000000' };
    const [one, other] = [
      await refusal(lab.as.nobody.agents.claim({ body: wrong })),
      await refusal(lab.as.nobody.agents.claim({ body: unknown })),
    ];
    expect({ ...one?.body, requestId: '' }).toEqual({ ...other?.body, requestId: '' });
    expect(one?.body).toMatchObject({ status: 'unknown', code: 'not_found' });
  });

  verifies(
    'rest.enrolment.request-pending rest.enrolment.request-claim-secret rest.enrolment.list-pending',
    'an application with a code waits for a decision and holds no token',
    async () => {
      await using lab = await startLab();
      const { admin, nobody } = lab.as;
      const { code } = await admin.agents.createCode({ body: {} });
      const applied = await nobody.agents.enroll(body(code));
      expect(applied).toEqual({
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        claimSecret: expect.stringMatching(/^svcc_[0-9a-f]{64}$/),
        expiresAt: lab.clock.now() + 10 * minute,
        status: 'pending',
      });
      expect((await admin.agents.requests({})).requests).toEqual([
        {
          requestId: applied.requestId,
          ...agentFacts,
          createdAt: lab.clock.now(),
          expiresAt: applied.expiresAt,
          duplicateHostName: false,
          sameAddress: true,
        },
      ]);
      expect(await nobody.agents.claim({ body: secretOf(applied) })).toEqual({ status: 'pending' });
      expect(await storedText(lab)).not.toContain(applied.claimSecret);
    },
  );

  verifies(
    'rest.enrolment.approve rest.enrolment.claim rest.enrolment.bearer-once',
    'an approved request gives its bearer to the first claim alone; it works from then on',
    async () => {
      await using lab = await startLab();
      const { admin, nobody } = lab.as;
      const request = await applyFor(lab);
      const { agent } = await admin.agents.approve({ params: { requestId: request.requestId }, body: {} });
      expect(agent).toMatchObject({ ...agentFacts, lastSeenAt: null, revokedAt: null });
      const claimed = await nobody.agents.claim({ body: request });
      expect(claimed).toEqual({ status: 'approved', agentId: agent.agentId, token: expect.any(String) });
      expect(await nobody.agents.claim({ body: request })).toEqual({ status: 'collected' });
      const { token } = claimed as { token: string };
      expect(await agentClient(lab.url, token).agents.capabilities({})).toMatchObject({ schemaVersions: [1] });
    },
  );

  verifies('rest.agents.bearer-prefix rest.agents.peppered-hash', 'the stored bearer is a peppered hash', async () => {
    await using lab = await startLab();
    const { token } = await enrolAgent(lab);
    expect(token).toMatch(/^svca_[0-9a-f]{64}$/);
    const stored = await storedText(lab);
    expect(stored).not.toContain(token.slice(5));
    expect(stored).not.toContain(createHash('sha256').update(token).digest('hex'));
  });

  verifies('rest.enrolment.reject', 'a rejected request stays rejected', async () => {
    await using lab = await startLab();
    const { admin, nobody } = lab.as;
    const request = await applyFor(lab);
    const params = { requestId: request.requestId };
    expect(await admin.agents.reject({ params, body: {} })).toEqual({ rejected: true });
    expect(await refusal(admin.agents.reject({ params, body: {} }))).toMatchObject({
      status: 404,
      body: { rejected: false },
    });
    expect((await refusal(admin.agents.approve({ params, body: {} }))).status).toBe(404);
    expect(await nobody.agents.claim({ body: request })).toEqual({ status: 'rejected' });
  });

  verifies('rest.enrolment.request-expires', 'after ten minutes a request cannot be approved', async () => {
    await using lab = await startLab();
    const { admin, nobody } = lab.as;
    const request = await applyFor(lab);
    await lab.skip(10 * minute);
    const params = { requestId: request.requestId };
    expect((await refusal(admin.agents.approve({ params, body: {} }))).status).toBe(404);
    expect((await refusal(admin.agents.reject({ params, body: {} }))).status).toBe(404);
    expect((await admin.agents.requests({})).requests).toEqual([]);
    expect(await nobody.agents.claim({ body: request })).toEqual({ status: 'expired' });
    expect((await admin.agents.list({})).agents).toEqual([]);
  });

  test('a restart between approval and claim strands no Agent', async () => {
    await using lab = await startLab();
    const request = await applyFor(lab);
    await lab.as.admin.agents.approve({ params: { requestId: request.requestId }, body: {} });
    await lab.restart();
    const claimed = await lab.as.nobody.agents.claim({ body: request });
    const { token } = claimed as { token: string };
    expect(await agentClient(lab.url, token).agents.capabilities({})).toMatchObject({ compression: [] });
  });
});

describe('races', () => {
  const outcomes = async (calls: Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map(({ status }) => status).sort();

  test('of two applications with one code one is accepted', async () => {
    await using lab = await startLab();
    for (let round = 0; round < 5; round += 1) {
      const { code } = await lab.as.admin.agents.createCode({ body: {} });
      const calls = [1, 2].map(() => lab.as.nobody.agents.enroll(body(code)));
      expect(await outcomes(calls)).toEqual(['fulfilled', 'rejected']);
    }
  });

  test('of approval and rejection at once one holds; of many claims at once one gets the bearer', async () => {
    await using lab = await startLab();
    const { admin, nobody } = lab.as;
    const request = await applyFor(lab);
    const params = { requestId: request.requestId };
    const decisions = [
      admin.agents.approve({ params, body: {} }),
      admin.agents.reject({ params, body: {} }),
      admin.agents.approve({ params, body: {} }),
    ];
    expect(await outcomes(decisions)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const other = await applyFor(lab);
    await admin.agents.approve({ params: { requestId: other.requestId }, body: {} });
    const claims = await Promise.all(Array.from({ length: 8 }, () => nobody.agents.claim({ body: other })));
    expect(claims.map(({ status }) => status).sort()).toEqual(['approved', ...Array(7).fill('collected')]);
  });
});

function secretOf({ requestId, claimSecret }: { requestId: string; claimSecret: string }) {
  return { requestId, claimSecret };
}
