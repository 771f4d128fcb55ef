// The spool at limits of the system: too many open files, and batches that the Agent may not read.
import { expect, test } from 'vitest';
import { openSpool } from '#agent/delivery/spool.ts';
import { createLog } from '#kernel/process/log.ts';
import { root, runProgram } from '../../support/program.ts';
import { batchNames, spoolBatch, spoolFolder } from '../../support/spool-lab.ts';

const limits: [string, string, RegExp][] = [
  ['many-files', 'ulimit -n 64; ', /\/spool\/\S+ cannot be read \(EMFILE.*LimitNOFILE/],
  ['no-right', '', /\/spool\/\S+ cannot be read \(EACCES.*user of the Agent/],
];
test.each(limits)(
  '%s: a batch that cannot be read is not deleted, and is sent when it can be read',
  async (mode, before, failure) => {
    using at = spoolFolder();
    const spool = openSpool(at.files, 1_000_000, createLog('agent', 'silent'));
    const batches = Array.from({ length: 20 }, (_, number) => spoolBatch(number));
    for (const one of batches) {
      spool.add(one);
    }
    const args = ['-c', `${before}exec "$0" "$@"`, process.execPath, 'test/support/spool-program.ts', mode, at.path];
    const { code, stdout, stderr } = await runProgram(args, { command: 'bash', cwd: root });
    expect(code, stderr).toBe(0);
    const [failed, read] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(failed).toEqual({ failed: expect.stringMatching(failure) });
    expect(read).toEqual({ head: batches[0]?.batchId });
    expect([...batchNames(at.files.spool).keys()]).toEqual(batches.map(({ batchId }) => batchId));
    expect(stderr).toBe('');
  },
);
