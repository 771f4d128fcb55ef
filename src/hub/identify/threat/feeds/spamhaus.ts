// Spamhaus DROP: hijacked ranges; one JSON object per line, the last one about the list (spamhaus.org/drop).
import { parseListedRange } from '../address.ts';
import type { DatedIndicator, Emit, Parsed } from '../indicator.ts';

/** Each entry is danger here; the settings decide the grade of a hit. */
export function parseSpamhaus(text: string, emit: Emit<DatedIndicator>): Parsed {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const about = parseMembers(lines.pop() ?? '');
  if (about.type !== 'metadata' || !Number.isSafeInteger(about.records)) {
    return { problem: 'its last line does not say how many records it has' };
  }
  if (about.records !== lines.length) {
    return { problem: `it has ${lines.length} records, and its end says ${about.records}` };
  }
  let bad = 0;
  for (const line of lines) {
    const { cidr, sblid } = parseMembers(line);
    const value = typeof cidr === 'string' ? parseListedRange(cidr) : null;
    if (value === null) {
      bad += 1;
      continue;
    }
    const tag = typeof sblid === 'string' ? sblid : '';
    const weight = { exact: 2, loose: 2, freshUntil: null } as const;
    emit({ feed: 'feed_drop', kind: 'cidr', value, port: 0, tag, url: '', ...weight });
  }
  return { rows: lines.length, bad };
}

/** Members of the JSON object in a line; none for anything else. */
function parseMembers(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
