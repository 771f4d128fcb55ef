// A lab whose log has many connections.
import path from 'node:path';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { seen } from './connection-log.ts';
import type { Lab } from './lab.ts';

const flows = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) =>
    seen({ at, src: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }),
  );

/** Records so many connections of now, each of another source. */
export async function fill(lab: Lab<never>, count: number): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const now = lab.clock.now();
  await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations: flows(count, now), now });
  await db.close();
}
