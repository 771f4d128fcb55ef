// Each mitigation of docs/security/threat-model.md names a test that is there.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/sources.ts';

const text = readFileSync(path.join(root, 'docs/security/threat-model.md'), 'utf8');

test('every test that the threat model names is there', () => {
  const named = [...text.matchAll(/`(test\/[^`]+)`(?: › ([^;|\n]+))?/g)];
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(([, file = '', title]) => {
    const place = path.join(root, file);
    return !existsSync(place) || (title !== undefined && !readFileSync(place, 'utf8').includes(title.trim()));
  });
  expect(missing.map(([line]) => line)).toEqual([]);
});

test('every threat of a flow has a test', () => {
  const section = text.slice(text.indexOf('## Threats'), text.indexOf('## Logs'));
  const rows = section.split('\n').filter((line) => /^\| (?:F\d|supply|repository)/.test(line));
  expect(rows.filter((row) => !row.includes('`test/'))).toEqual([]);
  for (const flow of ['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11']) {
    expect(rows.some((row) => row.startsWith(`| ${flow} `))).toBe(true);
  }
});
