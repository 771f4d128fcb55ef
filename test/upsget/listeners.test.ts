// What a reading leaves behind in the process that watches: nothing, however many rounds there are.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { parseOptions } from '#upsget/options.ts';
import { readOnce } from '#upsget/reading.ts';
import { resolveSettings } from '#upsget/settings.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { newHome } from '../support/upsget.ts';

test('readings one after the other leave no listener on the signal they share', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const { user, password } = lab.ups.credentials;
  const options = parseOptions([lab.ups.url.host, user, password]);
  if (typeof options === 'string') {
    throw new Error('these are no arguments for a reading');
  }
  const printed: string[] = [];
  const terminal = {
    print: async (text: string) => void printed.push(text),
    warn: (text: string) => void printed.push(text),
    error: (text: string) => void printed.push(text),
  };
  const env = { XDG_STATE_HOME: newHome(), XDG_RUNTIME_DIR: newHome() };
  const settings = resolveSettings(options, env, terminal.warn);
  const { signal } = new AbortController();
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) {
    await readOnce(settings, env, terminal, signal);
    counts.push(getEventListeners(signal, 'abort').length);
  }
  expect(counts).toEqual([0, 0, 0, 0, 0]);
  expect(printed).toEqual(Array(5).fill('19.0\n'));
});
