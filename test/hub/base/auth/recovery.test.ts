// Resets that somebody asked for on a terminal, taken without a hub: what they set and end, and which are refused.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recordAppliedConfig } from '#hub/base/auth/credentials/applied-config.ts';
import { createFirstFiles } from '#hub/base/auth/credentials/first-files.ts';
import { startRecovery } from '#hub/base/auth/credentials/recovery.ts';
import { type ResetKind, readReset, resetFile } from '#hub/base/auth/credentials/reset-request.ts';
import { writeJson } from '#kernel/files/files.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { readAuditPage } from '../../../support/audit-page.ts';
import { type AuthDesk, openAuthDesk } from '../../../support/auth-desk.ts';
import { verifies } from '../../../support/verifies.ts';

const adminTokenHash = hashToken('the new token');
const requests = {
  password: { kind: 'password', passwordRecord: 'scrypt:new' },
  token: { kind: 'token', adminTokenHash },
} as const;
const about = {
  authMethod: 'local',
  role: 'admin',
  subject: null,
  deviceLabel: null,
  userAgent: null,
  address: null,
} as const;

function ask({ folder }: AuthDesk, kind: ResetKind, request: object = requests[kind]): string {
  mkdirSync(path.join(folder, 'recovery'), { recursive: true });
  writeJson(resetFile(folder, kind), request);
  return resetFile(folder, kind);
}

async function take(desk: AuthDesk): Promise<void> {
  const firstFiles = createFirstFiles(desk.folder, desk.log);
  await using _recovery = await startRecovery({ ...desk, dataDir: desk.folder, firstFiles });
}

test.each<[ResetKind, object, string, string[], string[]]>([
  [
    'password',
    { passwordRecord: 'scrypt:new', adminTokenHash: 'old' },
    'password_changed',
    [],
    ['initial-admin-token'],
  ],
  ['token', { adminTokenHash }, 'admin_token_regenerated', ['admin-token'], ['initial-password']],
])(
  'a reset of the %s sets it, removes its first file, ends sessions and is recorded',
  async (kind, set, type, told, left) => {
    await using desk = openAuthDesk();
    const firstFiles = createFirstFiles(desk.folder, desk.log);
    firstFiles.keep('initial-admin-token', 'old');
    firstFiles.keep('initial-password', 'old');
    desk.document.update((all) => ({ ...all, adminTokenHash: 'old', passwordRecord: 'old' }));
    const { session } = await desk.sessions.open(about, () => undefined);
    const file = ask(desk, kind);
    await take(desk);
    expect(desk.document.current()).toMatchObject({ adminTokenHash: 'old', passwordRecord: 'old', ...set });
    expect(
      ['initial-admin-token', 'initial-password'].filter((name) => existsSync(path.join(desk.folder, name))),
    ).toEqual(left);
    expect([desk.sessions.list(), desk.ended, existsSync(file)]).toEqual([
      [],
      [...told, `session:${session.id}`],
      false,
    ]);
    const { events } = await readAuditPage(desk, { limit: 5 });
    expect(events).toMatchObject([
      { eventType: type, outcome: 'success', requestId: null, metadata: { by: 'terminal', revoked: 1 } },
    ]);
    expect(desk.lines.map(({ msg }) => msg)).toEqual([`the ${kind} was reset on a terminal; every session has ended`]);
  },
);

test('a request that cannot be taken is logged and stays; the other one is taken', async () => {
  await using desk = openAuthDesk();
  const damaged = ask(desk, 'password', { kind: 'password' });
  const good = ask(desk, 'token');
  await take(desk);
  expect([existsSync(damaged), existsSync(good)]).toEqual([true, false]);
  expect(desk.lines[0]).toMatchObject({ msg: 'the reset of the password was not taken' });
  expect(desk.document.current()).toMatchObject({ passwordRecord: null, adminTokenHash });
});

test('a request that took the place of the one under way is taken too', async () => {
  await using desk = openAuthDesk();
  const file = ask(desk, 'token');
  const second = { kind: 'token', adminTokenHash: hashToken('the second token') };
  const stop = desk.signals.on('credentialRevoked', (credential) => {
    if (credential === 'admin-token') {
      stop();
      writeJson(file, second);
    }
  });
  await take(desk);
  expect([existsSync(file), desk.document.current().adminTokenHash]).toEqual([false, second.adminTokenHash]);
  expect((await readAuditPage(desk, { limit: 5 })).events).toHaveLength(2);
});

test('a request is read when it is private and of its kind, and otherwise refused', async () => {
  await using desk = openAuthDesk();
  expect(readReset(desk.folder, 'token')).toBeNull();
  const file = ask(desk, 'token');
  expect(readReset(desk.folder, 'token')).toEqual(requests.token);
  for (const mode of [0o610, 0o640, 0o604, 0o601]) {
    chmodSync(file, mode);
    expect(() => readReset(desk.folder, 'token'), mode.toString(8)).toThrow('is not a private file');
  }
  for (const request of [requests.password, { kind: 'token' }, { kind: 'token', adminTokenHash: 'x' }]) {
    ask(desk, 'token', request);
    expect(() => readReset(desk.folder, 'token')).toThrow('is no valid request');
  }
  writeFileSync(file, '{');
  expect(() => readReset(desk.folder, 'token')).toThrow();
});

verifies(
  'rest.config-text.audited',
  'it is recorded once, and ends the sessions of OIDC when fewer may log in',
  async () => {
    await using desk = openAuthDesk();
    await desk.sessions.open(about, () => undefined);
    await desk.sessions.open({ ...about, authMethod: 'oidc', subject: 'ann' }, () => undefined);
    const applied = { at: 1, sections: ['oidc'], endsOidcSessions: true };
    desk.document.update((all) => ({ ...all, applied }));
    await recordAppliedConfig(desk);
    await recordAppliedConfig(desk);
    const { events } = await readAuditPage(desk, { limit: 10 });
    expect(events).toMatchObject([{ metadata: { sections: ['oidc'], appliedAt: 1, revoked: 1 } }]);
    expect(desk.sessions.list()).toMatchObject([{ authMethod: 'local' }]);
  },
);
