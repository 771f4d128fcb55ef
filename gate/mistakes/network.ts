// Mistakes with names, addresses, ports and time.
import type { Mistake } from './mistake.ts';

export const networkMistakes: readonly Mistake[] = [
  {
    id: 'network.published-already',
    sentence: 'the name is in public DNS already',
    red: ['dns.absent'],
  },
  {
    id: 'network.published-ipv6',
    sentence: 'the name is in public DNS with an IPv6 address only',
    red: ['dns.absent'],
  },
  {
    id: 'network.published-alias',
    sentence: 'the name is in public DNS as an alias whose target is not there yet',
    red: ['dns.absent'],
  },
  {
    id: 'network.published-service-binding',
    sentence: 'the name is in public DNS with an HTTPS record only',
    red: ['dns.absent'],
  },
  {
    id: 'network.resolver-knows-nothing',
    sentence: 'the resolver says "no such name" to everything',
    red: ['dns.absent'],
  },
  {
    id: 'network.split-horizon',
    sentence:
      'the first resolver has the company’s own view, in which the name is not there; the second has the public one',
    red: ['dns.absent'],
  },
  {
    id: 'network.second-resolver-knows-nothing',
    sentence: 'one of two resolvers says "no such name" to everything',
    red: ['dns.absent'],
  },
  {
    id: 'network.resolver-fails',
    sentence: 'the resolver answers SERVFAIL',
    red: ['dns.absent'],
  },
  {
    id: 'network.resolver-refuses',
    sentence: 'the resolver does not answer strangers (REFUSED)',
    red: ['dns.absent'],
  },
  {
    id: 'network.resolver-not-there',
    sentence: 'nothing listens at the address of the resolver',
    red: ['dns.absent'],
  },
  {
    id: 'network.no-such-target',
    sentence: 'the name of the staged target does not resolve',
    red: ['target.resolves'],
  },
  {
    id: 'network.second-address-dead',
    sentence: 'the target has two addresses, and nothing listens at the second',
    red: ['target.certificate'],
  },
  {
    id: 'network.second-address-other-certificate',
    sentence: 'the proxy at the second address has another certificate',
    red: ['target.certificate'],
  },
  {
    id: 'network.second-address-other-service',
    sentence: 'the second address serves something else',
    red: ['target.answers', 'metadata.root', 'metadata.path'],
  },
  {
    id: 'network.second-address-not-enforcing',
    sentence: 'the endpoint at the second address accepts tokens that the first refuses',
    red: ['target.alike'],
  },
  {
    id: 'network.second-address-other-release',
    sentence: 'the endpoint at the second address is another release, with other tools',
    red: ['target.alike'],
  },
  {
    id: 'network.slow-everywhere',
    sentence: 'every answer takes so long that the whole run would take hours',
    red: [
      'target.answers',
      'metadata.root',
      'metadata.path',
      'proxy.paths',
      'proxy.plain-http',
      'hub.health',
      'hub.ready',
      'audit.integrity',
    ],
  },
  {
    id: 'network.other-ports-tried',
    sentence: 'the evidence is about ports that are not those of the hub and the MCP server',
    red: ['evidence.directIngress'],
  },
  {
    id: 'network.hub-open',
    sentence: 'the hub takes connections on the public address',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'network.mcp-open',
    sentence: 'the MCP server takes connections on the public address',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'network.harmless-port-tried',
    sentence: 'port 1 is tried, which nobody uses, while the hub is open',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'network.wrong-address',
    sentence: 'the ports of an address are tried that is not the host',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'network.stranger-at-the-address',
    sentence: 'another machine answers where the host should',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'network.live-at-limits',
    sentence: 'the name is published when the limits are to be exercised',
    red: [],
    collector: 'reverse-proxy-limits',
  },
  {
    id: 'network.live-at-client-runs',
    sentence: 'the name is published when clients are to be run',
    red: [],
    collector: 'client-runs',
  },
  {
    id: 'network.live-at-outage',
    sentence: 'the name is published when the outage of the keys is to be tried',
    red: [],
    collector: 'jwks-outage',
  },
  {
    id: 'network.live-at-ingress',
    sentence: 'the name is published when ports are to be tried',
    red: [],
    collector: 'direct-ingress',
  },
  {
    id: 'operator.cold-process-refuses-anyway',
    sentence: 'the cold process is started for another resource, and refuses the token without any outage',
    red: [],
    collector: 'jwks-outage',
  },
  {
    id: 'operator.outage-ended-early',
    sentence: 'the key set is in reach again before the experiment has ended',
    red: [],
    collector: 'jwks-outage',
  },
];
