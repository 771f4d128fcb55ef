// Enrolment and bearers of Agents against models in virtual time: codes, requests, decisions, claims, rotations.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createCode } from '#hub/collect/agents/codes.ts';
import { createAgentRegistry } from '#hub/collect/agents/registry.ts';
import { agentTimes } from '#hub/collect/agents/times.ts';
import { hourMs } from '#kernel/time/time.ts';
import { openAgentRegistry } from '../../../support/agent-registry.ts';
import { agentFacts } from '../../../support/agents.ts';
import { holdWrites } from '../../../support/held-writes.ts';

const minute = 60_000;

const nth = fc.nat(3);
const command = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('code' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('apply' as const), code: nth, host: fc.constantFrom('desk', 'lap') }),
  },
  fc.record({ does: fc.constant('apply wrongly' as const), times: fc.constantFrom(1, 4) }),
  { weight: 3, arbitrary: fc.record({ does: fc.constant('approve' as const), request: nth, replace: fc.boolean() }) },
  fc.record({ does: fc.constant('reject' as const), request: nth }),
  { weight: 3, arbitrary: fc.record({ does: fc.constant('claim' as const), request: nth, isRight: fc.boolean() }) },
  fc.record({ does: fc.constant('revoke' as const), request: nth }),
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 5 * minute, 10 * minute - 1, 10 * minute),
    }),
  },
);

interface ModelRequest {
  requestId: string;
  claimSecret: string;
  host: string;
  status: 'pending' | 'approved' | 'rejected' | 'collected';
  /** Until when it waits, for a decision and then for its claim. */
  until: number;
  agentId: string | null;
  isRevoked: boolean;
}

