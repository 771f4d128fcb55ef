// The end of the hub: answers under way are sent, and nobody is waited for after that.
import { expect, test } from 'vitest';
import { createBrowser } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';

test('a stop sends the answer under way, and closes a connection that its client would keep', async () => {
  const lab = await startLab();
  const wrong = createBrowser(lab.url).login('not the password');
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
  // The clock stands still: only closed connections end the wait, not the deadline.
  await lab[Symbol.asyncDispose]();
  expect((await wrong).status).toBe(401);
});
