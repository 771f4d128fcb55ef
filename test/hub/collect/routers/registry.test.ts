// Router records on a real settings file: what a connection made known is stored only for the record it was opened with.
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDocument } from '#hub/base/settings/document.ts';
import { createRegistry } from '#hub/collect/routers/registry.ts';
import { createKey } from '#kernel/text/secret.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const facts = { hostFp: 'a'.repeat(64), hostName: 'old-host' };

test.each([
  ['its address', { ip: '192.168.1.2', pass: 'another' }],
  ['its port', { port: 2222, pass: 'another' }],
  ['its password', { pass: 'another' }],
  ['its user', { user: 'somebody else' }],
  ['its pinned host key', { hostFp: 'b'.repeat(64) }],
])('facts of a connection that was opened before %s changed are not stored', (_what, change) => {
  using folder = temporaryFolder();
  const document = openDocument(path.join(folder.path, 'monitor.json'), createKey());
  const registry = createRegistry({ document, clock: new ManualClock(), allowLoopback: false });
  const before = registry.create({ kind: 'vendor_b', ip: '192.168.1.1', user: 'monitor', pass: 'secret' });
  const after = registry.update(before.id, change);
  registry.learn(before, facts);
  expect(registry.get(before.id)).toEqual(after);
  const renamed = registry.update(before.id, { displayName: 'renamed' });
  registry.learn(after, { hostName: 'new-host' });
  expect(registry.get(before.id)).toEqual({ ...renamed, hostName: 'new-host' });
});
