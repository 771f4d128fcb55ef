// No key, token or password of somebody lies in the repository; the package's own files are looked at in test/e2e/package.test.ts.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/sources.ts';
import { secretsIn } from './support/secret-scan.ts';

/** What looks like a secret and is none: file and rule → why. A file of these may hold nothing else. */
const deliberate: Readonly<Record<string, string>> = {
  'simulators/ai/settings.ts: gatehouse-credential':
    'keys that the simulated providers take, in the form of the real ones',
  'test/rest/ai-config.test.ts: basicauth BasicAuth': 'an address with a password that the hub must refuse',
  'test/rest/chat.test.ts: slack SLACK_TOKEN': 'tokens of the simulated workspace',
  'test/rest/mcp-check.test.ts: basicauth BasicAuth': 'an address with a password that the hub must refuse',
  'test/simulators/chat.test.ts: slack SLACK_TOKEN': 'tokens of the simulated workspace',
};

function trackedFiles(): { file: string; text: string }[] {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  return names.map((file) => ({ file, text: readFileSync(path.join(root, file), 'latin1') }));
}

test('no tracked file holds a secret, but those that are listed with their reason', async () => {
  const files = trackedFiles();
  expect(files.length).toBeGreaterThan(2000);
  expect(await secretsIn(files)).toEqual(Object.keys(deliberate).sort());
});

// Each is put together here: the search above must not find this file.
const half = 'A1b2C3d4E5f6G7h8I9j0';
test.each([
  ['a private key', `-----BEGIN ${'PRIVATE'} KEY-----\n${half.repeat(5)}\n-----END ${'PRIVATE'} KEY-----`],
  ['a token of GitHub', `ghp${'_'}${half.slice(0, 18)}${half.slice(0, 18)}`],
  ['a token of npm', `//registry.example/:_authToken=npm${'_'}${half.slice(0, 18)}${half.slice(0, 18)}`],
  ['a token of a chat workspace', `xoxb${'-'}123456789012-123456789012-${half}abcd`],
  ['an access key of AWS', `AKIA${'Z7QW3ERT5YUI2OPA'}`],
  ['a password in an address', `https://somebody:${'Correct-Horse-9'}@service.example.net/`],
  ['a token of an API identity', `svc${'_'}${half}${half}`],
])('%s is found, in the file in which it was planted', async (_what, secret) => {
  const files = [
    { file: 'before.txt', text: 'nothing' },
    { file: 'planted.txt', text: `key = ${secret}\n` },
    { file: 'after.txt', text: 'nothing' },
  ];
  const found = await secretsIn(files);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((line) => !line.startsWith('planted.txt: '))).toEqual([]);
});
