// Stored transcripts: one numbered file for each run of a collector, in a folder next to the evidence.
import path from 'node:path';
import { namesIn } from '#kernel/files/files.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { parseJson } from '#kernel/text/json.ts';
import { toMembers, toObject, toTexts } from '../json.ts';
import { readPrivateFile } from '../private-file.ts';

export interface Run {
  /** Sequence number, from 1. */
  number: number;
  /** SHA-256 of the file, in hexadecimal digits. */
  sha256: string;
  /** Members of the JSON object; empty for other content. */
  transcript: Readonly<Record<string, unknown>>;
}

export function transcriptFolder(evidencePath: string): string {
  return `${evidencePath}.transcripts`;
}

export function transcriptPath(evidencePath: string, item: string, number: number): string {
  return path.join(transcriptFolder(evidencePath), `${item}.${number}.json`);
}

/**
 * Reads the runs by item from the files `ITEM.NUMBER.json`; ignores other files. Throws a GateError when other users
 * can access one of them.
 */
export function readRuns(evidencePath: string): Map<string, Run[]> {
  const runs = new Map<string, Run[]>();
  for (const name of namesIn(transcriptFolder(evidencePath))) {
    const [, item, digits] = /^([A-Za-z]{1,60})\.([1-9]\d{0,5})\.json$/.exec(name) ?? [];
    if (item !== undefined) {
      const number = Number(digits);
      const text = readPrivateFile(transcriptPath(evidencePath, item, number), 'the transcript');
      const run = { number, sha256: sha256(text), transcript: toMembers(parseJson(text)) };
      runs.set(item, [...(runs.get(item) ?? []), run]);
    }
  }
  for (const list of runs.values()) {
    list.sort((a, b) => a.number - b.number);
  }
  return runs;
}

/** Contradictions between the digests in `attempts` and the stored runs of an item. */
export function transcriptAttemptFaults(attempts: readonly string[], kept: readonly Run[], commit: unknown): string[] {
  const missing = attempts.filter((digest) => !kept.some((run) => run.sha256 === digest));
  const unnamed = kept.filter((run) => run.transcript.commit === commit && !attempts.includes(run.sha256));
  return [
    ...(missing.length > 0
      ? [`${missing.length} of ${attempts.length} transcript(s) it names are missing, or were changed`]
      : []),
    ...(unnamed.length > 0 ? [`${unnamed.length} run(s) of it are stored that it does not name`] : []),
  ];
}

/** The faults in the transcripts of a document, one sentence per item. */
export function transcriptFaults(document: unknown, runs: ReadonlyMap<string, readonly Run[]>): string[] {
  const { deployedCommit, ...items } = toMembers(document);
  return Object.entries(items).flatMap(([name, item]) => {
    const { how, attempts } = toMembers(toObject(item)?.provenance);
    const faults =
      how === 'measured' ? transcriptAttemptFaults(toTexts(attempts), runs.get(name) ?? [], deployedCommit) : [];
    return faults.map((fault) => `${name}: ${fault}`);
  });
}
