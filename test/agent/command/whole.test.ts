// The Agent's program and the hub, both real: enrolment, delivery, rotation, revocation, and what the hub then shows.
import { expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { agentFolder } from '../../support/agent-program-lab.ts';
import { eventually } from '../../support/eventually.ts';
import { startLab } from '../../support/lab.ts';

test('enrols, delivers, rotates while it runs no more, and revokes itself', async () => {
  await using lab = await startLab();
  lab.clock.put(systemClock.now());
  using folder = agentFolder();
  folder.seen(3);
  const { agents } = lab.as.admin;
  const { code } = await agents.createCode({ body: {} });
  const options = ['--code', code, '--store', 'file', '--name', 'desk'];
  await using enrolling = folder.start(['enroll', '--hub', lab.url.href, ...options]);
  const [, requestId = ''] = await enrolling.printed(/^waiting for approval of (\S+) as desk/m);
  await agents.approve({ params: { requestId }, body: {} });
  expect((await enrolling.ended).code).toBe(0);
  const active = async () => (await agents.list({})).agents.filter(({ revokedAt }) => revokedAt === null);
  expect(await active()).toMatchObject([{ hostName: 'desk', platform: 'linux' }]);

  await using program = folder.start(['run', '--every', '5']);
  await program.printed(/^gatehouse agent ready/m);
  await eventually(
    () => agents.ingestMetrics({}),
    ({ accepted }) => accepted >= 3 || undefined,
  );
  expect(await folder.run(['status'])).toMatchObject({ code: 0, stderr: '' });
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  expect(folder.spooled()).toEqual([]);

  const before = folder.json('credential').current;
  expect(await folder.run(['rotate'])).toMatchObject({ code: 0 });
  expect(folder.json('credential').current).not.toBe(before);
  expect(await folder.run(['revoke'])).toMatchObject({ code: 0 });
  expect(await active()).toEqual([]);
});
