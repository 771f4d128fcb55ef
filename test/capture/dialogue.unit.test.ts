// The answers of a captured router: by the prompt it shows, in turn, and none to what was not captured.
import { expect, test } from 'vitest';
import { Dialogue, formatRefusal } from '#capture/dialogue.ts';
import { smallIndex } from '../support/small-bundle.ts';

test('answers are taken at their prompt, in turn; elsewhere any of them; what is unknown has none', () => {
  const [exchange] = smallIndex.exchanges as [(typeof smallIndex.exchanges)[number]];
  const answer = (file: string, promptBefore: string) => ({ ...exchange, file, promptBefore, promptAfter: 'router#' });
  const exchanges = [answer('user', 'router>'), answer('first', 'router#'), answer('second', 'router#')];
  const dialogue = new Dialogue({ index: { ...smallIndex, exchanges }, files: new Map() });
  const ask = (command = ' show ip arp ') => dialogue.takeAnswer(command)?.file ?? null;
  expect([ask(), ask(), ask(), ask(), ask()]).toEqual(['first', 'second', 'first', 'second', 'first']);
  dialogue.prompt = 'router>';
  expect([ask(), ask()]).toEqual(['user', 'user']);
  dialogue.prompt = 'router(config)#';
  expect(ask()).toBe('user');
  expect(ask()).toBe('second');
  expect(ask('show version')).toBeNull();
  dialogue.finishAnswer(exchange);
  expect(dialogue.prompt).toBe('router#');
});

test('each kind refuses a command in its own words', () => {
  expect(formatRefusal('vendor_a')).toBe('Error: Invalid command name\r\n');
  expect(formatRefusal('vendor_b')).toMatch(/^ +\^\r\n% Invalid input detected at '\^' marker\.\r\n\r\n$/);
});
