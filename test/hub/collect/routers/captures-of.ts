// Captures of simulated routers: recorded, written, played by another simulator, and read from both.
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Replacement } from '#capture/anonymise.ts';
import { writeBundle } from '#capture/write-bundle.ts';
import { type Recording, recordRouter } from '#hub/collect/routers/capture/record.ts';
import { toBundle } from '#hub/collect/routers/capture/to-bundle.ts';
import type { Session, Snapshot } from '#hub/collect/routers/driver.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';

/** Ages that tables state as times of day are the same in each read when no time passes in it. */
export const frozenNow = () => Date.UTC(2026, 2, 1, 3);

export interface WrittenCapture {
  folder: string;
  recording: Recording;
  replacements: readonly Replacement[];
}

/** Captures the router into a new folder below `parent`. */
export async function captureRouter(router: RouterSimulator, parent: string): Promise<WrittenCapture> {
  const { user, password, enable } = router.credentials;
  const recording = await recordRouter({
    kind: router.kind,
    host: router.url.hostname,
    port: Number(router.url.port),
    user,
    password,
    enablePass: enable,
    legacyAlgorithms: true,
    pinnedHostFp: null,
    // The simulators answer at once; one of them is deaf for a moment.
    settleMs: router.settings.profile === 'rtx810-old' ? 100 : 20,
    signal: new AbortController().signal,
    now: frozenNow,
  });
  const { bundle, replacements, words } = toBundle(recording, user, [password, enable ?? '']);
  const folder = path.join(mkdtempSync(path.join(parent, 'capture-')), 'bundle');
  writeBundle(folder, bundle, replacements, words);
  return { folder, recording, replacements };
}

/** What a read shows, without the times at which it was read, and with each original replaced. */
export function toComparable(
  snapshot: Pick<Snapshot, 'sessions'> & Partial<Snapshot>,
  replacements: readonly Replacement[] = [],
) {
  const images = new Map(replacements.map(({ from, to }) => [from, to]));
  const image = (text: string) => images.get(text) ?? text;
  const toRow = ({ printedFrom: _from, printedTo: _to, ...session }: Session) => ({
    ...session,
    src: image(session.src),
    dst: image(session.dst),
    outerAddress: session.outerAddress && image(session.outerAddress),
  });
  return {
    sessions: snapshot.sessions.map(toRow),
    neighbours: snapshot.neighbours?.length,
    leases: snapshot.leases?.length,
    complete: snapshot.complete,
    declared: snapshot.declared,
    unparsed: snapshot.unparsed?.count,
    unsupported: snapshot.unsupported?.count,
    model: snapshot.model,
    notes: snapshot.notes,
  };
}
