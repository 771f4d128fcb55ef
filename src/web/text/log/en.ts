// English of the log. Every other language has the same keys, and functions with the same parameters.
import type { Same } from '../en.ts';

export const en = {
  only: 'only this',
  not: 'not this',
  notDestination: 'Not this destination',
  note: 'Note',
  noteFailed: 'The note could not be loaded.',
  lookUp: {
    title: 'Ask a reputation service',
    leaves: (address: string) =>
      `What leaves this network: the address ${address} and your key, to each service that you choose, and nothing else. They learn that somebody asks about it.`,
    to: {
      rep_a: 'AbuseIPDB (api.abuseipdb.com)',
      rep_b: 'VirusTotal (www.virustotal.com)',
      rep_c: 'OTX (otx.alienvault.com)',
    },
    names: { rep_a: 'AbuseIPDB', rep_b: 'VirusTotal', rep_c: 'OTX' },
    noKey: 'no key, so it cannot be asked.',
    addKey: 'Save one in the settings',
    send: (address: string) => `Send ${address}`,
    none: 'Choose a service first.',
    fresh: (age: string) => `answered ${age}`,
    cached: (age: string) => `answered ${age}, not asked again`,
    empty: 'It reports nothing about this address. That does not say that the address is harmless.',
    failures: {
      key_missing: () => 'It has no key. Save one in the settings.',
      cooldown: (wait: string) => `It was asked a moment ago and is asked again in ${wait} at the earliest.`,
      key_rejected: () => 'It refused the key. Save another one in the settings.',
      upstream_limit: (wait: string) => `Its limit is used up. It can be asked again in ${wait}.`,
      upstream_failed: () => 'It did not answer as it should. Try again later.',
    },
    facts: {
      abuseConfidenceScore: 'Abuse score, of 100',
      totalReports: 'Reports',
      lastReportedAt: 'Last report',
      countryCode: 'Country',
      country: 'Country',
      isp: 'Provider',
      domain: 'Domain',
      usageType: 'Use',
      malicious: 'Scanners: malicious',
      suspicious: 'Scanners: suspicious',
      harmless: 'Scanners: harmless',
      undetected: 'Scanners: nothing found',
      reputation: 'Reputation',
      network: 'Network',
      owner: 'Owner',
      lastAnalysisAt: 'Last analysis',
      pulseCount: 'Reports that name it',
      asn: 'Owner',
      pulses: 'Latest of them',
    },
  },
} as const;

export type LogDictionary = Same<typeof en>;
