// What a failing poll says, and where: once in the log, and with the remedy in the router's state.
import { expect, test } from 'vitest';
import type { Log } from '#kernel/process/log.ts';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../../../support/lab.ts';
import { smallDisk } from '../../../support/mounted-disk.ts';
import { withSmallDisk } from '../../../support/small-disk.ts';

interface Line {
  level: string;
  fields: Record<string, unknown>;
  text: string;
}

function listeningLog(): { log: Log; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, text: string) => lines.push({ level, fields, text });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log;
  return { log, lines };
}

test('a wrong password is logged once, as a warning without a stack, by a poll and by a detection', async () => {
  const { log, lines } = listeningLog();
  await using lab = await startLab({ routers: { one: 'vendor_b' }, hub: { log } });
  lab.routers.one.fail('login-refused');
  lab.routers.one.kick();
  const wrong = recordOf(lab.routers.one, 'wrong', { pass: 'not the password' });
  lines.length = 0;
  await lab.poll();
  const told = () => lines.filter(({ level }) => level === 'warn' || level === 'error');
  expect(told()).toMatchObject([{ level: 'warn', text: expect.stringContaining('refused the user name or password') }]);
  expect(told()[0]?.fields.err).toBeUndefined();
  lines.length = 0;
  lab.routers.one.fail('login-refused');
  await expect(lab.as.admin.routers.detect({ body: wrong })).rejects.toMatchObject({ status: 502 });
  expect(told()).toMatchObject([{ level: 'warn', text: expect.stringContaining('refused the user name or password') }]);
  expect(told()[0]?.fields.err).toBeUndefined();
});

withSmallDisk(() => {
  test('a poll that the hub has no room for says whose disk is full, where, and what to do', async () => {
    using disk = smallDisk(16_384);
    await using lab = await startLab({ hub: { dataDir: disk.path } });
    await using router = await startRouter('vendor_b', { clock: lab.clock, sessions: 5 });
    await lab.as.admin.routers.create({ body: recordOf(router, 'one') });
    await lab.settled();
    disk.fill();
    router.patch({ sessions: 4000 });
    await lab.poll();
    const [shown] = (await lab.as.admin.routers.list({})).routers;
    expect(shown).toMatchObject({ failure: 'save_failed' });
    expect(shown?.message).toMatch(/hub's own disk is full/);
    expect(shown?.message).toContain(`${disk.path}/monitor.db`);
    expect(shown?.message).toMatch(/[Ff]ree .*next poll/);
    disk.empty();
  });
});
