// The profile `resource-server`: which checks need a deployment of Gatehouse, and so do not apply to another MCP server.
import { type Check, notApplicable } from './check.ts';
import type { GateProfile } from './config.ts';

const audited = 'which limit stopped a request is read from the audit store of Gatehouse';
const ownTool = 'the tool set_device_note is one of Gatehouse';

/** Why a check does not apply, by its id or by the word before the dot. */
export const notApplicableReasons: Readonly<Record<string, string>> = {
  evidence: 'evidence is about a deployment of Gatehouse',
  hub: 'there is no hub of Gatehouse behind this endpoint',
  release: 'it needs the commit that Gatehouse was built from',
  audit: 'it needs the audit store of Gatehouse',
  'token.revoked': 'it needs the item revocation of the evidence',
  'metadata.root': 'the metadata of this resource is found under its path (RFC 9728 §3.1)',
  'proxy.paths': 'the paths are those of the hub of Gatehouse',
  'proxy.large-body': 'how large a body this endpoint takes is not known',
  'era.stream': 'it needs a server that sends the head of an answer before it calls the tool, as Gatehouse does',
  'scope.write-denied': ownTool,
  'scope.write-visible': ownTool,
  'scope.write-hidden': ownTool,
  'limit.concurrency': audited,
  'limit.subject': audited,
  'limit.client': audited,
  'limit.global': audited,
};

/** By check: what reports of this profile say instead, where the texts of the check are about Gatehouse. */
export const resourceServerTexts: Readonly<Record<string, Partial<Pick<Check<unknown>, 'asks' | 'remedy'>>>> = {
  'target.answers': {
    remedy:
      'let the proxy pass the path of the endpoint unchanged, with Host and without a login, redirect or error page of its own',
  },
  'metadata.path': {
    asks: 'the metadata under the path of the endpoint (RFC 9728 §3.1) is served over verified TLS and names resource, scope, and the issuer alone',
  },
  'proxy.pages': {
    remedy: 'refuse Origin headers of other sites with 403, and let the proxy set no Access-Control headers',
  },
  'era.sameTools': {
    asks: 'each era that the endpoint speaks lists its tools, each once; two eras list the same',
    remedy: 'compare the tools that the server registers in the two eras',
  },
  'scope.read': {
    asks: 'a read token calls a tool that only reads, in each era that the endpoint speaks, and the tool answers with something',
    remedy: 'look at the log of the server: the tool itself failed, or the token was refused',
  },
  'limit.burst': {
    remedy:
      'let the proxy or the server answer 429 with Retry-After to an address that asks too often; MCP_GATE_RATE_PROBE_REQUESTS must be above that limit',
  },
  'limit.address': {
    remedy:
      'let the proxy replace X-Forwarded-For by the address of the client, and the server trust this proxy alone; the gate needs a second address of its machine that the proxy sees (ip address add)',
  },
};

/** Returns the checks of a run under `profile`. `judges`, by check, replace how `resource-server` judges it. */
export function toProfileChecks<Input>(
  checks: readonly Check<Input>[],
  profile: GateProfile,
  judges: Readonly<Record<string, Check<Input>['judge']>> = {},
): readonly Check<Input>[] {
  return profile === 'publication'
    ? checks
    : checks.map((check) => {
        const reason = notApplicableReasons[check.id] ?? notApplicableReasons[check.id.replace(/\..*$/, '')];
        return reason === undefined
          ? { ...check, judge: judges[check.id] ?? check.judge }
          : { ...check, needs: [], judge: () => notApplicable(reason) };
      });
}
