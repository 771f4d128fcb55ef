// What verifies a package reads files of strangers: none of them makes it wait, or read without end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createKeyPair, signFile } from '#gate/signature.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A signed package in a folder of its own. */
function release() {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder.path, name);
  const { privatePem, publicPem } = createKeyPair();
  const facts = { version: '1.2.3', commit: '0'.repeat(40) };
  writeFileSync(at('key.pem'), publicPem);
  writeFileSync(at('package.tgz'), 'the package');
  writeFileSync(
    at('package.tgz.dsse.json'),
    JSON.stringify(signFile(privatePem, 'release', 'package.tgz', 'the package', facts)),
  );
  const verify = () => runProgram(['src/main.ts', 'gate', 'verify-release', at('package.tgz'), '--key', at('key.pem')]);
  return { at, verify, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test('a package with its signature verifies', async () => {
  using signed = release();
  expect(await signed.verify()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^package\.tgz is signed with this key\nversion 1\.2\.3\ncommit 0{40}\nsha256 /),
  });
});

test.each(['key.pem', 'package.tgz', 'package.tgz.dsse.json'])(
  'a FIFO, a device, a folder or a file without end as %s is refused at once',
  async (name) => {
    const places: [make: (file: string) => void, because: string][] = [
      [(file) => void spawnSync('mkfifo', [file]), 'is not a regular file'],
      [(file) => void spawnSync('ln', ['-s', '/dev/zero', file]), 'is not a regular file'],
      [(file) => void mkdirSync(file), 'is not a regular file'],
      [(file) => void spawnSync('truncate', ['--size=1T', file]), 'is larger than'],
    ];
    for (const [make, because] of places) {
      using signed = release();
      spawnSync('rm', [signed.at(name)]);
      make(signed.at(name));
      const { code, stdout, stderr } = await signed.verify();
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(because) });
      expect(stderr).toContain(signed.at(name));
    }
  },
);
