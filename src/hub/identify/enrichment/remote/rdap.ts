// RDAP look-ups (RFC 9082, 9083): the holder of an address, at the registry that IANA lists for it (RFC 9224).
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isCountry } from '#contract/countries.ts';
import { limits } from '#contract/limits.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { HttpsJson } from './https-json.ts';
import type { LookUp } from './look-up.ts';

const bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

interface Entity {
  roles?: string[] | undefined;
  vcardArray?: [string, unknown[]] | undefined;
}

const entity: z.ZodType<Entity> = z.object({
  roles: z.array(z.string()).optional().catch(undefined),
  vcardArray: z
    .tuple([z.string(), z.array(z.unknown())])
    .optional()
    .catch(undefined),
});

const network = z.object({
  name: z.string().optional().catch(undefined),
  country: z.string().optional().catch(undefined),
  entities: z.array(entity).optional().catch(undefined),
});

interface Service {
  range: [ipaddr.IPv4 | ipaddr.IPv6, number];
  url: string;
}

export interface RdapOptions {
  clock: Clock;
  https: HttpsJson;
  /** Folder of ipv4.json and ipv6.json. */
  bootstrapUrl: string;
}

export function createRdapLookUp({ clock, https, bootstrapUrl }: RdapOptions): LookUp {
  const lists = new Map<string, { services: Service[]; until: number }>();

  const readServices = async (family: 'ipv4' | 'ipv6', signal: AbortSignal) => {
    const known = lists.get(family);
    if (known && known.until > clock.now()) {
      return known.services;
    }
    const url = new URL(`${family}.json`, bootstrapUrl.endsWith('/') ? bootstrapUrl : `${bootstrapUrl}/`).href;
    const parsed = readInput(bootstrap, await https.ask(url, { signal }));
    if (!parsed.success) {
      throw new Error(`${new URL(url).host} gives no list of registries`);
    }
    const services = parsed.data.services.flatMap(([ranges, urls]) => toServices(ranges, urls));
    lists.set(family, { services, until: clock.now() + limits.rdapBootstrapMs });
    return services;
  };

  return async (address, signal) => {
    const ip = ipaddr.parse(address);
    const base = findRegistry(ip, await readServices(ip.kind(), signal));
    if (base === null) {
      return { facts: {}, keepMs: limits.rdapKeptMs };
    }
    const url = new URL(`ip/${address}`, base.endsWith('/') ? base : `${base}/`).href;
    const answer = await https.ask(url, { headers: { accept: 'application/rdap+json' }, signal });
    return { facts: answer === null ? {} : parseFacts(url, answer), keepMs: limits.rdapKeptMs };
  };
}

/** Only registries with HTTPS. */
function toServices(ranges: readonly string[], urls: readonly string[]): Service[] {
  const url = urls.find((one) => one.startsWith('https://'));
  return url === undefined
    ? []
    : ranges.filter((range) => ipaddr.isValidCIDR(range)).map((range) => ({ range: ipaddr.parseCIDR(range), url }));
}

/** The longest matching range decides (RFC 9224 §5). */
function findRegistry(ip: ipaddr.IPv4 | ipaddr.IPv6, services: readonly Service[]): string | null {
  const [best] = services
    .filter(({ range: [first] }) => first.kind() === ip.kind())
    .filter(({ range }) => ip.match(range))
    .sort((a, b) => b.range[1] - a.range[1]);
  return best?.url ?? null;
}

function parseFacts(url: string, answer: unknown) {
  const parsed = readInput(network, answer);
  if (!parsed.success) {
    throw new Error(`${new URL(url).host} did not answer as a registry does`);
  }
  const { country, entities = [], name } = parsed.data;
  const registrant = entities.find(({ roles }) => roles?.includes('registrant'));
  const org = findFormattedName(registrant) ?? visibleText(name?.trim() ?? '', 120);
  const code = country?.toUpperCase() ?? '';
  return { country: isCountry(code) ? code : null, org: org || null };
}

/** The formatted name of a vCard: `["fn", {}, "text", "Example Ltd."]` (RFC 7095). */
function findFormattedName(found: Entity | undefined): string | null {
  const [, properties = []] = found?.vcardArray ?? [];
  const text = properties.find(
    (property): property is unknown[] => Array.isArray(property) && property[0] === 'fn',
  )?.[3];
  return typeof text === 'string' && text.trim() !== '' ? visibleText(text.trim(), 120) : null;
}
