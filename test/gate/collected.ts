// Evidence as the collectors write it on a stage: the fields of the passing fixtures, with transcripts.
import { rmSync } from 'node:fs';
import { type Recording, recordItem } from '#gate/collect/record-item.ts';
import { createTranscript } from '#gate/collect/transcript.ts';
import { readGateConfig } from '#gate/config.ts';
import { getEvidenceSettings } from '#gate/evidence/input.ts';
import { items } from '#gate/evidence/items.ts';
import { transcriptFolder } from '#gate/evidence/transcripts.ts';
import { parseTokenId } from '#gate/probes/given-tokens.ts';
import { writeJson } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type Stage, stagedOperator } from '../../scripts/stage.ts';
import { type Document, passingEvidence } from './passing-evidence.ts';

/** Where and for what evidence is collected. */
export type Collected = Recording['context'] & { file: string };

/** What evidence on this stage is collected for. */
export function collectedOn({ evidence, gateEnv }: Stage): Collected {
  const config = readGateConfig(gateEnv);
  const revokedTokenJti = parseTokenId(config.MCP_GATE_REVOKED_EXPIRED_TOKEN);
  return { file: evidence, now: systemClock.now(), ...getEvidenceSettings(config), revokedTokenJti };
}

/** Writes what the collectors would have written at `now`: every item with its transcript, the rest attested. */
export function writeCollected(collected: Collected): void {
  const { file, profile, commit: deployedCommit } = collected;
  const document = passingEvidence(profile);
  rmSync(transcriptFolder(file), { recursive: true, force: true });
  writeJson(file, {
    schemaVersion: 3,
    deployedCommit,
    publishDns: false,
    clientCompatibility: document.clientCompatibility,
  });
  for (const { name, requiredBy } of items) {
    if (requiredBy.includes(profile)) {
      collectItem(collected, name);
    }
  }
}

/** One more run of an item's collector, or its attestation; `seen` over the fields that pass. */
export function collectItem(
  { file, ...context }: Collected,
  item: string,
  { fields: seen = {}, objections = [], processes = [context.commit], by = stagedOperator }: Partial<Seen> = {},
): void {
  const rule = items.find(({ name }) => name === item);
  const { passed, testedAt: _at, commit: _of, ...fields } = passingEvidence(context.profile)[item] as Document;
  const { issuer, resource, revokedTokenJti } = context;
  const gateFields: Readonly<Record<string, Record<string, unknown>>> = {
    idpCompatibility: { issuer, resource },
    revocation: { tokenJti: revokedTokenJti ?? fields.tokenJti },
  };
  const transcript = createTranscript(
    () => context.now - 1000,
    () => {},
  );
  transcript.add('did what the collector does', 'saw it');
  for (const commit of rule?.startsProcess ? processes : []) {
    transcript.startedProcess(commit);
  }
  const { collector = null } = rule ?? {};
  recordItem({
    evidencePath: file,
    item,
    fields: { ...fields, ...gateFields[item], ...seen },
    objections,
    partial: false,
    source: collector === null ? { how: 'attested', by } : { how: 'measured', by, collector, transcript },
    context,
  });
}

export interface Seen {
  fields: Record<string, unknown>;
  objections: string[];
  /** Commits of the processes that were started. */
  processes: (string | null)[];
  by: string;
}
