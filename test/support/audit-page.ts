// Reads the audit trail of parts that run without a hub, as its reader threads do.
import type { AuditTrail } from '#hub/base/auth/audit.ts';
import { auditQueries } from '#hub/base/auth/audit-queries.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';

interface Desk {
  audit: Pick<AuditTrail, 'settled'>;
  db: Db;
}

/** Resolves to a page of the events that were recorded so far. */
export async function readAuditPage({ audit, db }: Desk, query: Parameters<typeof auditQueries.auditPage>[1]) {
  await audit.settled();
  return auditQueries.auditPage(db, query);
}
