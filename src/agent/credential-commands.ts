// `gatehouse agent rotate` and `gatehouse agent revoke`: replace the bearer, or end the registration.
import { rmSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';
import { ClientError } from '#kernel/http/client.ts';
import { runProgram } from '#kernel/process/program.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { dataFolder, readAgentEnv } from './config.ts';
import { createBearer, loadCredential } from './credentials/bearer.ts';
import { openStore } from './credentials/choose.ts';
import { type AgentFiles, agentFiles, openFolder } from './folder.ts';
import { capabilitiesFailure, hubFailure, openHub } from './hub-client.ts';
import { requireSafeTransport } from './plaintext.ts';
import { requireRecord, writeRecord } from './record.ts';
import { rotate } from './rotation.ts';

const rotateUsage = `Usage: gatehouse agent rotate [--data DIR]

Replaces the bearer of this machine. gatehouse agent run does this by itself; stop it first.

Options
  --data DIR  folder of the Agent (GATEHOUSE_AGENT_DIR)
  --help      this text
  --version   the version
`;

const revokeUsage = `Usage: gatehouse agent revoke [--local-only] [--data DIR]

Ends the registration of this machine at the hub, then deletes the bearer here.

Options
  --local-only  delete the bearer here and ask nothing of the hub: for a hub that is gone for good
  --data DIR    folder of the Agent (GATEHOUSE_AGENT_DIR)
  --help        this text
  --version     the version
`;

/** The folder, locked, and what is in it. */
function opened(data: string | undefined, name: string) {
  const env = readAgentEnv();
  const files = agentFiles(dataFolder(data, env));
  const lock = openFolder(files, (line) => void process.stderr.write(`gatehouse agent ${name}: warning: ${line}\n`));
  try {
    const record = requireRecord(files);
    const places = { clock: systemClock, env, file: files.credential };
    return { files, lock, record, store: openStore(record.store, record.credentialName, places) };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

export function runRotate(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' } } as const;
  return runProgram(argv, { name: 'agent rotate', usage: rotateUsage, options }, async ({ data }) => {
    const { files, lock, record: found, store } = opened(data, 'rotate');
    using _lock = lock;
    let record = found;
    const hubUrl = new URL(record.hubUrl);
    requireSafeTransport(hubUrl, record.acceptsPlaintext);
    const bearer = createBearer(store, await loadCredential(store));
    await using hub = openHub(systemClock, hubUrl, record.ca);
    const update = (change: Partial<typeof record>) => {
      record = { ...record, ...change };
      writeRecord(files, record);
    };
    const client = (token: string) => hub.as(token);
    try {
      await rotate({ bearer, client, record: () => record, update, now: systemClock.now() });
    } catch (error) {
      const why = error instanceof ClientError || !isStoreFailure(error) ? hubFailure(error) : messageOf(error);
      throw new Error(`the bearer was not rotated (${why}): the old one goes on working; try again`, { cause: error });
    }
    const token = bearer.token();
    try {
      await client(token).capabilities({});
      await bearer.accepted(token);
      process.stdout.write('rotated: the hub accepts the new bearer\n');
    } catch (error) {
      process.stderr.write(
        `gatehouse agent rotate: warning: the new bearer is stored, its first use failed: ${capabilitiesFailure(error)}\n`,
      );
    }
  });
}

/** The disk or the credential store. */
const isStoreFailure = (error: unknown) =>
  error instanceof Error &&
  (/Secret Service|disk is full/.test(error.message) || (error as NodeJS.ErrnoException).path !== undefined);

export function runRevoke(argv: readonly string[]): Promise<number> {
  const options = { 'local-only': { type: 'boolean' }, data: { type: 'string' } } as const;
  return runProgram(argv, { name: 'agent revoke', usage: revokeUsage, options }, async (given) => {
    const { files, lock, record, store } = opened(given.data, 'revoke');
    using _lock = lock;
    const hubUrl = new URL(record.hubUrl);
    if (given['local-only'] !== true) {
      requireSafeTransport(hubUrl, record.acceptsPlaintext);
      const { current, previous } = await loadCredential(store);
      await using hub = openHub(systemClock, hubUrl, record.ca);
      await revokeAtHub((bearer) => hub.as(bearer).revokeSelf({ body: {} }), current, previous);
    }
    await store.remove();
    forget(files);
    process.stdout.write(
      given['local-only'] === true
        ? `the bearer is deleted here; at ${hubUrl.origin} the Agent ${record.agentId} stays active until somebody revokes it\n`
        : 'revoked at the hub; the bearer is deleted here\n',
    );
  });
}

async function revokeAtHub(call: (bearer: string) => Promise<unknown>, current: string, previous: string | null) {
  try {
    await call(current).catch((error: unknown) => {
      if (error instanceof ClientError && error.status === 401 && previous !== null) {
        return call(previous);
      }
      throw error;
    });
  } catch (error) {
    if (error instanceof ClientError && (error.status === 401 || error.code === 'agent_revoked')) {
      process.stderr.write(
        'gatehouse agent revoke: warning: the hub does not know this bearer: it was revoked already\n',
      );
      return;
    }
    throw new Error(
      `the hub was not told (${hubFailure(error)}): try again, or delete the bearer here alone with --local-only`,
      { cause: error },
    );
  }
}

/** The registration; what was collected and not delivered stays. */
function forget(files: AgentFiles): void {
  for (const file of [files.record, files.pending, files.credential, files.status]) {
    rmSync(file, { force: true });
  }
}
