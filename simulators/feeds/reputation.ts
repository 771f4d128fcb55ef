// Answers of the three reputation services about one address, in the shape of each.
import { isIPv6 } from 'node:net';
import { isoTime } from '#kernel/time/clock.ts';
import { hash } from '../support/random.ts';

export const reputationServices = ['abuseipdb', 'virustotal', 'otx'] as const;
export type ReputationService = (typeof reputationServices)[number];

export interface Answer {
  status: number;
  body: unknown;
}

export const keyHeaders: Readonly<Record<ReputationService, string>> = {
  abuseipdb: 'key',
  virustotal: 'x-apikey',
  otx: 'x-otx-api-key',
};

/** The address a request is about; null when it is none that the service knows. */
export function askedAddress(service: ReputationService, path: string, query: URLSearchParams): string | null {
  switch (service) {
    case 'abuseipdb':
      return path === '/api/v2/check' ? query.get('ipAddress') : null;
    case 'virustotal':
      return decoded(/^\/api\/v3\/ip_addresses\/([^/]+)$/.exec(path)?.[1]);
    case 'otx': {
      const [, kind, ip] = /^\/api\/v1\/indicators\/(IPv[46])\/([^/]+)\/general$/.exec(path) ?? [];
      const address = decoded(ip);
      return address !== null && kind === (isIPv6(address) ? 'IPv6' : 'IPv4') ? address : null;
    }
  }
}

function decoded(text: string | undefined): string | null {
  return text === undefined ? null : decodeURIComponent(text);
}

export const keyRefusals: Readonly<Record<ReputationService, Answer>> = {
  abuseipdb: {
    status: 401,
    body: {
      errors: [
        { detail: 'Authentication failed. Your API key is either missing, incorrect, or revoked.', status: 401 },
      ],
    },
  },
  virustotal: { status: 401, body: { error: { code: 'WrongCredentialsError', message: 'Wrong API key' } } },
  otx: { status: 403, body: { detail: 'Authentication required' } },
};

/** Always the same for one address; `score` is 0 (nobody complains) to 100. */
export function reportReputation(service: ReputationService, ip: string, at: number): Answer {
  const score = hash('reputation', ip) % 101;
  const day = 86_400_000;
  switch (service) {
    case 'abuseipdb':
      return {
        status: 200,
        body: {
          data: {
            ipAddress: ip,
            isPublic: true,
            ipVersion: isIPv6(ip) ? 6 : 4,
            isWhitelisted: false,
            abuseConfidenceScore: score,
            countryCode: 'NL',
            usageType: 'Data Center/Web Hosting/Transit',
            isp: 'Example Hosting',
            domain: 'hosting.example',
            hostnames: [],
            isTor: false,
            totalReports: score * 3,
            numDistinctUsers: score,
            lastReportedAt: score > 0 ? isoTime(at - day).replace('.000Z', '+00:00') : null,
          },
        },
      };
    case 'virustotal':
      return {
        status: 200,
        body: {
          data: {
            id: ip,
            type: 'ip_address',
            attributes: {
              last_analysis_stats: { malicious: score, suspicious: 1, harmless: 60, undetected: 30, timeout: 0 },
              reputation: -score,
              country: 'NL',
              network: `${ip}/32`,
              as_owner: 'Example Hosting',
              asn: 64_496,
              last_analysis_date: Math.floor((at - day) / 1000),
            },
          },
        },
      };
    case 'otx':
      return {
        status: 200,
        body: {
          indicator: ip,
          type: isIPv6(ip) ? 'IPv6' : 'IPv4',
          reputation: 0,
          country_code: 'NL',
          asn: 'AS64496 Example Hosting',
          pulse_info: {
            count: score,
            pulses: Array.from({ length: Math.min(score, 10) }, (_, index) => ({
              id: `5f0c${String(index).padStart(20, '0')}`,
              name: `Campaign ${index + 1} ${'x'.repeat(index * 40)}`,
              created: isoTime(at - (index + 1) * day).replace('Z', '000'),
              TLP: 'white',
            })),
          },
        },
      };
  }
}
