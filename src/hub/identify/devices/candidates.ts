// Merge candidates: scored when evidence changes, withdrawn while evidence speaks against them.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { compareProfiles, type Evidence, type Profile, togetherPolls } from './evidence.ts';
import { readHostName } from './host-name.ts';

interface Pending {
  id: number;
  a: number;
  b: number;
  together: number;
}

/** Scores all pairs that share a name or an identifier: nothing else reaches the score alone. */
export function* proposeMerges(writer: Writer, now: number): WriteSteps<void> {
  const profiles = yield* readProfiles(writer);
  const settled = readRejectedPairs(writer);
  const pending = new Map(readPending(writer).map((one) => [formatPairKey(one.a, one.b), one]));
  const save = createSave(writer, now);
  const pairs = new Map(
    [...listPairs([...profiles.values()])].map(([a, b]) => [formatPairKey(a.id, b.id), [a, b] as const]),
  );
  for (const { a, b } of pending.values()) {
    const one = profiles.get(a);
    const other = profiles.get(b);
    if (one && other) {
      pairs.set(formatPairKey(a, b), [one, other]);
    }
  }
  for (const [key, [one, other]] of pairs) {
    if (!settled.has(key)) {
      const known = pending.get(key);
      save(one, other, known, compareProfiles(one, other, known?.together ?? 0));
      yield;
    }
  }
}

/** Counts a poll for each pending pair of which both were active; `active` holds roots. True when it decides something. */
export function countTogether(writer: Writer, active: ReadonlySet<number>): boolean {
  const count = writer.prepare('UPDATE merge_candidate SET together = together + 1 WHERE id = ?');
  let isDecided = false;
  for (const { id, a, b, together } of readPending(writer)) {
    if (active.has(a) && active.has(b)) {
      count.run(id);
      isDecided ||= together + 1 === togetherPolls;
    }
  }
  return isDecided;
}

/** The device that this one probably is: the other end of its best pending candidate, if there is one. */
export function findProbableDevice(writer: Writer, device: number): string | null {
  const row = writer
    .prepare(
      `SELECT d.device_id AS deviceId FROM merge_candidate c
       JOIN device d ON d.id = CASE c.a WHEN @device THEN c.b ELSE c.a END
       WHERE (c.a = @device OR c.b = @device) AND c.status = 'pending' AND c.score >= @least
       ORDER BY c.score DESC, c.id LIMIT 1`,
    )
    .get({ device, least: limits.mergeScore }) as { deviceId: string } | undefined;
  return row?.deviceId ?? null;
}

function readPending(writer: Writer): Pending[] {
  return writer.prepare("SELECT id, a, b, together FROM merge_candidate WHERE status = 'pending'").all() as Pending[];
}

/** Pairs of roots of which some part was rejected as the same as some part of the other: not to be proposed again. */
function readRejectedPairs(writer: Writer): Set<string> {
  const rows = writer
    .prepare(
      `SELECT a.root AS a, b.root AS b FROM merge_candidate c JOIN device a ON a.id = c.a JOIN device b ON b.id = c.b
       WHERE c.status = 'rejected' AND a.root <> b.root`,
    )
    .all() as { a: number; b: number }[];
  return new Set(rows.map(({ a, b }) => formatPairKey(a, b)));
}

function createSave(writer: Writer, now: number) {
  const update = writer.prepare('UPDATE merge_candidate SET score = ?, reasons = ?, counter_reasons = ? WHERE id = ?');
  const insert = writer.prepare(
    `INSERT INTO merge_candidate (a, b, score, reasons, counter_reasons, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (a, b) DO NOTHING`,
  );
  return (one: Profile, other: Profile, known: Pending | undefined, evidence: Evidence) => {
    const { score } = evidence;
    const words = [JSON.stringify(evidence.reasons), JSON.stringify(evidence.counterReasons)];
    if (known) {
      update.run(score, ...words, known.id);
    } else if (score >= limits.mergeScore) {
      const [a, b] = one.deviceId < other.deviceId ? [one, other] : [other, one];
      insert.run(a.id, b.id, score, ...words, now);
    }
  };
}

