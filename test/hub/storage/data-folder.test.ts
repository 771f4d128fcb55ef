// What a start finds in its data directory: rights that are too wide, and what killed processes left.
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startLab } from '../../support/lab.ts';
import { runProgram } from '../../support/program.ts';

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('modes that are too wide are warned of, and files get 0600', async () => {
  await using lab = await startLab();
  const of = (name: string) => path.join(lab.dataDir, name);
  const files = ['secret.key', 'monitor.json', 'monitor.db', '.monitor.notes.json'].map(of).filter(existsSync);
  expect(files.length).toBeGreaterThanOrEqual(3);
  chmodSync(lab.dataDir, 0o777);
  for (const file of files) {
    chmodSync(file, 0o644);
  }
  await lab.restart();
  const { warnings } = await lab.as.admin.status.status({});
  expect(warnings).toContainEqual(expect.stringMatching(/^the data directory \S+ has mode 0777: .*chmod 700$/));
  for (const file of files) {
    expect(modeOf(file)).toBe('600');
    expect(warnings).toContainEqual(expect.stringMatching(new RegExp(`^${file} had mode 0644: .*0600 now$`)));
  }
  expect(modeOf(lab.dataDir)).toBe('777');
  chmodSync(lab.dataDir, 0o700);
  await lab.restart();
  expect((await lab.as.admin.status.status({})).warnings).toEqual([]);
});

test('temporary files of processes that run no more are removed, others stay', async () => {
  await using lab = await startLab();
  const of = (name: string) => path.join(lab.dataDir, name);
  const { stdout } = await runProgram(['-p', 'process.pid']);
  const gone = stdout.trim();
  const left = [`monitor.json.${gone}.tmp`, `secret.key.${gone}.tmp`, `monitor.json.${process.pid}.tmp`].map(of);
  const others = [`monitor.json.${process.ppid}.tmp`, `other.json.${gone}.tmp`, 'monitor.json.tmp'].map(of);
  for (const file of [...left, ...others]) {
    writeFileSync(file, 'half');
  }
  await lab.restart();
  expect(left.filter(existsSync)).toEqual([]);
  expect(others.filter((file) => !existsSync(file))).toEqual([]);
});
