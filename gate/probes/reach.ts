// The name must not be published yet, the staged target must be there, and describe itself over verified TLS.
import { Resolver } from 'node:dns/promises';
import { type Check, fail, pass, passUnless, untestable } from '../check.ts';
import { membersOf, textsOf } from '../json.ts';
import { resolveTarget } from '../target.ts';
import { headerOf, type ProbeContext } from './context.ts';

export const metadataPaths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];

const published: Check<ProbeContext> = {
  id: 'dns.absent',
  asks: 'the canonical name does not resolve in public DNS, neither A nor AAAA',
  category: 'publicDnsAbsent',
  remedy:
    'remove the public record: the gate judges what is not published yet; on a network with its own names, set MCP_GATE_DNS_SERVER to a public resolver',
  async judge({ config }) {
    const resolver = new Resolver({ timeout: config.MCP_GATE_TIMEOUT_MS, tries: 2 });
    if (config.MCP_GATE_DNS_SERVER !== undefined) {
      resolver.setServers([config.MCP_GATE_DNS_SERVER]);
    }
    const { hostname } = config.MCP_GATE_ENDPOINT.url;
    const found = await Promise.all([
      isAbsent(() => resolver.resolve4(hostname)),
      isAbsent(() => resolver.resolve6(hostname)),
    ]);
    if (found.includes(false)) {
      return fail('public DNS has an address for the name');
    }
    return found.includes(null) ? untestable('the resolver gave no answer; only "no such name" counts') : pass;
  },
};

/** No such name or no such record; `null` when the resolver did not say. */
async function isAbsent(ask: () => Promise<string[]>): Promise<boolean | null> {
  try {
    return (await ask()).length === 0;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? true : null;
  }
}

const target: Check<ProbeContext> = {
  id: 'target.resolves',
  asks: 'the staged target has an address',
  category: 'tlsAndMetadata',
  remedy: 'correct MCP_GATE_CONNECT_ADDRESS',
  async judge({ config }) {
    const addresses = await resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
    return addresses.length > 0 ? pass : fail('it has none');
  },
};

const metadataChecks = metadataPaths.map(
  (path, index): Check<ProbeContext> => ({
    id: index === 0 ? 'metadata.root' : 'metadata.path',
    asks: `${path} is served over verified TLS and names resource, both scopes, and the issuer alone`,
    category: 'tlsAndMetadata',
    needs: ['target.resolves'],
    remedy: 'let the proxy pass the path unchanged, with a certificate for the canonical name',
    async judge({ config, path: get }) {
      const answer = await get('metadata', path);
      const document = membersOf(answer.json);
      const scopes = textsOf(document.scopes_supported);
      const { authorization_servers: servers } = document;
      const count = Array.isArray(servers) ? servers.length : 0;
      return passUnless([
        ...(answer.status === 200 ? [] : [`it answers ${answer.status}`]),
        ...(/^application\/json\b/i.test(headerOf(answer, 'content-type')) ? [] : ['it is not application/json']),
        ...(document.resource === config.MCP_GATE_RESOURCE ? [] : ['resource is another text']),
        ...(textsOf(servers).includes(config.MCP_GATE_ISSUER) ? [] : ['the issuer is not listed']),
        ...(count > 1 ? [`${count} authorization servers are listed: clients may choose the wrong one`] : []),
        ...([config.MCP_GATE_READ_SCOPE, config.MCP_GATE_WRITE_SCOPE].every((scope) => scopes.includes(scope))
          ? []
          : ['a scope is not listed']),
      ]);
    },
  }),
);

export const reachChecks = [published, target, ...metadataChecks] as const;
