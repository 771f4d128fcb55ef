// A change of a surface is a change of its pin, in the same commit.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/sources.ts';
import { surfaces } from '../scripts/surface.ts';

test.each(Object.entries(surfaces()))('%s is what the program has (npm run pins)', (file, content) => {
  expect(readFileSync(path.join(root, file), 'utf8')).toBe(content);
});
