// A preview judges by other settings from the documents that the hub stores.
import path from 'node:path';
import { expect, test } from 'vitest';
import { openVerdicts } from '#hub/identify/threat/stored-verdicts.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { startThreatLab } from '../../../support/threat-lab.ts';

test('feeds, the level of ranges and the allow list of a preview decide, and a feed without a document is missing', async () => {
  await using lab = await startThreatLab({
    rows: { ioc: [{ value: '203.0.113.77:8443', malware: 'Rat' }], drop: [{ cidr: '198.51.100.0/24' }] },
  });
  const reader = new ReadConnection(path.join(lab.dataDir, 'monitor.db'), 512);
  const on = { feed_c2: true, feed_ioc: true, feed_url: true, feed_drop: true };
  const open = (changes: object) => {
    const settings = { feeds: on, dropLevel: 'warn' as const, allowList: [], ...changes };
    const { judge, missing } = openVerdicts(reader, settings, { now: lab.clock.now(), isObserved: () => false });
    const levelOf = (dst: string, dport: number) => judge({ dst, dport, proto: 'TCP', host: null })?.level ?? null;
    return { levels: [levelOf('203.0.113.77', 8443), levelOf('198.51.100.9', 443)], missing };
  };
  expect(open({})).toEqual({ levels: ['danger', 'warn'], missing: [] });
  expect(open({ dropLevel: 'danger' })).toEqual({ levels: ['danger', 'danger'], missing: [] });
  expect(open({ allowList: ['203.0.113.0/24'] })).toEqual({ levels: [null, 'warn'], missing: [] });
  expect(open({ feeds: { ...on, feed_ioc: false } })).toEqual({ levels: [null, 'warn'], missing: [] });
  reader.close();
});