test('codes, requests and claims do what a model of them does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 24 }), async (commands) => {
      await using lab = await openAgentRegistry();
      const { clock, enrolment, registry } = lab;
      const codes: { code: string; until: number; failures: number; isOver: boolean }[] = [];
      const requests: ModelRequest[] = [];
      const ended: string[] = [];
      const burned: object[] = [];
      const isOpen = ({ until }: { until: number }) => until > clock.now();
      const isPending = (one: ModelRequest | undefined) => one?.status === 'pending' && isOpen(one);
      const endUncollected = () => {
        for (const one of requests.filter(({ status, until }) => status === 'approved' && until <= clock.now())) {
          one.isRevoked = true;
        }
      };
      const apply = async (code: string, host: string) => {
        const agent = { ...agentFacts, hostName: host };
        endUncollected();
        const known = codes.find((one) => one.code === code && !one.isOver && isOpen(one));
        const outcome = enrolment.apply({ code: ` ${code.toLowerCase()} `, agent, address: host });
        if (known) {
          known.isOver = true;
          const { requestId, claimSecret, expiresAt } = await outcome;
          expect(expiresAt).toBe(clock.now() + 10 * minute);
          requests.push({
            requestId,
            claimSecret,
            host,
            status: 'pending',
            until: expiresAt,
            agentId: null,
            isRevoked: false,
          });
          return;
        }
        await expect(outcome).rejects.toMatchObject({ code: 'enrollment_code_refused' });
        const live = codes.filter((one) => !one.isOver && isOpen(one));
        live.forEach((one) => void Object.assign(one, { failures: one.failures + 1, isOver: one.failures + 1 >= 5 }));
        const ends = live.filter(({ isOver }) => isOver).length;
        if (ends > 0) {
          burned.push({
            ...{ type: 'agent_enrollment_burned', outcome: 'failure', request: null, metadata: { codes: ends } },
            by: { method: 'enrollment-code', actor: null, credential: null },
          });
        }
      };
      for (const one of commands) {
        const request = 'request' in one ? requests.at(-1 - one.request) : undefined;
        const requestId = request?.requestId ?? '00000000-0000-4000-8000-000000000000';
        if (one.does === 'code') {
          const { code, expiresAt } = await enrolment.createCode();
          expect(expiresAt).toBe(clock.now() + 10 * minute);
          codes.push({ code, until: expiresAt, failures: 0, isOver: false });
        } else if (one.does === 'apply') {
          await apply(codes.at(-1 - one.code)?.code ?? '------', one.host);
        } else if (one.does === 'apply wrongly') {
          for (let time = 0; time < one.times; time += 1) {
            await apply('------', 'desk');
          }
        } else if (one.does === 'approve') {
          const replaced = requests.filter(
            (other) => one.replace && other.agentId !== null && other.host === request?.host && !other.isRevoked,
          );
          const approved = await enrolment.approve(requestId.toUpperCase(), one.replace);
          if (!(request && isPending(request))) {
            expect(approved).toBeNull();
            continue;
          }
          expect(approved).toMatchObject({
            agent: { hostName: request.host, createdAt: clock.now(), revokedAt: null, lastSeenAt: null },
            replaced: expect.toSatisfy((ids: string[]) => ids.length === replaced.length),
          });
          for (const other of replaced) {
            expect(approved?.replaced).toContain(other.agentId);
            other.isRevoked = true;
          }
          ended.push(...(approved?.replaced ?? []).map((id) => `agent:${id}`));
          Object.assign(request, {
            status: 'approved',
            until: clock.now() + 10 * minute,
            agentId: approved?.agent.agentId,
          });
        } else if (one.does === 'reject') {
          expect(await enrolment.reject(requestId.toUpperCase())).toBe(isPending(request));
          if (request && isPending(request)) {
            request.status = 'rejected';
          }
        } else if (one.does === 'claim') {
          const claimSecret = one.isRight ? (request?.claimSecret ?? 'svcc_') : 'svcc_wrong';
          const claimed = await enrolment.claim({ requestId, claimSecret });
          const isWaiting = request?.status === 'pending' || request?.status === 'approved';
          if (!request || !one.isRight) {
            expect(claimed).toEqual({ status: 'unknown' });
          } else if (isWaiting && !isOpen(request)) {
            expect(claimed).toEqual({ status: 'expired' });
          } else if (request.status === 'approved' && !request.isRevoked) {
            expect(claimed).toMatchObject({ status: 'approved', agentId: request.agentId });
            expect(registry.find((claimed as { token: string }).token)?.agent.agentId).toBe(request.agentId);
            request.status = 'collected';
          } else {
            expect(claimed).toEqual({ status: request.status === 'approved' ? 'expired' : request.status });
          }
        } else if (one.does === 'revoke') {
          const isActive = request !== undefined && request.agentId !== null && !request.isRevoked;
          expect(await registry.revoke(request?.agentId ?? 'none')).toBe(isActive);
          if (isActive) {
            request.isRevoked = true;
            ended.push(`agent:${request.agentId}`);
          }
        } else {
          await lab.wait(one.ms);
          // The job that ends what is over runs every five minutes.
          if (one.ms >= 5 * minute) {
            endUncollected();
          }
        }
        const active = new Set(
          requests.filter(({ agentId, isRevoked }) => agentId && !isRevoked).map(({ host }) => host),
        );
        expect(
          (await enrolment.pending('desk')).map((row) => [row.requestId, row.duplicateHostName, row.sameAddress]),
        ).toEqual(
          requests
            .filter(isPending)
            .toReversed()
            .map(({ requestId: id, host }) => [id, active.has(host), host === 'desk']),
        );
      }
      await lab.wait(5 * minute);
      endUncollected();
      const revoked = new Map(registry.list().map(({ agentId, revokedAt }) => [agentId, revokedAt !== null]));
      const agents = requests.filter(({ agentId }) => agentId !== null);
      expect([...revoked].sort()).toEqual(agents.map(({ agentId, isRevoked }) => [agentId, isRevoked]).sort());
      expect([lab.ended, lab.noted]).toEqual([ended, burned]);
    }),
    { numRuns: 8, seed: 3 },
  );
});

test('a request that ends is over to the millisecond, and whoever claims it then ends the Agent too', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, clock, registry, apply } = lab;
  const [waiting, approved] = [await apply(), await apply()];
  await enrolment.approve(approved.requestId, false);
  // Nothing that runs by the clock wakes.
  clock.jump(clock.now() + 10 * minute - 1);
  expect(await enrolment.claim(waiting)).toEqual({ status: 'pending' });
  clock.jump(clock.now() + 1);
  expect(registry.list()).toMatchObject([{ revokedAt: null }]);
  expect(await enrolment.claim(waiting)).toEqual({ status: 'expired' });
  expect(await enrolment.claim(approved)).toEqual({ status: 'expired' });
  expect(registry.list()).toMatchObject([{ revokedAt: clock.now() }]);
});

