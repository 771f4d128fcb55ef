// Records in the audit trail, at a start, that a configuration was applied as text while the hub was stopped.
import type { SettingsDocument } from '../../settings/document.ts';
import type { AuditTrail } from '../audit.ts';
import type { Sessions } from '../sessions.ts';

export interface AppliedConfigOptions {
  document: SettingsDocument;
  sessions: Pick<Sessions, 'revokeAll'>;
  audit: Pick<AuditTrail, 'record'>;
}

/** A crash between both writes makes the next start record it once more. */
export async function recordAppliedConfig({ document, sessions, audit }: AppliedConfigOptions): Promise<void> {
  const { applied } = document.current();
  if (applied === null) {
    return;
  }
  const revoked = applied.endsOidcSessions ? await sessions.revokeAll({ authMethod: 'oidc' }) : 0;
  await audit.record({
    type: 'config_applied',
    outcome: 'success',
    request: null,
    by: { method: null, actor: 'terminal', credential: null },
    metadata: { sections: applied.sections, appliedAt: applied.at, revoked },
  });
  document.update((all) => ({ ...all, applied: null }));
}
