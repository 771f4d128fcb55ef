// docs/gate.md is true: every variable, collector and item is in it, and the way back in its order.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { categories } from '#gate/check.ts';
import { checkDescriptions } from '#gate/checks.ts';
import { collectors } from '#gate/collect/collectors.ts';
import { gateEnv } from '#gate/config.ts';
import { items } from '#gate/evidence/items.ts';
import { root } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const text = readFileSync(path.join(root, 'docs/gate.md'), 'utf8');

it('names every variable, every item with its command, and every kind of check', () => {
  expect(Object.keys(gateEnv.shape).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  expect(items.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
  const written = collectors.filter(({ partial }) => !partial);
  expect(written.filter(({ name }) => !text.includes(`gate collect ${name}`))).toEqual([]);
  const kinds = new Set(checkDescriptions.map(({ id }) => id.slice(0, id.indexOf('.'))));
  expect([...kinds].filter((kind) => !text.includes(`\`${kind}.`))).toEqual([]);
  expect(new Set(checkDescriptions.map(({ category }) => category))).toEqual(new Set(categories));
});

verifies('gate.run.rollback', 'the way back: aliases, route, private access, last verified release', () => {
  const steps = ['Remove the public DNS aliases', 'Disable the proxy route', 'Return to private access'];
  const places = [...steps, 'Restore the last verified release'].map((step) => text.indexOf(step));
  expect(places.every((place, index) => place > (places[index - 1] ?? 0))).toBe(true);
});