test('a day after its end a request is forgotten, one that waits is not; and so is a code', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, db, apply } = lab;
  const { requestId, claimSecret } = await apply();
  await lab.wait(5 * minute);
  const rows = () =>
    ['agent_request', 'agent_code'].map((table) => db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get());
  // Its end is five minutes away.
  await lab.wait(limits.enrolmentRetentionMs + 5 * minute);
  expect([rows(), await enrolment.claim({ requestId, claimSecret })]).toEqual([[1, 1], { status: 'expired' }]);
  await apply();
  await lab.wait(5 * minute);
  expect([rows(), await enrolment.claim({ requestId, claimSecret })]).toEqual([[1, 1], { status: 'unknown' }]);
});

test('the pepper is made once, and what was hashed with it is found after a start', async () => {
  await using lab = await openAgentRegistry();
  const { pepper } = lab.settings.current().agents;
  const again = createAgentRegistry({ ...lab, steadyClock: lab.clock });
  expect([lab.settings.current().agents.pepper, pepper.length > 20]).toEqual([pepper, true]);
  expect(again.hashOf('code', 'x')).toBe(lab.registry.hashOf('code', 'x'));
  expect(new Set([again.hashOf('code', 'x'), again.hashOf('claim', 'x'), again.hashOf('code', 'y')]).size).toBe(3);
});

const bearerCommand = fc.oneof(
  fc.record({ does: fc.constantFrom('use', 'use', 'rotate'), token: fc.nat(2) }),
  fc.record({ does: fc.constant('wait'), ms: fc.constantFrom(1000, 59_999, 60_000, 60_001), token: fc.constant(0) }),
);

test('bearers open what a model of their rotation says, and a sighting is noted once a minute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bearerCommand, { minLength: 6, maxLength: 20 }), async (commands) => {
      await using lab = await openAgentRegistry();
      const { clock, registry } = lab;
      const tokens = [await lab.enrol()];
      const model = { current: tokens[0], before: null as string | null, rotatedAt: 0, seenAt: null as number | null };
      const lastSeen = () => registry.list()[0]?.lastSeenAt;
      for (const one of commands) {
        if (one.does === 'wait') {
          clock.jump(clock.now() + (one as { ms: number }).ms);
        }
        const token = tokens.at(-1 - one.token) ?? '';
        const found = registry.find(token);
        const isBefore = token === model.before;
        expect(found !== null).toBe(token === model.current || isBefore);
        if (found === null || one.does === 'wait') {
          continue;
        }
        expect(found.presented.rotatesOnly).toBe(
          isBefore && clock.now() >= model.rotatedAt + limits.agentRotationGraceMs,
        );
        if (one.does === 'use') {
          const isDue = model.seenAt === null || clock.now() >= model.seenAt + limits.agentTouchMs;
          const endsOther = !isBefore && model.before !== null;
          const noted = registry.noteUse(found);
          expect(noted !== null).toBe(isDue || endsOther);
          await noted;
          model.seenAt = isDue || endsOther ? clock.now() : model.seenAt;
          model.before = isBefore ? model.before : null;
          expect(lastSeen()).toBe(model.seenAt);
        } else {
          const next = await registry.rotate(found);
          Object.assign(model, { current: next, before: token, rotatedAt: clock.now() });
          tokens.push(String(next));
        }
      }
    }),
    { numRuns: 8, seed: 3 },
  );
});

test('the use of a new bearer ends the one before at once, and what races is told so', async () => {
  await using lab = await openAgentRegistry();
  const { registry, db } = lab;
  const first = await lab.enrol();
  const found = () => registry.find(first);
  const presented = found();
  expect(presented).not.toBeNull();
  if (presented === null) {
    return;
  }
  const both = await Promise.all([registry.rotate(presented), registry.rotate(presented)]);
  expect(both.map((token) => token === null)).toEqual([false, true]);
  const next = registry.find(both[0] ?? '');
  const release = holdWrites(db);
  await using _held = { [Symbol.asyncDispose]: release };
  expect(next && found()).not.toBeNull();
  const noted = next && registry.noteUse(next);
  // Before it is written.
  expect([found(), next && registry.noteUse(next)]).toEqual([null, null]);
  await release();
  await noted;
  expect(db.prepare('SELECT previous_hash, rotated_at FROM agent').raw().get()).toEqual([null, null]);
  expect(found()).toBeNull();
  lab.clock.jump(lab.clock.now() + minute);
  expect(next && registry.noteUse(next)).not.toBeNull();
  await db.settled();
  const { agentId } = registry.list()[0] ?? { agentId: '' };
  expect(registry.byId(agentId.toUpperCase())?.agentId).toBe(agentId);
  expect([await registry.revoke(agentId), await registry.revoke(agentId), lab.ended]).toEqual([
    true,
    false,
    [`agent:${agentId}`],
  ]);
  expect(next && (await registry.rotate(next))).toBeNull();
});

