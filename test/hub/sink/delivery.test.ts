// The sending of a running hub, when it stops.
import { expect, test } from 'vitest';
import { createClosedHours } from '#hub/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/connections/closed-hours/row-text.ts';
import { startDelivery } from '#hub/sink/delivery.ts';
import type { Log } from '#kernel/log.ts';
import { noon } from '../../support/connection-log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { afterNoon, startSinkLab } from '../../support/sink-lab.ts';

test('a stop in the middle of an insert is no failure', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record([{ at: noon }]);
  server.control.fail('no-answer');
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const clock = new ManualClock(afterNoon);
  const { settings, store } = lab;
  const hours = createClosedHours(lab.log.db.file);
  const delivery = startDelivery({ clock, log, settings, store, hours, columns: hourColumns });
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(5000);
  await expect.poll(() => server.control.journal.length).toBeGreaterThan(0);
  await delivery[Symbol.asyncDispose]();
  expect(lines).toEqual([]);
});
