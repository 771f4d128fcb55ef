// docs/mcp.md names every variable and every status that there are.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mcpEnv } from '#mcp/config.ts';
import { refuse } from '#mcp/http/refusal.ts';
import { root } from '../support/program.ts';

const page = readFileSync(path.join(root, 'docs/mcp.md'), 'utf8');

test('every variable is in its table', () => {
  const named = new Set([...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name));
  expect(Object.keys(mcpEnv.shape).filter((name) => !named.has(name))).toEqual([]);
});

test('every refusal that a client can meet has its row', () => {
  const refusals = [
    ...[refuse.unauthorized('', ''), refuse.insufficientScope('', ''), refuse.foreign(''), refuse.notFound()],
    ...[refuse.method(), refuse.accept(), refuse.tooLarge(1), refuse.mediaType(), refuse.timeout()],
    ...[refuse.limited('global_rate_limit', 1), refuse.notJson(), refuse.batch()],
  ];
  for (const { status } of refusals) {
    expect(page).toMatch(new RegExp(`^\\| ${status}\\b`, 'm'));
  }
});