/** What `answer` is by now; null when it waits. */
const atOnce = <T>(answer: Promise<T>) =>
  Promise.race([answer, new Promise<null>((resolve) => setImmediate(resolve, null))]);

test('a claim that changes nothing is answered while nothing can be written', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, db, apply } = lab;
  const [expired, rejected, collected, uncollected] = [await apply(), await apply(), await apply(), await apply()];
  await enrolment.reject(rejected.requestId);
  for (const { requestId } of [collected, uncollected]) {
    await enrolment.approve(requestId, false);
  }
  await enrolment.claim(collected);
  await lab.wait(10 * minute);
  const pending = await apply();
  const asked = [pending, expired, rejected, collected, uncollected, { ...pending, claimSecret: 'svcc_' }];
  const release = holdWrites(db);
  await using _held = { [Symbol.asyncDispose]: release };
  expect(await Promise.all(asked.map((one) => atOnce(enrolment.claim(one))))).toEqual(
    ['pending', 'expired', 'rejected', 'collected', 'expired', 'unknown'].map((status) => ({ status })),
  );
});

test('a request that is deleted while its claim waits is unknown', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, db, apply } = lab;
  const request = await apply();
  await enrolment.approve(request.requestId, false);
  const release = holdWrites(db);
  const deleted = db.write((writer) => writer.prepare('DELETE FROM agent_request').run());
  const answer = enrolment.claim(request);
  await release();
  await deleted;
  expect(await answer).toEqual({ status: 'unknown' });
});

test('twenty requests wait at most; the refusal says when the first of them ends, and leaves the code as it was', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, clock, apply } = lab;
  for (let request = 1; request <= 20; request += 1) {
    await apply();
    clock.jump(clock.now() + 1000);
  }
  const { code } = await enrolment.createCode();
  const again = () => enrolment.apply({ code, agent: agentFacts, address: 'a' });
  await expect(again()).rejects.toMatchObject({
    ...{ code: 'enrollment_requests_full', headers: { 'Retry-After': '580' } },
    message: expect.stringMatching(/^20 requests wait/),
  });
  clock.jump(clock.now() + 580_000);
  expect(await again()).toMatchObject({ expiresAt: clock.now() + 10 * minute });
});

test('twenty codes are live at most; one that is used, or has ended, makes room', async () => {
  await using lab = await openAgentRegistry();
  const { enrolment, clock, apply } = lab;
  await apply();
  for (let live = 1; live <= 20; live += 1) {
    await enrolment.createCode();
  }
  await expect(enrolment.createCode()).rejects.toMatchObject({ code: 'enrollment_code_limit' });
  clock.jump(clock.now() + 10 * minute - 1);
  await expect(enrolment.createCode()).rejects.toMatchObject({ code: 'enrollment_code_limit' });
  clock.jump(clock.now() + 1);
  expect(await enrolment.createCode()).toMatchObject({ expiresAt: clock.now() + 10 * minute });
});

test('a code is drawn again when its hash is taken', async () => {
  await using lab = await openAgentRegistry();
  const drawn: string[] = [];
  const hashOf = (code: string) => (drawn.push(code) <= 2 ? 'taken' : 'free');
  const codes = await lab.db.write((writer) => [1, 2].map(() => createCode(writer, hashOf, 0).code));
  expect(codes).toEqual([drawn[0], drawn[2]]);
});

test('the steady clock stamps the columns that are said to be steady, and no others', async () => {
  await using lab = await openAgentRegistry({ wallAheadMs: 10 * hourMs });
  const { db, clock, enrolment, registry } = lab;
  const found = registry.find(await lab.enrol());
  expect(found).not.toBeNull();
  if (found === null) {
    return;
  }
  await registry.noteUse(found);
  await registry.rotate(found);
  await registry.revoke(found.agent.agentId);
  await enrolment.createCode();
  for (let time = 1; time <= limits.enrolmentCodeFailures; time += 1) {
    await enrolment.apply({ code: '------', agent: agentFacts, address: 'a' }).catch(() => undefined);
  }
  for (const { table, isSteady = false, timestamps } of agentTimes.tables.slice(0, 4)) {
    for (const stamp of timestamps) {
      const at = Number(db.prepare(`SELECT MAX(${stamp}) FROM ${table}`).pluck().get());
      expect([table, stamp, at > 0, at < clock.now() + hourMs]).toEqual([table, stamp, true, isSteady]);
    }
  }
});
