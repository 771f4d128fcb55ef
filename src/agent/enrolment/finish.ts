// The end of an enrolment: the bearer is stored, used once, and the registration before is ended.

import { messageOf } from '#kernel/errors.ts';
import { openStore, type StorePlaces } from '../credentials/choose.ts';
import { type Credential, type CredentialStore, DamagedCredential, storeNames } from '../credentials/store.ts';
import type { AgentFiles } from '../folder.ts';
import { capabilitiesFailure, type HubClient, hubFailure, openHub } from '../hub-client.ts';
import { type AgentRecord, writeRecord } from '../record.ts';
import { type PendingEnrolment, removePending } from './pending.ts';

export interface FinishOptions {
  files: AgentFiles;
  places: StorePlaces;
  hub: HubClient;
  pending: PendingEnrolment;
  store: CredentialStore;
  registered: AgentRecord | null;
  print(line: string): void;
  warn(line: string): void;
}

/** Rejects with an Error when the bearer cannot be stored; the new registration is revoked then. */
export async function finishEnrolment(
  options: FinishOptions,
  { token, agentId }: { token: string; agentId: string },
): Promise<void> {
  const { files, places, hub, pending, store, registered, print, warn } = options;
  const { requestId, hubUrl, ca, hostName, acceptsPlaintext } = pending;
  const before = registered === null ? null : await storedBefore(registered, options);
  try {
    await store.save({ requestId, agentId, current: token, previous: null });
  } catch (error) {
    const end = await revoked(hub, token);
    removePending(files);
    throw new Error(`the bearer could not be stored (${messageOf(error)}); ${end}. Mend this, and enrol again`, {
      cause: error,
    });
  }
  const now = places.clock.now();
  writeRecord(files, {
    hubUrl,
    ca,
    agentId,
    hostName,
    store: store.kind,
    credentialName: requestId,
    acceptsPlaintext,
    enrolledAt: now,
    rotatedAt: now,
    rotationStartedAt: null,
  });
  removePending(files);
  print(`enrolled at ${hubUrl} as ${hostName} (Agent ${agentId}); the bearer is in ${storeNames[store.kind]}`);
  try {
    await hub.as(token).capabilities({});
    print('the hub accepts the bearer: gatehouse agent run sends observations');
  } catch (error) {
    warn(`the first use of the bearer failed: ${capabilitiesFailure(error)}`);
  }
  if (registered !== null && before !== null && before.requestId !== requestId) {
    await endBefore(registered, before, options);
  }
}

/** The bearer that is about to be replaced, while its store still has it. The new one is stored in any case. */
async function storedBefore(registered: AgentRecord, { places, warn }: FinishOptions): Promise<Credential | null> {
  try {
    return await openStore(registered.store, registered.credentialName, places).load();
  } catch (error) {
    const why = error instanceof DamagedCredential ? 'its bearer here is damaged' : messageOf(error);
    warn(`${notRevoked(registered)} (${why}): an administrator has to revoke it`);
    return null;
  }
}

const notRevoked = ({ agentId, hubUrl }: AgentRecord) =>
  `the registration before (Agent ${agentId} at ${hubUrl}) could not be revoked`;

/** As far as possible: the hub of the registration before may be gone. */
async function endBefore(registered: AgentRecord, before: Credential, options: FinishOptions): Promise<void> {
  const { places, store, print, warn } = options;
  try {
    await using hub = openHub(places.clock, new URL(registered.hubUrl), registered.ca);
    await hub.as(before.current).revokeSelf({ body: {} });
    print(`the registration before (Agent ${before.agentId}) is revoked`);
  } catch (error) {
    warn(`${notRevoked(registered)}: ${hubFailure(error)}`);
  }
  const isSameFile = registered.store !== 'secret-service' && store.kind !== 'secret-service';
  if (!isSameFile) {
    await openStore(registered.store, registered.credentialName, places)
      .remove()
      .catch((error: unknown) => warn(messageOf(error)));
  }
}

async function revoked(hub: HubClient, token: string): Promise<string> {
  try {
    await hub.as(token).revokeSelf({ body: {} });
    return 'the new registration was revoked at the hub';
  } catch (error) {
    return `the new registration could not be revoked either (${hubFailure(error)}): an administrator has to revoke it`;
  }
}
