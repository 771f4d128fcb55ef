// A measured or attested item into the evidence file. It passes only when its own rule, with nothing else, says so.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { isoTime } from '#kernel/clock.ts';
import { sha256 } from '#kernel/digest.ts';
import { writeJson } from '#kernel/files.ts';
import { packageVersion } from '#kernel/version.ts';
import { holds } from '../check.ts';
import type { EvidenceContext } from '../evidence/context.ts';
import { judgeItem } from '../evidence/rules.ts';
import { membersOf, objectOf, parseJson } from '../json.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import type { Step } from './transcript.ts';

export interface Recording {
  evidencePath: string;
  item: string;
  fields: Readonly<Record<string, unknown>>;
  /** Why it must not pass, whatever the fields say. */
  objections: readonly string[];
  /** Fields of an earlier run are kept beside these. */
  partial: boolean;
  provenance: { how: 'measured'; steps: readonly Step[] } | { how: 'attested'; by: string };
  context: Omit<EvidenceContext, 'document' | 'signature'>;
}

export interface Recorded {
  passed: boolean;
  /** Why it did not; empty when it did. */
  because: string;
  /** Where the transcript lies; null for what a person attests. */
  transcriptPath: string | null;
}

/** Replaces the item, also one that passed before: what was seen last counts. */
export function recordItem(recording: Recording): Recorded {
  const { evidencePath, item, fields, context } = recording;
  const document = objectOf(parseJson(readPrivateFile(evidencePath, 'the evidence')));
  if (document?.schemaVersion !== 3) {
    throw new GateError(`${evidencePath} is no evidence of schema v3: make one with \`gatehouse gate template --out\``);
  }
  if (document.deployedCommit !== context.commit) {
    throw new GateError(
      `${evidencePath} is about another commit: make a new one with \`gatehouse gate template --out\``,
    );
  }
  const before = recording.partial ? membersOf(document[item]) : {};
  const transcript =
    recording.provenance.how === 'measured' ? writeTranscript(recording, recording.provenance.steps) : null;
  const provenance =
    recording.provenance.how === 'attested'
      ? recording.provenance
      : { how: 'measured', tool: 'gatehouse', toolVersion: packageVersion(), transcriptSha256: transcript?.digest };
  const made = {
    ...before,
    ...fields,
    passed: true,
    testedAt: isoTime(context.now),
    commit: context.commit,
    provenance,
  };
  const verdict = judgeItem(item, {
    ...context,
    document: { ...document, [item]: made },
    signature: { state: 'not-asked' },
  });
  const reasons = [...recording.objections, ...(verdict.outcome === 'pass' ? [] : [verdict.because])];
  const passed = reasons.length === 0 && holds(verdict);
  writeJson(evidencePath, { ...document, [item]: { ...made, passed } });
  return { passed, because: reasons.join('; '), transcriptPath: transcript?.file ?? null };
}

/** Beside the evidence, in a folder of its own; the item holds its digest. */
function writeTranscript({ evidencePath, item }: Recording, steps: readonly Step[]): { file: string; digest: string } {
  const folder = `${evidencePath}.transcripts`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${item}.json`);
  writeJson(file, steps);
  return { file, digest: sha256(`${JSON.stringify(steps, null, 2)}\n`) };
}
