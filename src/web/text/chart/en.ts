// English of the chart of connections over time. Every other language has the same keys.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  asTable: 'Connections by time, as a table',
  brush: 'Select a part of the period: arrow keys select a bar, with Shift several bars, and Enter shows them',
  part: (from: string, to: string, facts: string) => `${from} to ${to}: ${facts}.`,
  connections: (count: number, shown: string) => `${shown} ${many(count, 'connection', 'connections')}`,
  unseen: 'not observed',
  alerts: (count: number, shown: string, kinds: string) => `${shown} ${many(count, 'alert', 'alerts')} (${kinds})`,
  hint: 'Enter shows it, Esc cancels.',
  oneBar: (length: string) => `One bar is ${length}.`,
  marks: { danger: 'Alert: danger', warn: 'Alert: warning' },
  marksLeft: (shown: string) => `Only the newest ${shown} alerts are marked.`,
  back: (period: string) => `Back to ${period}`,
  columns: { time: 'Start', connections: 'Connections', alerts: 'Alerts' },
} as const;

export type ChartDictionary = Same<typeof en>;
