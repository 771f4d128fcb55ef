// The three reputation services of the manual look-up: their requests and answers
// (docs/reference/wire-contract/4-endpoints.md#manual-look-up).
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { ProviderName, summaries } from '#contract/threat.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import type { Publisher } from '../feed-documents.ts';

export type Summary<N extends ProviderName> = z.output<(typeof summaries)[N]>;

export interface Provider<N extends ProviderName> {
  /** As people call it. */
  title: string;
  publisher: Publisher;
  /** Below the publisher's address; `ip` is canonical. */
  path(ip: string): string;
  keyHeader: string;
  /** `null` for an answer of an unexpected form. */
  read(answer: unknown): Summary<N> | null;
}

/** Longer than any text of theirs. */
const longest = 1000;
const text = z
  .string()
  .nullish()
  .transform((value) => (value == null ? null : visibleText(value, longest)));
const number = z
  .number()
  .nullish()
  .transform((value) => value ?? null);
const time = z
  .string()
  .nullish()
  .transform((value) => (value ? parseInstant(value) : null));
/** Of the last instant that a date can hold. */
const mostSeconds = 8_640_000_000_000;
const seconds = z
  .number()
  .nullish()
  .transform((value) => (value && Math.abs(value) <= mostSeconds ? value * 1000 : null));

/** Times without an offset are in UTC; fractions may be finer than milliseconds. */
function parseInstant(value: string): number | null {
  return parseIsoTime(value) ?? parseIsoTime(`${value}Z`);
}

const abuseIpDb = z.object({
  data: z.object({
    abuseConfidenceScore: number,
    totalReports: number,
    lastReportedAt: time,
    countryCode: text,
    isp: text,
    domain: text,
    usageType: text,
  }),
});

const virusTotal = z.object({
  data: z.object({
    attributes: z.object({
      last_analysis_stats: z.object({ malicious: number, suspicious: number, harmless: number, undetected: number }),
      reputation: number,
      country: text,
      network: text,
      as_owner: text,
      last_analysis_date: seconds,
    }),
  }),
});

const otx = z.object({
  reputation: number,
  country_code: text,
  asn: text,
  pulse_info: z.object({
    count: z.number(),
    pulses: z.array(z.object({ id: z.string(), name: z.string(), created: time, TLP: text })),
  }),
});

export const providers: { [N in ProviderName]: Provider<N> } = {
  rep_a: {
    title: 'AbuseIPDB',
    publisher: 'abuseipdb',
    path: (ip) => `api/v2/check?ipAddress=${encodeURIComponent(ip)}&maxAgeInDays=90`,
    keyHeader: 'key',
    read: (answer) => readInput(abuseIpDb, answer).data?.data ?? null,
  },
  rep_b: {
    title: 'VirusTotal',
    publisher: 'virustotal',
    path: (ip) => `api/v3/ip_addresses/${ip}`,
    keyHeader: 'x-apikey',
    read(answer) {
      const facts = readInput(virusTotal, answer).data?.data.attributes;
      if (!facts) {
        return null;
      }
      const { last_analysis_stats: stats, as_owner: owner, last_analysis_date: lastAnalysisAt } = facts;
      const { reputation, country, network } = facts;
      return { ...stats, reputation, country, network, owner, lastAnalysisAt };
    },
  },
  rep_c: {
    title: 'OTX',
    publisher: 'otx',
    path: (ip) => `api/v1/indicators/${ip.includes(':') ? 'IPv6' : 'IPv4'}/${ip}/general`,
    keyHeader: 'x-otx-api-key',
    read(answer) {
      const facts = readInput(otx, answer).data;
      return (
        (facts && {
          pulseCount: facts.pulse_info.count,
          reputation: facts.reputation,
          countryCode: facts.country_code,
          asn: facts.asn,
          pulses: facts.pulse_info.pulses.slice(0, limits.pulses).map(({ id, name, created, TLP }) => ({
            id: visibleText(id, longest),
            name: visibleText(name, limits.pulseName),
            created,
            tlp: TLP,
          })),
        }) ??
        null
      );
    },
  },
};
