// The program `upsget` as a process of its own, in a home folder of its own, reading a simulated UPS.
import { cpSync, mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import type { UpsSimulator } from '#simulators/ups/ups.ts';
import { type Program, root as repository, startProgram } from './program.ts';
import { makeFolder } from './temporary-folder.ts';

export interface UpsgetOptions {
  /** The UPS whose address, user and password come first among the arguments; none when absent. */
  ups?: UpsSimulator;
  env?: Record<string, string>;
  /** HOME of the program; a new empty folder when absent. */
  home?: string;
  /** Options of Node itself. */
  node?: readonly string[];
  /** Folder of another copy of the program. */
  root?: string;
  ownGroup?: boolean;
}

export interface UpsgetResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The six items as upsget prints them for the UPS of the lab, which nobody has changed. */
export const plainValues = {
  status: 'On Line',
  load: '19.0',
  runtime: '29',
  voltage: '102.0',
  battery: '100.0',
  batteryvoltage: '13.7',
};

/** No program but our own Node, so that the libraries have to do it. */
export const withoutPrograms = { PATH: '/nonexistent' };

const folder = makeFolder('upsget');
/** Shared by the programs of a file, which take turns as those of one user do. */
const runtime = path.join(folder, 'run');
mkdirSync(runtime, { mode: 0o700 });
let homes = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An empty folder that is gone after the tests of this file. */
export function newHome(): string {
  homes += 1;
  const home = path.join(folder, `home-${homes}`);
  mkdirSync(home);
  return home;
}

/** A copy of what upsget is made of, in a folder without node_modules. */
export function copyOfUpsget(): string {
  const folder = newHome();
  for (const part of [
    'bin/upsget.js',
    'bin/compiled.js',
    'bin/launch.js',
    'src/upsget',
    'src/kernel/mqtt',
    'package.json',
    'package-lock.json',
  ]) {
    cpSync(path.join(repository, part), path.join(folder, part), { recursive: true });
  }
  return folder;
}

export function startUpsget(args: readonly string[], options: UpsgetOptions = {}): Program {
  const { ups, home = newHome(), node = [], root } = options;
  const given = ups ? [ups.url.host, ups.credentials.user, ups.credentials.password] : [];
  return startProgram([...node, root ? path.join(root, 'bin/upsget.js') : 'bin/upsget.js', ...given, ...args], {
    ...(options.ownGroup ? { ownGroup: true } : {}),
    env: {
      HOME: home,
      // Shared, so that the program is compiled once for all tests of a file.
      XDG_CACHE_HOME: path.join(folder, 'cache'),
      XDG_CONFIG_HOME: '',
      XDG_RUNTIME_DIR: runtime,
      XDG_STATE_HOME: '',
      UPSGET_IP: '',
      UPSGET_USERNAME: '',
      UPSGET_PASSWORD: '',
      ...options.env,
    },
  });
}

/** Whether a running program has opened the lock: it holds it, or waits for its turn. Linux only. */
export function hasLockOpen({ pid }: Program): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((handle) => {
    try {
      return readlinkSync(path.join(folder, handle)).endsWith('.lock');
    } catch {
      // Closed since the folder was listed.
      return false;
    }
  });
}

/** Runs the program to its end. */
export async function runUpsget(args: readonly string[], options: UpsgetOptions = {}): Promise<UpsgetResult> {
  await using program = startUpsget(args, options);
  const { code, signal } = await program.ended;
  return { code, signal, stdout: program.stdout(), stderr: program.stderr() };
}

/** `METHOD /path` of every request that arrived, in order. */
export function listRequests(ups: UpsSimulator): string[] {
  return ups
    .journal()
    .filter(({ kind }) => kind === 'request')
    .map(({ method, path: at }) => `${method} ${at}`);
}

/** Resolves when at least `count` requests have arrived. */
export async function waitForRequests(ups: UpsSimulator, count: number): Promise<void> {
  await expect.poll(() => listRequests(ups).length).toBeGreaterThanOrEqual(count);
}
