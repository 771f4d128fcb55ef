// The text in which people read what a provider would get: all of it, in its order, with the facts marked.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutBody } from '../src/web/insights/readable-body.ts';

/** Names and values of a JSON value in their order; texts line by line. */
function listLeaves(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.split('\n');
  }
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) {
    return [JSON.stringify(value)];
  }
  return Array.isArray(value)
    ? value.flatMap(listLeaves)
    : Object.entries(value).flatMap(([name, inner]) => [`${name}:`, ...listLeaves(inner)]);
}

function expectInOrder(text: string, parts: readonly string[]): void {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    expect(found, part).toBeGreaterThanOrEqual(0);
    at = found + part.length;
  }
}

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: true });

test('every name and value of the request and of its facts is there in its order, and only the facts are marked', () => {
  fc.assert(
    fc.property(json, fc.dictionary(fc.string({ minLength: 1 }), json, { minKeys: 1 }), (settings, known) => {
      const facts = JSON.stringify({ unmistakable: known });
      const task = 'Explain this.\nIn two lines.';
      const body = JSON.stringify({ settings, messages: [{ role: 'user', text: `Before\n${facts}\n\n${task}` }] });
      const lines = layOutBody(body, facts);
      const join = (isFact: boolean) => lines.flatMap((line) => (line.isFact === isFact ? line.text : [])).join('\n');
      expectInOrder(join(true), ['unmistakable:', ...listLeaves(JSON.parse(facts).unmistakable)]);
      const around = ['settings:', ...listLeaves(JSON.parse(body).settings), 'messages:', 'role:', 'user'];
      expectInOrder(join(false), [...around, 'Before', ...task.split('\n')]);
      expect(join(false)).not.toContain('unmistakable');
    }),
  );
});

test('rows of a table are a line each, names stand before what is in them', () => {
  const facts = JSON.stringify({
    limits: { observedPercent: 90 },
    ports: [
      { port: 443, name: null },
      { port: 53, name: 'x' },
    ],
  });
  const body = JSON.stringify({
    model: 'm',
    system: 'One.\nTwo.',
    messages: [{ role: 'user', content: `<f>\n${facts}\n</f>` }],
  });
  const lines = layOutBody(body, facts);
  expect(lines.map(({ text, isFact }) => `${isFact ? '*' : ' '}${text}`)).toEqual([
    ' model: m',
    ' system:',
    '   One.',
    '   Two.',
    ' messages:',
    '   - role: user',
    '     content:',
    '       <f>',
    '*      limits:',
    '*        observedPercent: 90',
    '*      ports:',
    '*        - port: 443, name: null',
    '*        - port: 53, name: x',
    '       </f>',
  ]);
});

test('a request without facts is laid out whole', () => {
  expect(layOutBody('{"note":"n","empty":[]}', '').map(({ text }) => text)).toEqual(['note: n', 'empty: []']);
});
