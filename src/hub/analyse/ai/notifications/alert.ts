// Makes the event that tells people of an analysis.
import { isoTime } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../../base/told-event.ts';
import { providerTitles } from '../choice.ts';
import type { Answer } from '../generations.ts';
import { parseCause, type ThreatRule } from './triggers.ts';

export interface Analysed {
  type: 'scheduled' | 'threat' | 'manual';
  cause: string;
  /** The period that it is about, epoch milliseconds. */
  from: number;
  to: number;
}

const causes: Readonly<Record<ThreatRule, string>> = {
  danger: 'connections to listed destinations',
  newDestination: 'new destinations',
  increase: 'more threats than before',
};

const names: Readonly<Record<Analysed['type'], string>> = {
  scheduled: 'Scheduled analysis',
  threat: 'Analysis after a threat',
  manual: 'Analysis on request',
};

export function createAnalysisEvent(key: string, { type, cause, from, to }: Analysed, answer: Answer): ToldEvent {
  const because = type === 'threat' ? parseCause(cause).map((rule) => causes[rule]) : [];
  return {
    key,
    kind: 'ai',
    state: 'raised',
    level: 'info',
    at: answer.generatedAt,
    title: names[type],
    facts: [
      { name: 'period', label: 'Period', value: `${formatMinute(from)} until ${formatMinute(to)}` },
      ...(because.length > 0 ? [{ name: 'because' as const, label: 'Because of', value: because.join(', ') }] : []),
      { name: 'writtenBy', label: 'Written by', value: `${providerTitles[answer.provider]}, ${answer.model}` },
    ],
    body: answer.text,
  };
}

function formatMinute(at: number): string {
  return isoTime(at).replace(/:\d\d\.\d+Z$/, 'Z');
}
