// Mistakes in limits, audit and the hub behind the endpoint.
import type { Mistake } from './mistake.ts';

const otherHub = ['hub.answers', 'hub.requests'];
const rates = ['limit.subject', 'limit.client', 'limit.global'];
const peopleLimits = ['limit.client', 'limit.global'];

const hubs: readonly Mistake[] = [
  { id: 'operator.empty-second-hub', sentence: 'the endpoint asks an empty second hub', red: otherHub },
  {
    id: 'operator.second-hub-same-router',
    sentence: 'the endpoint asks a second hub that polls the same router',
    red: otherHub,
  },
  {
    id: 'operator.hub-copy',
    sentence: 'the endpoint asks a hub that runs on a copy of the data, as it was an hour ago',
    red: otherHub,
  },
  {
    id: 'operator.gate-asks-other-hub',
    sentence: 'MCP_GATE_MONITOR_URL names another hub than the endpoint has, and that one is healthy',
    red: otherHub,
  },
  {
    id: 'operator.hub-behind-cache',
    sentence: 'a cache between endpoint and hub gives the devices of an hour ago',
    red: otherHub,
  },
  {
    id: 'operator.hub-proxy-new-request-id',
    sentence: 'a proxy between endpoint and hub makes request ids of its own',
    red: ['hub.requests'],
  },
  {
    id: 'endpoint.devices-left-out',
    sentence: 'between endpoint and hub a filter leaves a device out',
    red: ['hub.answers'],
  },
];

const allowances: readonly Mistake[] = [
  {
    id: 'operator.global-limit-lifted',
    sentence: 'MCP_RATE_LIMIT_GLOBAL is 1000000',
    red: ['limit.global'],
  },
  { id: 'operator.subject-limit-lifted', sentence: 'MCP_RATE_LIMIT_SUBJECT is 1000000', red: ['limit.subject'] },
  { id: 'operator.client-limit-lifted', sentence: 'MCP_RATE_LIMIT_CLIENT is 1000000', red: ['limit.client'] },
  { id: 'operator.rate-limits-lifted', sentence: 'all three rate limits are 1000000', red: rates },
  { id: 'operator.concurrency-lifted', sentence: 'MCP_MAX_CONCURRENT is 1000000', red: ['limit.concurrency'] },
  {
    id: 'operator.limits-lifted',
    sentence: 'all rate limits and the limit of calls at once are lifted',
    red: ['limit.concurrency', ...rates],
  },
  {
    id: 'operator.limits-tenfold',
    sentence: 'all three rate limits are ten times the default: more than a burst of 70 can show',
    red: rates,
  },
  {
    id: 'operator.subject-above-client',
    sentence: 'one subject may ask more than its client: its limit never acts',
    red: ['limit.subject'],
  },
  {
    id: 'operator.burst-tokens-of-one-client',
    sentence: 'the tokens of MCP_GATE_LIMIT_TOKENS are those of one person',
    red: peopleLimits,
  },
  {
    id: 'operator.burst-token-expired',
    sentence: 'a token of MCP_GATE_LIMIT_TOKENS has expired',
    red: ['limit.concurrency', ...rates],
  },
  {
    id: 'operator.trust-proxy-unset',
    sentence: 'MCP_TRUST_PROXY is not set: all clients have the address of the proxy',
    red: ['limit.address'],
  },
  {
    id: 'operator.trusts-everybody',
    sentence: 'MCP_TRUST_PROXY covers every address, and the proxy adds to the X-Forwarded-For of its clients',
    red: ['limit.address'],
  },
  {
    id: 'proxy.keeps-forwarded-for',
    sentence: 'the proxy passes the X-Forwarded-For of its clients on',
    red: ['limit.address'],
  },
  {
    id: 'proxy.adds-forwarded-for',
    sentence: 'the proxy adds to X-Forwarded-For, and MCP_TRUST_PROXY names the network of the clients',
    red: ['limit.address'],
  },
];

const stores: readonly Mistake[] = [
  {
    id: 'operator.old-audit-store',
    sentence: 'MCP_GATE_AUDIT_DB_PATH names a copy of the store',
    red: ['audit.refusals', 'audit.success', 'limit.concurrency', ...rates],
  },
  {
    id: 'endpoint.subject-sha256',
    sentence: 'the audit has SHA-256 of the subject, without a key',
    red: ['audit.pseudonyms'],
  },
  {
    id: 'endpoint.subject-and-issuer-sha256',
    sentence: 'the audit has SHA-256 of issuer and subject, without a key',
    red: ['audit.pseudonyms'],
  },
  { id: 'endpoint.client-sha256', sentence: 'the audit has SHA-256 of the client', red: ['audit.pseudonyms'] },
  {
    id: 'endpoint.address-sha256-base64',
    sentence: 'the audit has SHA-256 of the client address, as base64url',
    red: ['audit.pseudonyms'],
  },
  { id: 'endpoint.address-plain', sentence: 'the audit has the address of the client', red: ['audit.pseudonyms'] },
  { id: 'endpoint.subject-plain', sentence: 'the audit has claims of the token', red: ['audit.pseudonyms'] },
  { id: 'endpoint.token-stored', sentence: 'the audit has the access token', red: ['audit.pseudonyms'] },
  { id: 'endpoint.token-sha256', sentence: 'the audit has SHA-256 of the access token', red: ['audit.pseudonyms'] },
  { id: 'endpoint.arguments-stored', sentence: 'the audit has arguments of the tools', red: ['audit.pseudonyms'] },
  {
    id: 'endpoint.empty-audit-key',
    sentence: 'the key of the pseudonyms is empty',
    red: ['audit.pseudonyms'],
  },
  {
    id: 'endpoint.second-table',
    sentence: 'the store keeps requests as they came in another table',
    red: ['audit.pseudonyms'],
  },
];

export const limitsMistakes: readonly Mistake[] = [...hubs, ...allowances, ...stores];
