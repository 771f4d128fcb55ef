// Enrolment and bearers of Agents against models in virtual time: codes, requests, decisions, claims, rotations.
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { startEnrolment } from '#hub/agents/enrolment.ts';
import { createAgentRegistry } from '#hub/agents/registry.ts';
import { openDocument } from '#hub/settings/document.ts';
import { openDatabase } from '#hub/storage/database.ts';
import { createLog } from '#kernel/log.ts';
import { createKey } from '#kernel/secret.ts';
import { agentFacts } from '../../support/agents.ts';
import { holdWrites } from '../../support/held-writes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const minute = 60_000;

async function openRegistry() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const db = opened.adopt(openDatabase(path.join(folder.path, 'monitor.db')), (open) => open.close());
  const clock = new ManualClock();
  const ended: string[] = [];
  const burned: number[] = [];
  const settings = openDocument(path.join(folder.path, 'monitor.json'), createKey());
  const signals = { emit: (_: unknown, credential: unknown) => void ended.push(String(credential)) } as never;
  const registry = createAgentRegistry({ db, clock, steadyClock: clock, settings, signals });
  const audit = {
    note: (entry: { metadata?: unknown }) => void burned.push((entry.metadata as { codes: number }).codes),
  };
  const log = createLog('agents', 'silent');
  const enrolment = opened.use(startEnrolment({ db, clock, log, registry, audit: audit as never }));
  const whole = opened.move();
  return {
    ...{ db, clock, ended, burned, registry, enrolment, settings, signals },
    async wait(ms: number) {
      await clock.advance(ms);
      await db.settled();
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

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
      await using lab = await openRegistry();
      const { clock, enrolment, registry } = lab;
      const codes: { code: string; until: number; failures: number; isOver: boolean }[] = [];
      const requests: ModelRequest[] = [];
      const ended: string[] = [];
      const burned: number[] = [];
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
        burned.push(...[live.filter(({ isOver }) => isOver).length].filter((count) => count > 0));
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
      expect([lab.ended, lab.burned]).toEqual([ended, burned]);
    }),
    {
      numRuns: 8,
      seed: 3,
    },
  );
});

test('a request that ends is over to the millisecond, and whoever claims it then ends the Agent too', async () => {
  await using lab = await openRegistry();
  const { enrolment, clock, registry } = lab;
  const apply = async () => {
    const { code } = await enrolment.createCode();
    return enrolment.apply({ code, agent: agentFacts, address: 'a' });
  };
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
  await using lab = await openRegistry();
  const { enrolment, db } = lab;
  const apply = async () => {
    const { code } = await enrolment.createCode();
    return enrolment.apply({ code, agent: agentFacts, address: 'a' });
  };
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
  await using lab = await openRegistry();
  const { pepper } = lab.settings.current().agents;
  const again = createAgentRegistry({ ...lab, steadyClock: lab.clock });
  expect([lab.settings.current().agents.pepper, pepper.length > 20]).toEqual([pepper, true]);
  expect(again.hashOf('code', 'x')).toBe(lab.registry.hashOf('code', 'x'));
  expect(new Set([again.hashOf('code', 'x'), again.hashOf('claim', 'x'), again.hashOf('code', 'y')]).size).toBe(3);
});

async function claimed(lab: Awaited<ReturnType<typeof openRegistry>>): Promise<string> {
  const { code } = await lab.enrolment.createCode();
  const request = await lab.enrolment.apply({ code, agent: agentFacts, address: 'a' });
  await lab.enrolment.approve(request.requestId, false);
  return ((await lab.enrolment.claim(request)) as { token: string }).token;
}

const bearerCommand = fc.oneof(
  fc.record({ does: fc.constantFrom('use', 'use', 'rotate'), token: fc.nat(2) }),
  fc.record({ does: fc.constant('wait'), ms: fc.constantFrom(1000, 59_999, 60_000, 60_001), token: fc.constant(0) }),
);

test('bearers open what a model of their rotation says, and a sighting is noted once a minute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bearerCommand, { minLength: 6, maxLength: 20 }), async (commands) => {
      await using lab = await openRegistry();
      const { clock, registry } = lab;
      const tokens = [await claimed(lab)];
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
  await using lab = await openRegistry();
  const { registry, db } = lab;
  const first = await claimed(lab);
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
