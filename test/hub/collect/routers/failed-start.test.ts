// A start that fails late: what began to poll has ended.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { HubOptions } from '#hub/base/config.ts';
import { startHub } from '#hub/start/hub.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startRouter } from '#simulators/router/start.ts';
import { createActors } from '../../../support/actors.ts';
import { writeEnrichment } from '../../../support/enrichment-files.ts';
import { pollIntervalMs, recordOf } from '../../../support/lab.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('polls end when a later step of the start fails', async () => {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  await using router = await startRouter('vendor_b', { clock, sessions: 5 });
  const token = randomBytes(24).toString('hex');
  const options: HubOptions = {
    dataDir: folder.path,
    host: '127.0.0.1',
    port: 0,
    version: '1',
    clock,
    log: createLog('hub', 'silent'),
    pollIntervalMs,
    allowLoopbackRouters: true,
    threatFeeds: false,
    initialAdminToken: token,
    enrichmentDir: writeEnrichment(folder.path),
  };
  {
    await using hub = await startHub(options);
    await createActors(api, hub.url, token).admin.routers.create({ body: recordOf(router, 'one') });
    await hub.settled();
  }
  await expect.poll(() => router.sessionsOpen).toBe(0);
  const { connections } = router;
  const warn = () => {
    throw new Error('the log cannot be written');
  };
  // Loopback in a notation that the hub does not know as such: it warns of a bind without TLS after the polls began.
  const failing = { ...options, host: '0x7f.1', log: { ...options.log, warn } };
  await expect(startHub(failing)).rejects.toThrow('the log cannot be written');
  await clock.advance(3 * pollIntervalMs);
  await systemClock.sleep(500);
  expect(router.connections).toBe(connections);
});
