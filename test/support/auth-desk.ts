// The parts of authentication on a database and a settings file of their own, without a hub.
import path from 'node:path';
import { createAuditTrail } from '#hub/base/auth/audit.ts';
import { createIdentities } from '#hub/base/auth/credentials/identities.ts';
import { createSessions } from '#hub/base/auth/sessions.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { type CredentialName, createSignals } from '#hub/base/signals.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { createKey } from '#kernel/text/secret.ts';
import { collectLog } from './log-lines.ts';
import { ManualClock } from './manual-clock.ts';
import { writeNewDatabase } from './new-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type AuthDesk = ReturnType<typeof openAuthDesk>;

/** Sessions end after 30 days without use. `ended` grows by each credential whose end was signalled. */
export function openAuthDesk() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const db = new Db(file);
  const clock = new ManualClock();
  const { log, lines } = collectLog('warn');
  const signals = createSignals(log);
  const ended: CredentialName[] = [];
  signals.on('credentialRevoked', (credential) => ended.push(credential));
  const audit = createAuditTrail({ db, clock, log, key: 'k' });
  return {
    folder: folder.path,
    ...{ db, clock, log, lines, signals, ended, audit },
    document: openDocument(path.join(folder.path, 'monitor.json'), createKey()),
    sessions: createSessions({ db, clock, signals, ttlMs: 30 * 86_400_000 }),
    identities: createIdentities({ db, clock, signals }),
    async [Symbol.asyncDispose]() {
      await audit[Symbol.asyncDispose]();
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

/** A request of a client that sends neither credential nor body. */
export function requestOf(changed: Partial<RequestFacts> = {}): RequestFacts {
  return {
    ...{ id: 'one', method: 'POST', path: '/api/x', target: '/api/x', address: '203.0.113.1', host: 'hub.example' },
    ...{ isSecure: false, headers: {}, cookies: {} },
    ...changed,
  };
}
