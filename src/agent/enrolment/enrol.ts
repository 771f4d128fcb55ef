// Enrolment: applies with a code, or goes on with the request that waits; then waits for the approval.
import { isSystemError, isThere } from '#kernel/files/files.ts';
import { ClientError } from '#kernel/http/client.ts';
import { UsageError } from '#kernel/process/program.ts';
import { chooseStore, openStore, plainFileCost, type StorePlaces } from '../credentials/choose.ts';
import { type Credential, type CredentialStore, DamagedCredential, type StoreKind } from '../credentials/store.ts';
import type { AgentFiles } from '../folder.ts';
import { type HubClient, hubFailure, openHub } from '../hub-client.ts';
import { machineFacts } from '../machine.ts';
import { plaintextWarning, requireSafeTransport } from '../plaintext.ts';
import { type AgentRecord, readRecord } from '../record.ts';
import { awaitDecision } from './approval.ts';
import { finishEnrolment } from './finish.ts';
import { type PendingEnrolment, readPending, removePending, writePending } from './pending.ts';

export interface EnrolOptions {
  files: AgentFiles;
  places: StorePlaces;
  /** Absent: goes on with the request that waits. */
  hubUrl?: URL | undefined;
  /** PEM of the certificate authority of the hub. */
  ca: string | null;
  store?: StoreKind | undefined;
  acceptsPlaintext: boolean;
  hostName: string;
  replaces: boolean;
  /** Absent: a request that waits goes on, else `askCode` is asked. */
  code?: string | undefined;
  askCode(): Promise<string>;
  signal: AbortSignal;
  print(line: string): void;
  warn(line: string): void;
  progress(waitedMs: number, problem: string | null): void;
}

/** Resolves when this machine is enrolled. Rejects with an Error that says what to do. */
export async function enrol(options: EnrolOptions): Promise<void> {
  const { files, places, print, warn, signal, progress } = options;
  const { clock } = places;
  const waiting = waitingRequest(options);
  const registered = registration(options, waiting);
  const pending = waiting ?? (await apply(options));
  const store = openStore(pending.store, pending.requestId, places);
  await using hub = openHub(clock, new URL(pending.hubUrl), pending.ca);
  const finish = (token: string, agentId: string) =>
    finishEnrolment({ files, places, hub, pending, store, registered, print, warn }, { token, agentId });

  // A program that was killed after it had stored the bearer.
  const stored = await storedCredential(store, pending);
  if (stored?.requestId === pending.requestId) {
    await finish(stored.current, stored.agentId);
    return;
  }
  const { origin } = new URL(pending.hubUrl);
  print(
    `waiting for approval of ${pending.requestId} as ${pending.hostName} in the web UI, ` +
      `or POST ${origin}/api/agents/enrollment-requests/${pending.requestId}/approve`,
  );
  const decision = await awaitDecision(pending, { clock, hub, signal, progress });
  switch (decision.kind) {
    case 'approved':
      await finish(decision.token, decision.agentId);
      return;
    case 'over':
      removePending(files);
      throw new Error(decision.reason);
    case 'open':
      throw new Error(`not enrolled yet (${decision.reason}): gatehouse agent enroll goes on with the same request`);
  }
}

/** What cannot be read may be the bearer of this request, which the hub gives once. What is replaced may be damaged. */
async function storedCredential(store: CredentialStore, { replaces }: PendingEnrolment): Promise<Credential | null> {
  try {
    return await store.load();
  } catch (error) {
    if (replaces && error instanceof DamagedCredential) {
      return null;
    }
    throw error;
  }
}

/** The request that this run goes on with; null: it applies anew. */
function waitingRequest({ files, hubUrl, code, acceptsPlaintext }: EnrolOptions): PendingEnrolment | null {
  const waiting = code === undefined ? readPending(files) : null;
  if (waiting === null || (hubUrl !== undefined && hubUrl.href !== waiting.hubUrl)) {
    if (hubUrl === undefined) {
      throw new UsageError('--hub is needed: there is no request that waits for approval');
    }
    requireSafeTransport(hubUrl, acceptsPlaintext);
    return null;
  }
  requireSafeTransport(new URL(waiting.hubUrl), waiting.acceptsPlaintext);
  return waiting;
}

/**
 * The registration that is replaced; null when there is none, or it is damaged. Throws an Error when nobody said that it is
 * to be replaced, and when it cannot be read.
 */
function registration(options: EnrolOptions, waiting: PendingEnrolment | null): AgentRecord | null {
  const { files } = options;
  const replaces = waiting?.replaces ?? options.replaces;
  if (replaces) {
    try {
      return readRecord(files);
    } catch (error) {
      if (isSystemError(error)) {
        throw error;
      }
      return null;
    }
  }
  const record = readRecord(files);
  const isForeign =
    record === null ? waiting === null && isThere(files.credential) : record.credentialName !== waiting?.requestId;
  if (isForeign) {
    const where = record === null ? '' : ` at ${record.hubUrl} as ${record.hostName}`;
    throw new Error(`this machine is enrolled already${where}: --replace ends that registration and makes a new one`);
  }
  return null;
}

async function apply(options: EnrolOptions): Promise<PendingEnrolment> {
  const { files, places, hubUrl, ca, hostName, acceptsPlaintext, replaces, warn } = options;
  if (hubUrl === undefined) {
    throw new UsageError('--hub is needed');
  }
  const store = await chooseStore(options.store, places);
  if (store === 'file') {
    warn(`the bearer will be in a plain file: ${plainFileCost}`);
  }
  if (acceptsPlaintext && hubUrl.protocol === 'http:') {
    warn(plaintextWarning(hubUrl));
  }
  const code = (options.code ?? (await options.askCode())).trim();
  if (!/^[0-9A-Za-z]{6}$/.test(code)) {
    throw new UsageError(
      'the code has six letters and digits: POST /api/agents/enrollment-tokens at the hub makes one',
    );
  }
  await using hub = openHub(places.clock, hubUrl, ca);
  const { requestId, claimSecret } = await applied(hub, code, hostName);
  const pending = { hubUrl: hubUrl.href, ca, hostName, acceptsPlaintext, store, replaces, requestId, claimSecret };
  writePending(files, pending);
  return pending;
}

async function applied(hub: HubClient, code: string, hostName: string) {
  try {
    return await hub.as(null).enroll({ body: { code, agent: machineFacts(hostName) } });
  } catch (error) {
    const advice =
      error instanceof ClientError && error.status === 404 ? ': is this the address of a hub that knows Agents?' : '';
    throw new Error(`the request was not accepted: ${hubFailure(error)}${advice}`, { cause: error });
  }
}
