// Judges a flow by the most severe indicator of its destination (docs/reference/wire-contract/3-records.md#32-threat).
import type { Threat } from '#contract/model.ts';
import type { Judge } from '../../record/connections/store/facts.ts';
import type { Grade } from './indicator.ts';
import { ipv4Number, parseIpv6Number } from './tables/ip-number.ts';
import { cidrKind, domainKind, ipv4Kind, ipv6Kind } from './tables/rows.ts';
import { findIpv4, findIpv6, findNames, indicatorAt, type Tables } from './tables/tables.ts';

export interface JudgeOptions {
  /** The tables in use; null before the first. */
  listed: () => Tables | null;
  /** The allow list of the operator. */
  allowed: () => Tables | null;
  /** Whether a client resolved `host` to `address`; otherwise the name is a claim of the owner of the address. */
  isObserved: (address: string, host: string) => boolean;
}

/** An address outranks a name, and a name a range. */
const kindRank: Readonly<Record<number, number>> = { [ipv6Kind]: 2, [ipv4Kind]: 2, [domainKind]: 1, [cidrKind]: 0 };

export function createJudge({ listed, allowed, isObserved }: JudgeOptions): Judge {
  return ({ dst, dport, host }) => {
    const tables = listed();
    if (!tables) {
      return null;
    }
    const narrowest = findNarrowestGroup(tables, dst);
    if (narrowest < 0 && host === null) {
      // The fast path: the destinations of nearly all flows are not listed.
      return null;
    }
    const name = host?.toLowerCase() ?? null;
    const best = { index: -1, score: 0, grade: 0 as Grade };
    const weigh = (index: number, isExact: boolean) => {
      const grade = (isExact ? tables.exact[index] : tables.loose[index]) as Grade;
      const score = grade * 10 + (isExact ? 5 : 0) + (kindRank[tables.kinds[index] ?? 0] ?? 0);
      if (grade > 0 && score > best.score) {
        Object.assign(best, { index, score, grade });
      }
    };
    for (let group = narrowest; group >= 0; group = tables.parents[group] ?? -1) {
      for (const index of listMembers(tables, group)) {
        const port = tables.ports[index] ?? 0;
        weigh(index, port === 0 || port === dport);
      }
    }
    if (name !== null) {
      for (const group of findNames(tables, name)) {
        const isAsked = isObserved(dst, name);
        for (const index of listMembers(tables, group)) {
          weigh(index, isAsked);
        }
      }
    }
    const exceptions = allowed();
    const isAllowed = best.index >= 0 && exceptions !== null && isListed(exceptions, dst, name);
    return best.index < 0 || isAllowed ? null : toThreat(tables, best.index, best.grade);
  };
}

/** Whether an address or its name is listed. */
export function isListed(tables: Tables, address: string, host: string | null): boolean {
  return findNarrowestGroup(tables, address) >= 0 || (host !== null && !findNames(tables, host).next().done);
}

function toThreat(tables: Tables, index: number, grade: Grade): Threat {
  const { feed, kind, value, port, tag, url } = indicatorAt(tables, index);
  return {
    level: grade === 2 ? 'danger' : 'warn',
    confidence: grade === 2 ? 'high' : 'low',
    source: feed,
    tag: tag || null,
    matchType: kind,
    matchValue: value,
    port: port || null,
    url: url || null,
  };
}

/** Returns the most specific group that contains `address`, or -1. */
function findNarrowestGroup(tables: Tables, address: string): number {
  const number = ipv4Number(address);
  return number < 0 ? findIpv6(tables, parseIpv6Number(address)) : findIpv4(tables, number);
}

function* listMembers({ groups }: Tables, group: number): Generator<number> {
  for (let index = groups[group] ?? 0; index < (groups[group + 1] ?? 0); index += 1) {
    yield index;
  }
}
