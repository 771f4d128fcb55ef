// Checks that the name is not published, and that the staged target serves its metadata over verified TLS.
import { type Check, fail, pass, passUnless, untestable } from '../check.ts';
import type { GateConfig } from '../config.ts';
import { toMembers, toTexts } from '../json.ts';
import { modern } from '../mcp-messages.ts';
import type { Answer } from '../target.ts';
import { getHeader } from './answer-headers.ts';
import { certificateFault } from './certificate.ts';
import type { ProbeContext } from './context.ts';
import { findStatusFault } from './status.ts';

const metadataRoot = '/.well-known/oauth-protected-resource';

/** Where the metadata of the resource may be: at the root, and with its path behind that (RFC 9728 §3.1). */
export function toMetadataPaths({ pathname }: URL): [root: string, path: string] {
  return [metadataRoot, `${metadataRoot}${pathname === '/' ? '' : pathname}`];
}

const published: Check<ProbeContext> = {
  id: 'dns.absent',
  asks: 'the canonical name is not in public DNS: no A, AAAA, CNAME or HTTPS record, says every resolver',
  category: 'publicDnsAbsent',
  remedy:
    'remove the public record: the gate judges what is not published yet; on a network with names of its own, set MCP_GATE_DNS_SERVER to public resolvers of two operators',
  async judge({ publication }) {
    const found = await publication();
    return found.state === 'absent' ? pass : (found.state === 'published' ? fail : untestable)(found.because);
  },
};

const target: Check<ProbeContext> = {
  id: 'target.resolves',
  asks: 'the staged target has an address',
  category: 'tlsAndMetadata',
  needs: ['dns.absent'],
  remedy: 'correct MCP_GATE_CONNECT_ADDRESS',
  async judge({ addresses }) {
    return (await addresses()).length > 0 ? pass : fail('it has none');
  },
};

const certificate: Check<ProbeContext> = {
  id: 'target.certificate',
  asks: 'every address of the target presents a trusted certificate of the canonical name, good for 24 hours more',
  category: 'tlsAndMetadata',
  needs: ['target.resolves'],
  remedy:
    'give the proxy the certificate of the canonical name with its whole chain, and renew it; MCP_GATE_CA_PATH trusts a private CA',
  async judge({ addresses, config, ca, now }) {
    const { url } = config.MCP_GATE_ENDPOINT;
    const all = await addresses();
    const faults = await Promise.all(
      all.map((address) => certificateFault({ address, url, ca, now, timeoutMs: config.MCP_GATE_TIMEOUT_MS })),
    );
    return passUnless(faults.flatMap((fault, index) => (fault === null ? [] : [at(index, all.length, fault)])));
  },
};

/**
 * Only the status is judged here, and that it is the endpoint that answers: the challenge is the business of
 * token.missing.
 */
const answers: Check<ProbeContext> = {
  id: 'target.answers',
  asks: 'the endpoint answers at every address of the target: 401 without a token, as JSON',
  category: 'tlsAndMetadata',
  needs: ['target.certificate'],
  remedy:
    'let the proxy pass /mcp unchanged to the endpoint, with Host and without a login, redirect or error page of its own',
  async judge({ everywhere }) {
    const found = await everywhere('reach', modern('tools/list'));
    return passUnless(
      found.flatMap((answer, index) =>
        [...findStatusFault(answer, 401), ...(answer.json === undefined ? ['the answer is no JSON'] : [])].map(
          (reason) => at(index, found.length, reason),
        ),
      ),
    );
  },
};

function at(index: number, of: number, reason: string): string {
  return of === 1 ? reason : `address ${index + 1} of ${of}: ${reason}`;
}

const metadataChecks = (['metadata.root', 'metadata.path'] as const).map(
  (id, index): Check<ProbeContext> => ({
    id,
    asks: `${metadataRoot}${index === 0 ? '' : '/mcp'} is served over verified TLS and names resource, both scopes, and the issuer alone`,
    category: 'tlsAndMetadata',
    needs: ['target.certificate'],
    remedy: 'let the proxy pass the path unchanged',
    async judge({ config, everywhere }) {
      const found = await everywhere('metadata', toMetadataPaths(config.MCP_GATE_ENDPOINT.url)[index] ?? '');
      return passUnless(
        found.flatMap((answer, at0) => metadataFaults(answer, config).map((reason) => at(at0, found.length, reason))),
      );
    },
  }),
);

function metadataFaults(answer: Answer, config: GateConfig): string[] {
  const document = toMembers(answer.json);
  const scopes = toTexts(document.scopes_supported);
  const { authorization_servers: servers } = document;
  const count = Array.isArray(servers) ? servers.length : 0;
  return [
    ...(answer.status === 200 ? [] : [`it answers ${answer.status}`]),
    ...(/^application\/json\b/i.test(getHeader(answer, 'content-type')) ? [] : ['it is not application/json']),
    ...(document.resource === config.MCP_GATE_RESOURCE ? [] : ['resource is another text']),
    ...(toTexts(servers).includes(config.MCP_GATE_ISSUER) ? [] : ['the issuer is not listed']),
    ...(count > 1 ? [`${count} authorization servers are listed: clients may choose the wrong one`] : []),
    ...([config.MCP_GATE_READ_SCOPE, config.MCP_GATE_WRITE_SCOPE].every(
      (scope) => scope === '' || scopes.includes(scope),
    )
      ? []
      : ['a scope is not listed']),
  ];
}

export const reachChecks: readonly Check<ProbeContext>[] = [published, target, certificate, answers, ...metadataChecks];
