// Sessions against a model of them: whatever is done in whatever order, the same ones live, and each end is signalled.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { ownsCsrfToken, type Session } from '#hub/base/auth/sessions.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { type AuthDesk, openAuthDesk } from '../../../support/auth-desk.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

interface Held extends Session {
  token: string;
  csrfToken: string;
}

/** What is stored, in the order of opening; `opened` are all sessions that there ever were. */
interface Model {
  stored: Held[];
  opened: Held[];
  undone: number;
}

type Step = (desk: AuthDesk, model: Model) => Promise<void>;

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

/** Removes from the model what `isGone` names; its end must have been signalled, and nothing else. */
function expectEnded(desk: AuthDesk, model: Model, isGone: (session: Held) => boolean): number {
  const gone = model.stored.filter(isGone);
  model.stored = model.stored.filter((session) => !gone.includes(session));
  expect(desk.ended.splice(0).toSorted()).toEqual(gone.map(({ id }) => `session:${id}`).toSorted());
  return gone.length;
}

const open = (replaces: number | null, label: string | null, isRefused: boolean): Step =>
  async function openOne(desk, model) {
    const replaced = replaces === null ? undefined : pick(model.opened, replaces);
    const about = { authMethod: label === null ? 'oidc' : 'local', role: 'admin', subject: label } as const;
    const confirm = () => {
      if (isRefused) {
        throw new Error('refused');
      }
    };
    const opening = desk.sessions.open(
      { ...about, deviceLabel: label, userAgent: null, address: null },
      confirm,
      replaced?.token,
    );
    if (isRefused) {
      await expect(opening).rejects.toThrow('refused');
      return;
    }
    const { session, token, csrfToken, replaced: endedId } = await opening;
    const now = desk.clock.now();
    expect(session).toEqual({
      ...{ ...about, id: session.id, createdAt: now, lastSeenAt: now, expiresAt: now + 30 * dayMs },
      deviceLabel: label?.slice(0, limits.deviceLabelStored) ?? null,
      userAgent: null,
      address: null,
    });
    const wasStored = model.stored.some(({ id }) => id === replaced?.id);
    expect(endedId).toBe(wasStored ? replaced?.id : null);
    expectEnded(desk, model, ({ id }) => id === endedId);
    const held = { ...session, token, csrfToken };
    model.stored.push(held);
    model.opened.push(held);
  };

const renew = (n: number): Step =>
  async function renewOne(desk, model) {
    const found = desk.sessions.find(pick(model.opened, n)?.token ?? '');
    if (found === null) {
      return;
    }
    const now = desk.clock.now();
    const renewed = desk.sessions.renew(found);
    if (now - found.lastSeenAt < 5 * minuteMs) {
      expect(renewed).toBeNull();
      return;
    }
    const expiresAt = Math.min(now + 30 * dayMs, found.createdAt + 90 * dayMs);
    expect([renewed?.remainingMs, desk.sessions.renew(found)]).toEqual([expiresAt - now, null]);
    await renewed?.saved;
    Object.assign(model.stored.find(({ id }) => id === found.id) ?? {}, { lastSeenAt: now, expiresAt });
  };

const revoke = (some: readonly number[]): Step =>
  async function revokeSome(desk, model) {
    const ids = some.map((n) => pick(model.opened, n)?.id ?? 0);
    const count = await desk.sessions.revoke(ids);
    expect(count).toBe(expectEnded(desk, model, ({ id }) => ids.includes(id)));
  };

const revokeAll = (n: number | null, authMethod: Session['authMethod'] | undefined, isRefused: boolean): Step =>
  async function revokeMost(desk, model) {
    const keep = n === null ? null : (pick(model.stored, n)?.id ?? null);
    const options = { keep, ...(authMethod && { authMethod }) };
    if (isRefused) {
      const change = () => {
        throw new Error('refused');
      };
      await expect(desk.sessions.revokeAll({ ...options, change })).rejects.toThrow('refused');
      return;
    }
    const change = () => () => {
      model.undone += 1;
    };
    const count = await desk.sessions.revokeAll({ ...options, change });
    const isGone = (session: Held) => session.id !== keep && session.authMethod === (authMethod ?? session.authMethod);
    expect(count).toBe(expectEnded(desk, model, isGone));
  };

const pass = (ms: number): Step =>
  async function letPass({ clock }) {
    clock.skip(ms);
  };
