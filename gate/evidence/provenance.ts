// Checks the provenance of an item: measured by a collector, with transcripts, or attested by a named person when no
// collector exists. Measured fields must follow from the transcripts.
import { isDeepStrictEqual } from 'node:util';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { toMembers, toObject, toTexts } from '../json.ts';
import type { EvidenceContext, Item } from './context.ts';
import type { ItemRule } from './items.ts';
import { isName } from './name.ts';
import { type Run, transcriptAttemptFaults } from './transcripts.ts';

type Members = Readonly<Record<string, unknown>>;

const keys: Readonly<Record<string, readonly string[]>> = {
  measured: ['how', 'by', 'tool', 'toolVersion', 'transcriptSha256', 'attempts'],
  attested: ['how', 'by'],
};

export function provenanceFaults(rule: ItemRule, item: Item, context: EvidenceContext): string[] {
  if (item.provenance === undefined) {
    return context.policy === 'declared' ? [] : ['it does not say how it came about (provenance)'];
  }
  const provenance = toObject(item.provenance);
  const names = keys[String(provenance?.how)];
  if (!provenance || !names) {
    return ['provenance must say how: "measured" or "attested"'];
  }
  if (provenance.how === 'attested' && rule.collector !== null) {
    return [`provenance: it is measured with \`gate collect ${rule.collector}\`, and not attested`];
  }
  if (provenance.how === 'measured' && rule.collector === null) {
    return ['provenance: nothing measures it, a person attests it'];
  }
  const form = [
    ...(isDeepStrictEqual(Object.keys(provenance).sort(), [...names].sort())
      ? []
      : [`provenance must have ${names.join(', ')} and nothing else`]),
    ...(isName(provenance.by) ? [] : ['provenance.by must be the name of a person']),
  ];
  return form.length > 0 || provenance.how === 'attested' ? form : measuredFaults(rule, item, provenance, context);
}

function measuredFaults(rule: ItemRule, item: Item, provenance: Members, context: EvidenceContext): string[] {
  const attempts = toTexts(provenance.attempts);
  const kept = context.runs.get(rule.name) ?? [];
  if (attempts.length === 0 || attempts.at(-1) !== provenance.transcriptSha256) {
    return ['provenance.attempts must end with transcriptSha256'];
  }
  const faults = transcriptAttemptFaults(attempts, kept, context.commit);
  const runs = attempts.flatMap((digest) => kept.filter((run) => run.sha256 === digest).slice(0, 1));
  if (faults.length > 0 || runs.length === 0) {
    return faults;
  }
  const counting = countingRuns(runs, rule);
  const last = counting.at(-1)?.transcript ?? {};
  const ended = counting.map(({ transcript }) => parseInstant(transcript.endedAt));
  return [
    ...new Set(counting.flatMap(({ transcript }) => runFaults(rule, transcript, context))),
    ...(['by', 'tool', 'toolVersion'] as const).flatMap((name) =>
      last[name] === provenance[name] ? [] : [`provenance.${name} is not that of the transcript`],
    ),
    ...(parseInstant(item.testedAt) === Math.min(...ended) ? [] : ['testedAt is not that of the transcript']),
    ...fieldFaults(rule, item, counting),
  ];
}

/** The last complete run, and the partial runs after it. */
export function countingRuns(runs: readonly Run[], { partialCollectors = [] }: ItemRule): Run[] {
  const isPartial = ({ transcript }: Run) => partialCollectors.includes(String(transcript.collector));
  const whole = runs.findLastIndex((run) => !isPartial(run));
  return runs.slice(Math.max(whole, 0));
}

export function listObjections(counting: readonly Run[]): string[] {
  const last = new Map(counting.map(({ transcript }) => [transcript.collector, toTexts(transcript.objections)]));
  return [...last.values()].flat();
}

/** Whether a transcript belongs to this item, these settings and this commit, and is consistent. */
function runFaults(rule: ItemRule, transcript: Members, { commit, endpoint, issuer, resource }: EvidenceContext) {
  const { collector = '', partialCollectors = [] } = rule;
  const of = { item: rule.name, tool: 'gatehouse', commit, endpoint, issuer, resource };
  const processes = Array.isArray(transcript.processes) ? transcript.processes : [];
  return [
    ...Object.entries(of).flatMap(([name, value]) =>
      transcript[name] === value ? [] : [`its transcript is of another ${name}`],
    ),
    ...([collector, ...partialCollectors].includes(String(transcript.collector))
      ? []
      : ['its transcript is of another collector']),
    ...(isInOrder(transcript) ? [] : ['the times of its transcript are out of order, or it has no steps']),
    ...(processes.every((one) => one === commit)
      ? []
      : ['it started a process that was built from another commit, or does not say from which']),
    ...(rule.startsProcess && processes.length === 0 ? ['its transcript names no process that was started'] : []),
  ];
}

function isInOrder({ startedAt, steps, endedAt }: Members): boolean {
  const list = Array.isArray(steps) ? steps.map(toMembers) : [];
  const times = [startedAt, ...list.map(({ at }) => at), endedAt].map(parseInstant);
  return (
    list.length > 0 &&
    list.every(({ did, saw }) => typeof did === 'string' && typeof saw === 'string') &&
    times.every((at, index) => at >= (times[index - 1] ?? 0))
  );
}

/** Compares the fields of the item with those of its runs, where later runs override earlier ones. */
function fieldFaults(rule: ItemRule, item: Item, counting: readonly Run[]): string[] {
  const measured: Members = Object.assign({}, ...counting.map(({ transcript }) => toMembers(transcript.fields)));
  const changed = Object.keys(rule.fields).filter((name) => !isDeepStrictEqual(item[name], measured[name]));
  return [
    ...listObjections(counting).map(() => 'its transcript says why it must not pass'),
    ...(changed.length > 0 ? [`${changed.join(', ')}: the transcript says something else`] : []),
  ].filter((fault, index, all) => all.indexOf(fault) === index);
}

function parseInstant(value: unknown): number {
  return (typeof value === 'string' ? parseIsoTime(value) : null) ?? Number.NaN;
}
