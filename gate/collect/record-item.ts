// Writes a measured or attested item to the evidence file. It passes only when its rule passes and nothing objects.
import { mkdirSync } from 'node:fs';
import { writeJson } from '#kernel/files/files.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { parseJson } from '#kernel/text/json.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { holds } from '../check.ts';
import type { EvidenceContext } from '../evidence/context.ts';
import { items } from '../evidence/items.ts';
import { countingRuns } from '../evidence/provenance.ts';
import { judgeItem } from '../evidence/rules.ts';
import { readRuns, transcriptFolder, transcriptPath } from '../evidence/transcripts.ts';
import { toMembers, toObject, toTexts } from '../json.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import type { Transcript } from './transcript.ts';

/** The source of an item: a run of a collector, or an attestation. */
export type Source =
  | {
      how: 'measured';
      by: string;
      collector: string;
      transcript: Pick<Transcript, 'startedAt' | 'steps' | 'processes'>;
    }
  | { how: 'attested'; by: string };

export interface Recording {
  evidencePath: string;
  item: string;
  fields: Readonly<Record<string, unknown>>;
  /** Reasons why it must fail, independent of the fields. */
  objections: readonly string[];
  /** Merged with the retained fields of an earlier run. */
  partial: boolean;
  source: Source;
  context: Omit<EvidenceContext, 'document' | 'signature' | 'runs'>;
}

export interface Recorded {
  passed: boolean;
  /** Why the item failed; empty when it passed. */
  because: string;
  /** Path of the transcript; null for an attestation. */
  transcriptPath: string | null;
}

/** Replaces the item, even one that passed before: the last run counts. */
export function recordItem(recording: Recording): Recorded {
  const { evidencePath, item, fields, objections, source, context } = recording;
  const document = toObject(parseJson(readPrivateFile(evidencePath, 'the evidence')));
  if (document?.schemaVersion !== 3) {
    throw new GateError(`${evidencePath} is no evidence of schema v3: make one with \`gatehouse gate template --out\``);
  }
  if (document.deployedCommit !== context.commit) {
    throw new GateError(
      `${evidencePath} is about another commit: make a new one with \`gatehouse gate template --out\``,
    );
  }
  const before = toMembers(document[item]);
  const measured =
    source.how === 'measured' ? writeTranscript(recording, source, before, isRight(recording, document)) : null;
  const { endpoint, issuer, resource, commit } = context;
  const made = {
    ...(recording.partial ? before : {}),
    endpoint,
    issuer,
    resource,
    ...fields,
    passed: true,
    testedAt: measured?.testedAt ?? isoTime(context.now),
    commit,
    provenance: measured?.provenance ?? { how: 'attested', by: source.by },
  };
  const verdict = judgeItem(item, {
    ...context,
    document: { ...document, [item]: made },
    runs: readRuns(evidencePath),
    signature: { state: 'not-asked' },
  });
  const reasons = [...objections, ...(verdict.outcome === 'pass' ? [] : [verdict.because])];
  const passed = reasons.length === 0 && holds(verdict);
  writeJson(evidencePath, { ...document, [item]: { ...made, passed } });
  return { passed, because: reasons.join('; '), transcriptPath: measured?.file ?? null };
}

/** Whether the fields are correct, ignoring provenance. */
function isRight({ item, fields, objections, partial, context }: Recording, document: EvidenceContext['document']) {
  const { commit, now } = context;
  const { provenance: _, ...before } = partial ? toMembers(document?.[item]) : {};
  const seen = { ...before, ...fields, passed: true, testedAt: isoTime(now), commit };
  const minimum = { ...context, policy: 'declared', runs: new Map(), signature: { state: 'not-asked' } } as const;
  const verdict = judgeItem(item, { ...minimum, document: { ...document, [item]: seen } });
  return objections.length === 0 && verdict.outcome === 'pass';
}

/** Adds a transcript; the item lists the digests of all transcripts of its commit. */
function writeTranscript(
  { evidencePath, item, fields, objections, context }: Recording,
  { by, collector, transcript }: Extract<Source, { how: 'measured' }>,
  before: Readonly<Record<string, unknown>>,
  passed: boolean,
) {
  mkdirSync(transcriptFolder(evidencePath), { recursive: true, mode: 0o700 });
  const kept = readRuns(evidencePath).get(item) ?? [];
  const number = (kept.at(-1)?.number ?? 0) + 1;
  const file = transcriptPath(evidencePath, item, number);
  const { commit, endpoint, issuer, resource, now } = context;
  const tool = { tool: 'gatehouse', toolVersion: packageVersion() };
  writeJson(file, {
    item,
    collector,
    number,
    by,
    ...tool,
    commit,
    endpoint,
    issuer,
    resource,
    startedAt: isoTime(transcript.startedAt),
    endedAt: isoTime(now),
    processes: transcript.processes,
    steps: transcript.steps,
    fields,
    objections,
    passed,
  });
  const runs = readRuns(evidencePath).get(item) ?? [];
  const ofCommit = runs.filter(({ transcript: one }) => one.commit === commit);
  const named = toTexts(toMembers(before.provenance).attempts);
  const lost = before.commit === commit ? named.filter((digest) => !runs.some(({ sha256 }) => sha256 === digest)) : [];
  const attempts = [...lost, ...ofCommit.map(({ sha256 }) => sha256)];
  const rule = items.find(({ name }) => name === item);
  const counting = rule ? countingRuns(ofCommit, rule) : ofCommit;
  return {
    file,
    testedAt: counting.map(({ transcript: { endedAt } }) => String(endedAt)).sort()[0],
    provenance: { how: 'measured', by, ...tool, transcriptSha256: attempts.at(-1), attempts },
  };
}
