// One `upsget --json` against a simulated UPS: wall and CPU time, in English and Japanese, beside a bare start of Node.
import path from 'node:path';
import { UsageError } from '#kernel/process/program.ts';
import { root, runProgram, startProgram } from '../test/support/program.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import type { Benchmark } from './benchmark.ts';

interface Figures {
  what: string;
  wallMs: number;
  /** User and system time of the process. */
  cpuMs: number;
}

export const upsgetBenchmark: Benchmark = {
  summary: 'one upsget --json, in English and Japanese, without compiled code, --help, and a bare start of Node',
  options: {},
  runs: 21,
  by: ['what'],
  async run(_values, runs, progress) {
    if (process.platform !== 'linux') {
      throw new UsageError('upsget is measured with the shell of Linux');
    }
    using folder = temporaryFolder();
    await using english = startProgram(['src/main.ts', 'sim', 'ups', '--port', '0', '--seed', '1']);
    await using japanese = startProgram(['src/main.ts', 'sim', 'ups', '--port', '0', '--seed', '1', '--locale', 'ja']);
    const en = await argumentsOf(english);
    const ja = await argumentsOf(japanese);
    const upsget = path.join(root, 'bin/upsget.js');
    const figures: Figures[] = [];
    for (let run = 0; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      const cache = { HOME: folder.path };
      const rows = [
        await timed('--json, English', [upsget, ...en, '--json'], cache),
        await timed('--json, Japanese', [upsget, ...ja, '--json'], cache),
        await timed('--help', [upsget, '--help'], cache),
        await timed('node -e 0', ['-e', '0'], cache),
        await timed('--json, English, nothing compiled', [upsget, ...en, '--json'], {
          ...cache,
          NODE_DISABLE_COMPILE_CACHE: '1',
        }),
      ];
      // The first round fills the cache of compiled code.
      figures.push(...(run === 0 ? [] : rows));
    }
    return figures;
  },
};

async function argumentsOf(simulator: ReturnType<typeof startProgram>): Promise<string[]> {
  const [text] = await simulator.printed(/^\{.*\}$/m);
  const { url, user, password } = JSON.parse(text) as Record<'url' | 'user' | 'password', string>;
  return [new URL(url).host, user, password];
}

/** The shell's `time` tells the CPU time of its child to the millisecond, which Node does not. */
async function timed(what: string, args: readonly string[], env: Record<string, string>): Promise<Figures> {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" >/dev/null`;
  const { code, stderr } = await runProgram(['-c', script, 'bash', process.execPath, ...args], {
    command: 'bash',
    env: { XDG_CACHE_HOME: '', XDG_STATE_HOME: '', ...env },
  });
  const [wall = Number.NaN, user = 0, system = 0] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  if (code !== 0 || Number.isNaN(wall)) {
    throw new Error(`${what} ended with ${code}: ${stderr}`);
  }
  return { what, wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}
