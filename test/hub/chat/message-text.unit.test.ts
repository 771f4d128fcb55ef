// Names from the network in chat messages: they can neither format, link, mention, hide nor grow beyond bounds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, messageOf, shown } from '#hub/chat/message-text.ts';

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
])('%j is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});

test("a message is a title, a moment in the reader's time zone, and facts", () => {
  expect(messageOf(alert('desk-pc'))).toBe(
    '*New device* <!date^1772334000^{date_short_pretty} {time_secs}|2026-03-01T03:00:00.000Z>\n• Device: `desk-pc`',
  );
});

test('a digest names fifteen and counts the rest', () => {
  const lines = digestOf(Array.from({ length: 20 }, (_, index) => alert(`d${index}`))).split('\n');
  expect(lines[0]).toBe('*20 detections*');
  expect(lines).toHaveLength(17);
  expect(lines.at(-1)).toBe('and 5 more: see the detection log');
});

test('a body of any length is cut where it still fits, with a sign, and stays enclosed', () => {
  for (const char of ['a', '&', '.', '`', '\n', '😀']) {
    const text = messageOf({ ...alert('desk-pc'), body: char.repeat(8000) });
    expect(text.length).toBeLessThanOrEqual(2900);
    expect(text).toMatch(/\n```[\s\S]*…```$/);
    expect(text.split('```')).toHaveLength(3);
  }
  expect(messageOf({ ...alert('desk-pc'), body: 'all of it' })).toMatch(/\n```all of it```$/);
});

test('whatever the names are, no markup but ours is in a message, and it fits', () => {
  const unit = fc.constantFrom(...'ab<>&`*_~|!@#.:/ \n\r\t\u0000\u001b\u202e\u2066\u2028é', '😀');
  const names = fc.array(fc.string({ unit, maxLength: 150 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(names, fc.string({ unit, maxLength: 4000 }), (values, body) => {
      const facts = values.map((value) => ({ label: 'Name', value }));
      for (const text of [messageOf({ ...alert(''), facts, body }), digestOf(values.map(alert))]) {
        expect(text.length).toBeLessThanOrEqual(3000);
        expect(text.replace(/<!date\^\d+\^\{date_short_pretty\} \{time_secs\}\|[\d:.TZ-]+>/g, '')).not.toMatch(/[<>]/);
        expect(text.split('`').length % 2).toBe(1);
        expect(text.replace(/\n/g, '')).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }
    }),
    { numRuns: 50 },
  );
});
