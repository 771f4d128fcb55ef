// A protocol without ports, such as ICMP, has the port 0, which nobody wants to read.
import { expect, test } from 'vitest';
import { showPorts, showService, showTarget } from '../src/web/parts/ports.ts';

test('the port 0 is in no word of an alert or a rule', () => {
  const cases: [target: string, shown: string][] = [
    ['203.0.113.80 0', '203.0.113.80'],
    ['203.0.113.80 443', '203.0.113.80:443'],
    ['203.0.113.80 10', '203.0.113.80:10'],
    ['2001:db8::10 0', '2001:db8::10'],
    ['a.example', 'a.example'],
    ['', ''],
  ];
  for (const [target, shown] of cases) {
    expect(showTarget(target)).toBe(shown);
  }
  expect(showService('ICMP', 0)).toBe('ICMP');
  expect(showService('TCP', 443)).toBe('TCP 443');
  expect(showService(null, null)).toBe('');
  expect(showPorts([0, 80, 443])).toEqual([80, 443]);
});
