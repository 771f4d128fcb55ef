import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { startDevices } from '#hub/identify/devices/devices.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { createLog } from '#kernel/process/log.ts';
import { openLan } from '../../../support/lan.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('leases that ended two years ago are pruned a minute after a start, and then each day', async () => {
  await using lan = openLan();
  await lan.poll({ arp: [['192.168.1.5', '00:00:5e:00:53:01']] });
  await lan.clock.advance(60_000);
  await lan.poll({ arp: [['192.168.1.5', '00:00:5e:00:53:02']] });
  const leases = () => lan.db.prepare('SELECT id FROM lease').all();
  expect(leases()).toHaveLength(2);

  // The first run is a minute after the start: the ended lease is exactly as old as it may be.
  const clock = new ManualClock(lan.clock.now() - 120_000 + limits.leaseRetentionDays * 86_400_000);
  const log = createLog('lan', 'silent');
  await using _ = startDevices({ db: lan.db, clock, log, signals: lan.signals, sourceLabels: createSourceLabels });
  await clock.advance(60_000);
  await lan.db.settled();
  expect(leases()).toHaveLength(2);
  await clock.advance(limits.leasePruneMs);
  await lan.db.settled();
  // Who has an address now keeps it, however long ago that was seen.
  expect(leases()).toHaveLength(1);
});
