// The profile `resource-server`: which checks need a deployment of Gatehouse, and so do not apply to another MCP server.
import { type Check, notApplicable } from './check.ts';
import type { GateProfile } from './config.ts';

const audited = 'which limit stopped a request is read from the audit store of Gatehouse';
const ownTool = 'the tool set_device_note is one of Gatehouse';

/** What a check would need, by its id or by the word before the dot. */
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

/** The same checks for a profile. `judges`: by id, how the profile `resource-server` judges a check otherwise. */
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
