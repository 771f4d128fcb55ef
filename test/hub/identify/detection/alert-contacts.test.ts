// What the log of connections says of an alert, and that an index finds it among all connections.
import { expect } from 'vitest';
import { contactsSql } from '#hub/identify/detection/alerts/contacts.ts';
import { alertQueries } from '#hub/identify/detection/alerts/queries.ts';
import { openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';
import { recordDetection } from '../../../support/detections.ts';
import { verifies } from '../../../support/verifies.ts';

const now = 1_790_000_000_000;
const flow = { src: '192.168.1.2', dst: '203.0.113.80', dport: 443, proto: 'TCP' };

verifies(
  'rest.alerts.contacts',
  'an alert names programs and routers of its devices and destination, and since when a list has it',
  async () => {
    await using log = openConnectionLog();
    const other = { ...flow, src: '192.168.1.3' };
    await log.record([seen({ ...flow, dport: 80 }), seen(flow), seen(other)], { routerId: 'r-1', name: 'Home' });
    await log.record([seen(other)], { routerId: 'r-2' });
    await log.record([seen(flow)], { routerId: 'a-1', kind: 'agent' });
    const unrelated = [seen({ ...flow, dst: '203.0.113.81' }), seen({ ...flow, src: '192.168.1.4' })];
    await log.record(unrelated, { routerId: 'r-3' });
    await log.db.write((writer) => {
      const name = writer.prepare(
        `UPDATE flow SET process = @process WHERE (@src, @dst, dport) = (
           (SELECT address FROM source WHERE id = source_id), (SELECT address FROM destination WHERE id = destination_id), @dport)`,
      );
      name.run({ ...flow, process: 'browser' });
      name.run({ ...flow, dport: 80, process: 'browser' });
      name.run({ ...other, process: 'agent' });
      name.run({ ...flow, dst: '203.0.113.81', process: 'mail' });
      name.run({ ...flow, src: '192.168.1.4', process: 'game' });
      const note = writer.prepare(
        `INSERT INTO retro_match (flow_id, source_id, destination_id, feed, cause, listed_at)
         SELECT id, source_id, destination_id, @feed, @cause, @at + id FROM flow
         WHERE destination_id = (SELECT id FROM destination WHERE address = @dst) AND dport = @dport`,
      );
      note.run({ ...flow, feed: 'feed_c2', cause: 'list', at: now });
      note.run({ ...flow, dport: 80, feed: 'feed_drop', cause: 'settings', at: now });
    });
    const id = await recordDetection(log, { type: 'threat', at: now, ...flow });
    await recordDetection(log, { type: 'threat', at: now + 1, ...other });
    const bare = await recordDetection(log, { type: 'new_device', at: now, src: flow.src });
    using reader = openReader(log);
    expect(alertQueries.alertDetail(reader, { id, now })).toMatchObject({
      programs: ['browser', 'agent'],
      routers: [
        { id: 'r-2', name: null },
        { id: 'r-1', name: 'Home' },
      ],
      listedSince: [{ list: 'feed_c2', at: expect.any(Number) }],
    });
    const plan = reader.prepare(`EXPLAIN QUERY PLAN ${contactsSql} SELECT count(*) FROM contact`).all({ id });
    const steps = plan.map((step) => (step as { detail: string }).detail);
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH f USING .*INDEX/));
    expect(steps.filter((step) => /^SCAN [sdf]\b/.test(step))).toEqual([]);
    const nothing = { programs: [], routers: [], listedSince: [] };
    expect(alertQueries.alertDetail(reader, { id: bare, now })).toMatchObject(nothing);
  },
);
