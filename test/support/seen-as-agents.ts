// Devices as Agents would tell of themselves.
import path from 'node:path';
import { createSignals } from '#hub/base/signals.ts';
import { startDevices } from '#hub/identify/devices/devices.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { Lab } from './lab.ts';

/** Announced names, each of another interface: two of one name may be one device. */
export async function seeAsAgents(lab: Pick<Lab<never>, 'clock' | 'dataDir'>, names: readonly string[]): Promise<void> {
  const { clock, dataDir } = lab;
  await using db = { open: new Db(path.join(dataDir, 'monitor.db')), [Symbol.asyncDispose]: () => db.open.close() };
  const log = createLog('agents', 'silent');
  await using devices = startDevices({
    db: db.open,
    clock,
    log,
    signals: createSignals(log),
    sourceLabels: createSourceLabels,
  });
  await devices.record({
    observerId: 'agents',
    sightings: names.map((name, index) => ({
      address: `192.168.7.${index + 1}`,
      mac: `00:00:5e:00:53:a${index}`,
      heardAt: clock.now(),
      sources: ['agent'],
      observerId: 'agents',
      facts: { mdnsName: `${name}.local` },
    })),
  });
}
