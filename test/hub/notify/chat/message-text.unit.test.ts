// Names from the network in chat messages: they can neither format, link, mention, hide nor grow beyond bounds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAlert, formatDigest, shown } from '#hub/notify/chat/message-text.ts';

const at = Date.UTC(2026, 2, 1, 3, 0, 0);
const alert = (value: string) => ({ key: 'k', at, title: 'New device', facts: [{ label: 'Device', value }] });

test.each([
  ['desk-pc', '`desk-pc`'],
  ['evil.example', '`evil[.]example`'],
  ['https://evil.example/a?b=c', '`hxxps://evil[.]example/a?b=c`'],
  ['desk-pc 192.168.1.20', '`desk-pc 192.168.1.20`'],
  ['203.0.113.80', '`203[.]0[.]113[.]80`'],
  ['10.0.0.1.evil.example', '`10[.]0[.]0[.]1[.]evil[.]example`'],
  ['<!channel>', '`&lt;!channel&gt;`'],
  ['<https://a.example|bank>', '`&lt;hxxps://a[.]example|bank&gt;`'],
  ['a`*bold*`b', "`a'*bold*'b`"],
  ['@here', '`[at]here`'],
  ['one\ntwo\u202egnp.exe\u0000', '`one two gnp[.]exe`'],
  ['', '`-`'],
  ['HTTP://a http:/b', '`hxxp://a http:/b`'],
  [
    '10.123.2.3 192.168.0.1 172.16.0.1 172.31.0.1 172.20.0.1',
    '`10.123.2.3 192.168.0.1 172.16.0.1 172.31.0.1 172.20.0.1`',
  ],
  ['172.15.0.1 172.32.0.1 192.169.0.1', '`172[.]15[.]0[.]1 172[.]32[.]0[.]1 192[.]169[.]0[.]1`'],
  ['110.1.2.3 10.1.2', '`110[.]1[.]2[.]3 10[.]1[.]2`'],
  ['a & b  c ', '`a &amp; b c`'],
  ['x'.repeat(120), `\`${'x'.repeat(120)}\``],
  ['😀'.repeat(120), `\`${'😀'.repeat(120)}\``],
  ['x'.repeat(121), `\`${'x'.repeat(119)}…\``],
])('%j is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});

test.each([14, 15, 16])('a digest of %i names fifteen, with two values each', (count) => {
  const facts = ['a', 'b', 'c'].map((value) => ({ label: value, value }));
  const lines = formatDigest(
    Array.from({ length: count }, () => ({ ...alert(''), title: 'A & B', facts, at: at + 999 })),
  );
  const line = '• A &amp; B: `a` → `b` <!date^1772334000^{date_short_pretty} {time_secs}|2026-03-01T03:00:00.000Z>';
  const rest = count > 15 ? ['and 1 more: see the detection log'] : [];
  expect(lines.split('\n')).toEqual([`*${count} detections*`, ...Array(Math.min(count, 15)).fill(line), ...rest]);
});

test('facts beyond the room of a message are left out by whole lines, and then there is no body', () => {
  const head = formatAlert({ ...alert(''), facts: [] }).length;
  const fact = { label: 'l'.repeat(2900 - head - '\n• : `-`'.length), value: '' };
  const whole = formatAlert({ ...alert(''), facts: [fact] });
  expect([whole.length, whole.endsWith('`-`')]).toEqual([2900, true]);
  expect(formatAlert({ ...alert(''), facts: [fact], body: 'b' })).toBe(whole);
  const longer = formatAlert({ ...alert(''), facts: [{ ...fact, label: `${fact.label}l` }] });
  expect(longer).toBe(`${formatAlert({ ...alert(''), facts: [] })}\n…`);
  // Room for one character and its fences, and for none.
  const [room, none] = [8, 7].map((left) => ({ ...fact, label: fact.label.slice(left) }));
  expect(formatAlert({ ...alert(''), facts: [room ?? fact], body: 'b' })).toMatch(/\n```b```$/);
  expect(formatAlert({ ...alert(''), facts: [none ?? fact], body: 'b' })).toMatch(/`-`$/);
});

test("a message is a title, a moment in the reader's time zone, and facts", () => {
  expect(formatAlert(alert('desk-pc'))).toBe(
    '*New device* <!date^1772334000^{date_short_pretty} {time_secs}|2026-03-01T03:00:00.000Z>\n• Device: `desk-pc`',
  );
});

test('a body of any length is cut where it still fits, with a sign, and stays enclosed', () => {
  for (const char of ['a', '&', '.', '`', '\n', '😀']) {
    const text = formatAlert({ ...alert('desk-pc'), body: char.repeat(8000) });
    expect(text.length).toBeLessThanOrEqual(2900);
    expect(text).toMatch(/\n```[\s\S]*…```$/);
    expect(text.split('```')).toHaveLength(3);
  }
  const body = (length: number) => formatAlert({ ...alert(''), body: 'b'.repeat(length) }).split('```')[1];
  expect([body(2000), body(2001)]).toEqual(['b'.repeat(2000), `${'b'.repeat(1999)}…`]);
  expect(formatAlert({ ...alert('desk-pc'), body: 'all of it' })).toMatch(/\n```all of it```$/);
});

test('whatever the names are, no markup but ours is in a message, and it fits', () => {
  const unit = fc.constantFrom(...'ab<>&`*_~|!@#.:/ \n\r\t\u0000\u001b\u202e\u2066\u2028é', '😀');
  const names = fc.array(fc.string({ unit, maxLength: 150 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(names, fc.string({ unit, maxLength: 4000 }), (values, body) => {
      const facts = values.map((value) => ({ label: 'Name', value }));
      for (const text of [formatAlert({ ...alert(''), facts, body }), formatDigest(values.map(alert))]) {
        expect(text.length).toBeLessThanOrEqual(3000);
        expect(text.replace(/<!date\^\d+\^\{date_short_pretty\} \{time_secs\}\|[\d:.TZ-]+>/g, '')).not.toMatch(/[<>]/);
        expect(text.split('`').length % 2).toBe(1);
        expect(text.replace(/\n/g, '')).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }
    }),
    { numRuns: 50 },
  );
});
