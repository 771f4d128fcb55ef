// Reads vendor_a's short forms: which NAT descriptors exist, and how full a table is.
import { parseBlock, parseCount } from './nat.ts';

export interface DescriptorSummary {
  descriptor: string;
  interfaceName: string;
  /** Entries it declares; `null` when it gives no number. */
  sessions: number | null;
}

/** Reads `show nat descriptor address`: one entry for each descriptor and interface. */
export function parseDescriptorSummary(lines: readonly string[]): DescriptorSummary[] {
  const found: DescriptorSummary[] = [];
  for (const line of lines) {
    const block = parseBlock(line);
    const last = found.at(-1);
    const count = parseCount(line);
    if (block) {
      found.push({ ...block, sessions: null });
    } else if (last && count !== null) {
      last.sessions = (last.sessions ?? 0) + count;
    }
  }
  return found;
}

export interface MasqueradeSummary {
  interfaceName: string;
  descriptor: string;
  outer: string;
  current: number;
  max: number;
  peak: number | null;
}

/** Reads `show nat descriptor masquerade session N summary`: `LAN2(1)  1000 203.0.113.24  319/ 65534  3001`. */
export function parseMasqueradeSummary(lines: readonly string[]): MasqueradeSummary[] {
  const found: MasqueradeSummary[] = [];
  for (const line of lines) {
    const parts = /^\s*(\S+)\s+(\d{1,10})\s+(\S+)\s+(\d{1,9})\s*\/\s*(\d{1,9})(?:\s+(\d{1,9}))?\s*$/.exec(line);
    if (parts) {
      const [, interfaceName = '', descriptor = '', outer = '', current, max, peak] = parts;
      const numbers = { current: Number(current), max: Number(max), peak: peak === undefined ? null : Number(peak) };
      found.push({ interfaceName, descriptor, outer, ...numbers });
    }
  }
  return found;
}
