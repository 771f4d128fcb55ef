// A router that plays a capture keeps its times, waits for the keys that were typed, and refuses what was not captured.
import { expect, test } from 'vitest';
import { startRouter } from '#simulators/index.ts';
import { until } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openSession } from '../support/router-session.ts';
import { smallTable, writeSmallBundle } from '../support/small-bundle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

verifies('sim.router.capture', 'an answer comes when it came, and goes on with a key', async () => {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  const capture = writeSmallBundle(folder.path);
  await using router = await startRouter('vendor_b', { capture, clock });
  await using session = await openSession(router, { login: { tryKeyboard: true } });
  const asleep = clock.sleeping;
  session.type('show ip arp\r');
  await session.until(/show ip arp\r\n$/);
  await until(() => clock.sleeping > asleep);
  await clock.advance(1_200_000);
  await session.until(/show ip arp\r\nProtocol {2}Address\r\nI$/);
  session.type(' ');
  expect(await session.until(/router#$/)).toBe(`${smallTable.toString().slice(20)}router#`);
  expect(await session.run('show version')).toContain("% Invalid input detected at '^' marker.");
  expect(router.violations).toEqual([]);
  expect(router.settings.profile).toBe('c841m-ios155');
});

test('a capture of the other kind, and a folder that is none, start nothing', async () => {
  using folder = temporaryFolder();
  const capture = writeSmallBundle(folder.path);
  await expect(startRouter('vendor_a', { capture })).rejects.toThrow(
    /is a capture of vendor_b, and cannot be played by vendor_a/,
  );
  await expect(startRouter('vendor_b', { capture: folder.path })).rejects.toThrow(
    /capture\.json cannot be read \(ENOENT\)/,
  );
});
