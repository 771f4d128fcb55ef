// `gatehouse reset-password` and `gatehouse reset-token`: whoever owns the files of the hub gets new credentials.
import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { authLimits } from '#contract/auth-limits.ts';
import { writeJson } from '#kernel/files/files.ts';
import { readEnv } from '#kernel/process/env.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { createToken, hashToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { hubEnv } from '../../config.ts';
import { createPasswords } from './password.ts';
import { createPassword } from './password-rules.ts';
import { type ResetKind, type ResetRequest, resetFile, resetFolder } from './reset-request.ts';

const usageOf = (kind: ResetKind) => `Usage: gatehouse reset-${kind} [--data DIR]

Makes a new ${what[kind]}, shows it once and ends every session. Run it on a terminal as the user of the hub. A
running hub takes it at once, a stopped one at its next start.

Options
  --data DIR  folder of the hub's data (MONITOR_DATA_DIR; default ./data)
  --help      this text
  --version   the version
`;

const what = { password: 'login password', token: 'admin token' } as const;

/** The program of one kind; it resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export function runReset(kind: ResetKind) {
  const program = { name: `reset-${kind}`, usage: usageOf(kind), options: { data: { type: 'string' } } } as const;
  return (argv: readonly string[]): Promise<number> =>
    runProgram(argv, program, async ({ data }) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY) {
        throw new UsageError(`needs a terminal, to show the new ${what[kind]} to nobody else: run it by hand`);
      }
      await reset(kind, data);
    });
}

async function reset(kind: ResetKind, data: string | undefined): Promise<void> {
  const env = readEnv(hubEnv.pick({ MONITOR_DATA_DIR: true, MONITOR_CONFIG_PATH: true }));
  const dataDir = data ?? env.MONITOR_DATA_DIR;
  const settings = env.MONITOR_CONFIG_PATH ?? path.join(dataDir, 'monitor.json');
  if (!existsSync(settings)) {
    throw new Error(`${settings} does not exist: name the folder of the hub's data with --data`);
  }
  const secret = kind === 'password' ? createPassword() : createToken('', 24);
  const file = resetFile(dataDir, kind);
  leave(dataDir, file, await requestFor(kind, secret));
  process.stdout.write(`new ${what[kind]} (shown only now): ${secret}\n`);
  process.stdout.write(
    (await isTaken(file))
      ? 'It holds now: the running hub has taken it and ended every session.\n'
      : 'No running hub has taken it yet: it holds from the next start of the hub, which ends every session.\n',
  );
}

async function requestFor(kind: ResetKind, secret: string): Promise<ResetRequest> {
  return kind === 'password'
    ? { kind, passwordRecord: await createPasswords().hash(secret) }
    : { kind, adminTokenHash: hashToken(secret) };
}

/** Gives a file that root has written to the user of the hub, who could not read it otherwise. */
function leave(dataDir: string, file: string, request: ResetRequest): void {
  const folder = resetFolder(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeJson(file, request);
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() === 0 && uid !== 0) {
    chownSync(folder, uid, gid);
    chownSync(file, uid, gid);
  }
}

async function isTaken(file: string): Promise<boolean> {
  const until = systemClock.now() + authLimits.resetWaitMs;
  while (existsSync(file) && systemClock.now() < until) {
    await systemClock.sleep(50);
  }
  return !existsSync(file);
}
