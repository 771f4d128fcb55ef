// Asks the hub for connections that contain a text: their number, and the newest ones.
import { ask, type Reply } from '../api/client.ts';

export interface LogMatches {
  rows: Reply<'GET /api/connections'>['connections'];
  totals: Readonly<Record<'fDst' | 'fOrg' | 'fSrc', number>>;
}

/** Rows of each field that are searched for names. */
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
