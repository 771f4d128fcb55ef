// A cut always falls inside a row, whatever the number of bytes asked for.
import fc from 'fast-check';
import { expect } from 'vitest';
import { printLines } from '#simulators/router/terminal/printer.ts';
import { verifies } from '../support/verifies.ts';

verifies('sim.router.faults', 'a truncated table ends in the middle of a row', async () => {
  const row = fc.string({ unit: fc.constantFrom('a', '1', '.'), minLength: 0, maxLength: 30 });
  const rows = fc.array(row, { minLength: 1, maxLength: 20 }).filter((lines) => lines.some((line) => line.length > 1));
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 800 }), async (lines, afterBytes) => {
      let sent = '';
      const cut = new Error('cut');
      const printing = printLines(lines, {
        encoding: 'ascii',
        wrapAt: null,
        pager: { text: '', erase: '', rows: null },
        logLine: null,
        noise: null,
        cut: { afterBytes, act: () => Promise.reject(cut) },
        send: async (bytes) => {
          sent += Buffer.from(bytes).toString();
        },
        pagerKey: () => Promise.reject(new Error('no pager here')),
        isInterrupted: () => false,
        takeLogs: () => [],
      });
      await expect(printing).rejects.toBe(cut);
      const shown = sent.split('\r\n');
      const last = shown.pop() ?? '';
      const whole = lines[shown.length] ?? '';
      expect(shown).toEqual(lines.slice(0, shown.length));
      expect(whole.startsWith(last)).toBe(true);
      expect(last.length).toBeGreaterThan(0);
      expect(last.length).toBeLessThan(whole.length);
    }),
  );
});
