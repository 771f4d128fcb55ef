// The lists after a restore: those that the publishers sent last, and nobody is asked again too soon.
import { expect, test } from 'vitest';
import { device, hour, minute, startThreatLab } from '../../../support/threat-lab.ts';

test('a restore leaves the lists and the times of their publishers as they are: the log is judged by them', async () => {
  await using lab = await startThreatLab({ router: true });
  lab.routers.home.flow({ src: device, dst: '203.0.113.9', dport: 443, proto: 'tcp' });
  await lab.poll();
  const { name } = await lab.as.admin.backup.create({ body: {} });
  lab.feeds.list('c2', [...lab.feeds.rows('c2'), { ip: '203.0.113.9', port: 443 }]);
  await lab.later(2 * hour);
  const before = await lab.feed('feed_c2');
  expect(before.entries).toBe(3);
  lab.feeds.clearJournal();
  await lab.as.admin.backup.restore({ body: { name } });
  for (let minutes = 0; minutes < 4; minutes += 1) {
    await lab.advance(minute);
  }
  expect(lab.asked()).toEqual([]);
  expect(await lab.feed('feed_c2')).toMatchObject({ entries: 3, fetchedAt: before.fetchedAt });
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '10', fDst: '203.0.113.9' } });
  expect(connections[0]?.threat).toMatchObject({ source: 'feed_c2', matchValue: '203.0.113.9' });
});