const prune: Step = async (desk, model) => {
  await desk.sessions.prune();
  expectEnded(desk, model, ({ expiresAt }) => expiresAt <= desk.clock.now());
};

function expectSame({ sessions, clock, ended }: AuthDesk, { stored, opened, undone }: Model): void {
  const live = stored.filter(({ expiresAt }) => expiresAt > clock.now());
  const inOrder = live.toSorted((one, other) => other.lastSeenAt - one.lastSeenAt || other.id - one.id);
  expect(sessions.list()).toEqual(inOrder.map(({ token: _, csrfToken: __, ...session }) => session));
  for (const { id, token, csrfToken } of opened) {
    const found = sessions.find(token);
    expect([id, found?.id]).toEqual([id, live.find((session) => session.id === id)?.id]);
    expect(found === null || (ownsCsrfToken(found, csrfToken) && !ownsCsrfToken(found, token))).toBe(true);
  }
  expect([ended, undone]).toEqual([[], 0]);
}

const number = fc.nat(50);
const isRare = fc.nat(4).map((n) => n === 0);
const spans = [1, 5 * minuteMs - 1, 5 * minuteMs, dayMs, 29 * dayMs, 30 * dayMs];
const label = fc.constantFrom(null, 'desk', 'l'.repeat(limits.deviceLabelStored + 1));
const step = fc.oneof(
  fc.tuple(fc.option(number), label, isRare).map((drawn) => open(...drawn)),
  fc.tuple(fc.option(number), label, isRare).map((drawn) => open(...drawn)),
  number.map(renew),
  fc.array(number, { maxLength: 3 }).map(revoke),
  fc
    .tuple(
      fc.option(number),
      fc.constantFrom<(Session['authMethod'] | undefined)[]>('oidc', 'local', undefined),
      isRare,
    )
    .map((drawn) => revokeAll(...drawn)),
  fc.constantFrom(...spans).map(pass),
  fc.constant(prune),
);

test('the same sessions live as in the model after any steps', async () => {
  const steps = fc.array(step, { minLength: 10, maxLength: 25 });
  const isSame = fc.asyncProperty(steps, async (all) => {
    await using desk = openAuthDesk();
    const model: Model = { stored: [], opened: [], undone: 0 };
    for (const one of all) {
      await one(desk, model);
      expectSame(desk, model);
    }
  });
  await fc.assert(isSame, { numRuns: 25 });
});

test('one more session than a person may have ends the one that was used longest ago, and signals it', async () => {
  await using desk = openAuthDesk();
  const { sessions, clock, db } = desk;
  const insert = `INSERT INTO session (token_hash, csrf_hash, auth_method, role, subject, created_at, last_seen_at, expires_at)
    VALUES (?, '${'c'.repeat(64)}', 'oidc', 'viewer', ?, 1, ?, ${clock.now() + dayMs})`;
  await db.write((writer) => {
    for (let n = 1; n <= limits.sessionsOfSubject; n += 1) {
      writer.prepare(insert).run(hashToken(`mine ${n}`), 'me', n === 700 ? 1 : 1000 + n);
    }
    writer.prepare(insert).run(hashToken('yours'), 'you', 1);
  });
  const lost = sessions.find('mine 700')?.id;
  await sessions.open(
    { authMethod: 'oidc', role: 'viewer', subject: 'me', deviceLabel: null, userAgent: null, address: null },
    () => undefined,
  );
  expect(desk.ended).toEqual([`session:${lost}`]);
  expect([sessions.find('mine 1') !== null, sessions.find('yours') !== null]).toEqual([true, true]);
});

test('a change that came with the end of sessions is undone when the database refuses that end', async () => {
  await using desk = openAuthDesk();
  const about = {
    authMethod: 'local',
    role: 'admin',
    subject: null,
    deviceLabel: null,
    userAgent: null,
    address: null,
  } as const;
  const { session } = await desk.sessions.open(about, () => undefined);
  await desk.db.write((writer) => {
    writer.prepare('CREATE TABLE held (id INTEGER REFERENCES session (id) DEFERRABLE INITIALLY DEFERRED)').run();
    writer.prepare('INSERT INTO held VALUES (?)').run(session.id);
  });
  const seen: string[] = [];
  const change = () => {
    seen.push('changed');
    return () => void seen.push('undone');
  };
  await expect(desk.sessions.revokeAll({ change })).rejects.toThrow();
  expect([seen, desk.ended, desk.sessions.list()]).toEqual([['changed', 'undone'], [], [session]]);
});