function formatPairKey(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** A value shared by more devices than this is no evidence. */
const maxSharing = 8;

/** Pairs with a shared value; a pair may occur twice. */
function* listPairs(profiles: readonly Profile[]): Generator<[Profile, Profile]> {
  const byKey = new Map<string, Profile[]>();
  for (const profile of profiles) {
    for (const key of listKeys(profile)) {
      byKey.set(key, [...(byKey.get(key) ?? []).slice(0, maxSharing), profile]);
    }
  }
  for (const group of byKey.values()) {
    if (group.length <= maxSharing) {
      yield* group.flatMap((one, index) => group.slice(index + 1).map((other): [Profile, Profile] => [one, other]));
    }
  }
}

function listKeys({ clientIds, mdnsNames, dhcpNames }: Profile): Set<string> {
  const names = (kind: string, all: readonly string[]) =>
    all.map(readHostName).flatMap(({ stem, isGeneric }) => (isGeneric ? [] : [`${kind} ${stem}`]));
  return new Set([...[...clientIds].map((id) => `id ${id}`), ...names('mdns', mdnsNames), ...names('dhcp', dhcpNames)]);
}

interface ProfileRow {
  id: number;
  deviceId: string;
  firstSeen: number;
  lastSeen: number;
}

interface InterfaceRow {
  root: number;
  kind: string;
  vendor: string | null;
  clientId: string | null;
  mdnsName: string | null;
  dhcpName: string | null;
}

/** Every shown device with the values of all its parts. */
function* readProfiles(writer: Writer): WriteSteps<Map<number, Profile>> {
  const interfaces = Map.groupBy(
    writer
      .prepare(
        `SELECT d.root, i.kind, i.vendor, i.client_id AS clientId, i.mdns_name AS mdnsName, i.dhcp_name AS dhcpName
         FROM interface i JOIN device d ON d.id = i.device WHERE i.kind <> 'shared'`,
      )
      .all() as InterfaceRow[],
    ({ root }) => root,
  );
  yield;
  const addresses = Map.groupBy(
    writer
      .prepare(
        'SELECT d.root, l.address FROM lease l JOIN device d ON d.id = l.device WHERE l.family = 4 AND l.until IS NULL',
      )
      .all() as { root: number; address: string }[],
    ({ root }) => root,
  );
  yield;
  const roots = writer
    .prepare(
      `SELECT r.id, r.device_id AS deviceId, min(d.first_seen) AS firstSeen, max(d.last_seen) AS lastSeen
       FROM device r JOIN device d ON d.root = r.id WHERE r.root = r.id AND r.archived_at IS NULL GROUP BY r.id`,
    )
    .all() as ProfileRow[];
  const profiles = new Map<number, Profile>();
  for (const root of roots) {
    profiles.set(root.id, toProfile(root, interfaces.get(root.id) ?? [], addresses.get(root.id) ?? []));
    yield;
  }
  return profiles;
}

function toProfile(
  root: ProfileRow,
  interfaces: readonly InterfaceRow[],
  held: readonly { address: string }[],
): Profile {
  const words = (key: 'vendor' | 'clientId' | 'mdnsName' | 'dhcpName', counts = (_: InterfaceRow) => true) =>
    interfaces
      .filter(counts)
      .map((one) => one[key])
      .filter((word) => word !== null);
  return {
    ...root,
    isPrivate: interfaces.length > 0 && interfaces.every(({ kind }) => kind === 'private'),
    vendors: new Set(words('vendor', ({ kind }) => kind === 'stable')),
    clientIds: new Set(words('clientId')),
    mdnsNames: words('mdnsName'),
    dhcpNames: words('dhcpName'),
    subnets: new Set(held.map(({ address }) => address.slice(0, address.lastIndexOf('.')))),
  };
}
