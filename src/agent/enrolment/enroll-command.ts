// `gatehouse agent enroll`: options and terminal of an enrolment.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { oneOfOption } from '#kernel/process/option-value.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { dataFolder, readAgentEnv } from '../config.ts';
import { plainFileCost } from '../credentials/choose.ts';
import { storeKinds } from '../credentials/store.ts';
import { agentFiles, openFolder } from '../folder.ts';
import { machineName } from '../machine.ts';
import { parseHubUrl } from '../plaintext.ts';
import { enrol } from './enrol.ts';

const usage = `Usage: gatehouse agent enroll --hub URL [--code CODE] [options]

Applies to a hub for a bearer, waits until an administrator approves, and stores the bearer. A request that waits goes on
when this runs again without a code.

Options
  --hub URL           address of the hub; plain HTTP only on this machine
  --code CODE         enrolment code of the hub (POST /api/agents/enrollment-tokens); asked for on a terminal when absent
  --store STORE       where the bearer is stored; without it the first of the first two that works here:
                        sealed          a file sealed with the key that systemd delivers (LoadCredentialEncrypted=agent-key:…)
                        secret-service  the Secret Service of the desktop session
                        file            a plain file, mode 0600: ${plainFileCost}
  --accept-plaintext  allow plain HTTP to another machine: programs, destinations and the bearer can be read on the way,
                      and reports can be forged
  --ca FILE           certificate authority of the hub, PEM
  --name HOST         name of this machine; its host name when absent
  --replace           end the registration that this machine has, and make a new one
  --data DIR          folder of the Agent (GATEHOUSE_AGENT_DIR)
  --help              this text
  --version           the version
`;

const options = {
  hub: { type: 'string' },
  code: { type: 'string' },
  store: { type: 'string' },
  'accept-plaintext': { type: 'boolean' },
  ca: { type: 'string' },
  name: { type: 'string' },
  replace: { type: 'boolean' },
  data: { type: 'string' },
} as const;

export function runEnroll(argv: readonly string[]): Promise<number> {
  return runProgram(argv, { name: 'agent enroll', usage, options }, async (given) => {
    const hubUrl = given.hub === undefined ? undefined : parseHubUrl(given.hub);
    const store = given.store === undefined ? undefined : oneOfOption('store', given.store, storeKinds);
    const env = readAgentEnv();
    const files = agentFiles(dataFolder(given.data, env));
    const warn = (line: string) => {
      clearProgress();
      process.stderr.write(`gatehouse agent enroll: warning: ${line}\n`);
    };
    using _lock = openFolder(files, warn);
    const signal = stopSignal();
    try {
      await enrol({
        files,
        places: { clock: systemClock, env, file: files.credential },
        hubUrl,
        ca: given.ca === undefined ? null : readCa(given.ca),
        store,
        acceptsPlaintext: given['accept-plaintext'] ?? false,
        hostName: machineName(given.name),
        replaces: given.replace ?? false,
        code: given.code,
        askCode: () => askCode(signal),
        signal,
        print(line) {
          clearProgress();
          process.stdout.write(`${line}\n`);
        },
        warn,
        progress: showProgress,
      });
    } finally {
      clearProgress();
    }
  });
}

function readCa(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`--ca ${file} is not a certificate in PEM form`);
  }
  return text;
}

async function askCode(signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError('--code is needed: there is no terminal to ask for it');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('Enrolment code: ', { signal });
  } finally {
    terminal.close();
  }
}

function showProgress(waitedMs: number, problem: string | null): void {
  if (process.stderr.isTTY) {
    clearProgress();
    process.stderr.write(`… waiting for ${Math.round(waitedMs / 1000)} s${problem === null ? '' : `: ${problem}`}`);
  }
}

function clearProgress(): void {
  if (process.stderr.isTTY) {
    process.stderr.write('\r\u001b[K');
  }
}
