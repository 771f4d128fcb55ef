// What is printed: a cut always falls inside a row, and a key that comes as soon as the question does turns the page.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { createKeyboard, type Keyboard } from '#simulators/router/terminal/keyboard.ts';
import { createOutput, type Wire } from '#simulators/router/terminal/output.ts';
import { printLines } from '#simulators/router/terminal/printer.ts';
import { createRandom } from '#simulators/support/random.ts';
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

test.each([' ', 'x '])(
  'a client that answers the question with %j in the turn it comes gets the next page',
  async (keys) => {
    const lines = Array.from({ length: 7 }, (_, index) => `row ${index + 1}`);
    const closing = new AbortController();
    let keyboard: Keyboard | null = null;
    let sent = '';
    const wire: Wire = {
      write(bytes) {
        const text = Buffer.from(bytes).toString();
        sent += text;
        if (text.endsWith('---more---')) {
          keyboard?.feed(Buffer.from(keys));
        }
        return true;
      },
      drained: async () => {},
      closed: closing.signal,
      cut: () => closing.abort(),
    };
    const output = createOutput(wire, systemClock, createRandom(1));
    keyboard = createKeyboard('each', wire, output);
    await printLines(lines, {
      encoding: 'ascii',
      wrapAt: null,
      pager: { text: '---more---', erase: '<gone>', rows: 3 },
      logLine: null,
      noise: null,
      cut: null,
      send: output.send,
      pagerKey: keyboard.direct,
      isInterrupted: keyboard.isInterrupted,
      takeLogs: () => [],
    });
    const page = (from: number, to: number) =>
      lines
        .slice(from, to)
        .map((row) => `${row}\r\n`)
        .join('');
    expect(sent).toBe(`${page(0, 3)}---more---<gone>${page(3, 6)}---more---<gone>${page(6, 7)}`);
  },
);
