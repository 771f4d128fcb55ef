// A browser with a session of any role: OIDC logins make the lesser ones, and this writes what such a login would.
import path from 'node:path';
import type { Role } from '#contract/auth-records.ts';
import { createSessions } from '#hub/base/auth/sessions.ts';
import { createSignals } from '#hub/base/signals.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type Browser, createBrowser } from './actors.ts';
import type { Lab } from './lab.ts';

export async function browserAs(
  lab: Pick<Lab<never>, 'url' | 'clock' | 'dataDir'>,
  role: Role,
  headers: Record<string, string> = {},
): Promise<Browser> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  try {
    const sessions = createSessions({
      db,
      clock: lab.clock,
      signals: createSignals(createLog('hub', 'silent')),
      ttlMs: 86_400_000,
    });
    const about = {
      authMethod: 'oidc',
      role,
      subject: role,
      deviceLabel: null,
      userAgent: null,
      address: null,
    } as const;
    const { token, csrfToken } = await sessions.open(about, () => undefined);
    return createBrowser(lab.url, headers, { monitor_session: token, monitor_csrf: csrfToken });
  } finally {
    await db.close();
  }
}
