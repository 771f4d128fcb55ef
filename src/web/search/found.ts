// Asks the log for a text: how many connections have it, and the newest of them.
import { ask, type Reply } from '../api/client.ts';

export interface LogMatches {
  rows: Reply<'GET /api/connections'>['connections'];
  totals: Readonly<Record<'fDst' | 'fOrg' | 'fSrc', number>>;
}

/** Rows that are looked at for names: of each field. */
const newest = '20';

export async function searchLog(
  wanted: string,
  period: { from: string; to: string },
  signal: AbortSignal,
): Promise<LogMatches | null> {
  if (wanted === '') {
    return null;
  }
  const list = (field: string, limit: string) =>
    ask('GET /api/connections', { query: { ...period, [field]: wanted, [`${field}Mode`]: 'contains', limit } }, signal);
  const [dst, org, src] = await Promise.all([list('fDst', newest), list('fOrg', newest), list('fSrc', '0')]);
  return {
    rows: [...dst.connections, ...org.connections],
    totals: { fDst: dst.total, fOrg: org.total, fSrc: src.total },
  };
}
