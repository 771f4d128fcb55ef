// An hour of more flows than any argument list can have, as a scan behind a full NAT table makes it.
import { expect, test } from 'vitest';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hour, noon, openConnectionLog } from '../support/connection-log.ts';

const flows = 550_000;

test(`an hour of ${flows} flows becomes bodies of 5,000 to 10,000 rows`, async () => {
  await using log = openConnectionLog();
  await log.record([{}]);
  await log.db.write((writer) => {
    writer
      .prepare(
        `INSERT INTO flow (id, source_id, destination_id, dport, proto, first_seen, last_seen, observer_set_id)
           WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           SELECT n.i, f.source_id, f.destination_id, n.i % 65536, 'P' || (n.i / 65536), f.first_seen, f.last_seen, f.observer_set_id
           FROM n JOIN flow f ON f.id = (SELECT min(id) FROM flow)`,
      )
      .run(flows);
    writer
      .prepare(
        `INSERT INTO flow_hour (hour, flow_id, observations, first, last)
           SELECT h.hour, f.id, 1, h.first, h.last FROM flow f JOIN flow_hour h WHERE f.id > h.flow_id`,
      )
      .run();
  });
  const wanted = [{ hour: noon / hour, digest: null }];
  const unit = await createClosedHours(log.db.file).unit({ wanted, hub: 'attic', version: 1, bodyRows: 10_000 });
  expect(unit.hours).toMatchObject([{ rows: flows, isSent: false }]);
  expect(unit.bodies.reduce((sum, { rows }) => sum + rows, 0)).toBe(flows);
  expect(unit.bodies.filter(({ rows }) => rows < 5000 || rows > 10_000)).toEqual([]);
  const newlines = unit.bodies.map(({ bytes }) => bytes.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0));
  expect(newlines).toEqual(unit.bodies.map(({ rows }) => rows));
});
