// Whose destinations are not kept. The one place that reads the rules: who stores or derives anything asks here first.
import ipaddr from 'ipaddr.js';
import type { PrivacyRule } from '#contract/privacy.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Base } from '../../../base/feature.ts';

export interface Mark {
  /** Id of the device as shown, or the address while no device is known by it. Null: not counted here. */
  holder: string | null;
  tellThreats: boolean;
}

/** Returns the mark of a source address; null when the hub keeps where that source connects. */
export type FindMark = (src: string) => Mark | null;

export interface Marks {
  /** Returns the marks as they are now, for one batch of this router or Agent; for a followed log when `observer` is null. */
  open(observer: { routerId: string; kind: string } | null): FindMark;
  /** Whether a rule is set. Then samples of lines that were not understood are not kept either. */
  hasRules(): boolean;
  /** Ids of the rules that cover a device, by its id as shown. */
  findCovered(): Map<string, string[]>;
}

interface MarksOptions extends Pick<Base, 'db' | 'settings'> {
  /** Notes by device id. */
  notes: () => Readonly<Record<string, string>>;
}

interface Device {
  root: number;
  deviceId: string;
  firstSeen: number;
}

export function createMarks({ db, settings, notes }: MarksOptions): Marks {
  const readRules = () => settings.current().privacy.rules;
  const findHolder = (address: string) => {
    const row = db
      .prepare(
        `SELECT r.id AS root, r.device_id AS deviceId, r.first_seen AS firstSeen, l.mac
         FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root
         WHERE l.address = ? AND l.until IS NULL ORDER BY l.since, l.id LIMIT 1`,
      )
      .get(address);
    return (row as (Device & { mac: string | null }) | undefined) ?? null;
  };
  return {
    hasRules: () => readRules().length > 0,
    open(observer) {
      const rules = readRules();
      if (rules.length === 0) {
        return () => null;
      }
      const covers = createDeviceMatcher(db, rules, notes());
      const ranges = rules.flatMap((rule) =>
        rule.kind === 'range' ? [{ rule, cidr: ipaddr.parseCIDR(rule.value) }] : [],
      );
      const onDevice = observer?.kind === 'agent' ? findAgentDevice(db, observer.routerId) : null;
      const outers =
        observer === null || observer.kind === 'agent' ? new Set() : listTranslatedAddresses(db, observer.routerId);
      const waits = rules.some(({ kind }) => kind !== 'range');
      const find: FindMark = (source) => {
        const src = canonicalIp(source) ?? source;
        if (outers.has(src)) {
          // Another router stands behind this one, and only that one shows whose connection it is.
          return { holder: null, tellThreats: false };
        }
        const holder = onDevice ?? findHolder(src);
        const address = ipaddr.parse(src);
        const ofRange = ranges.filter(({ cidr }) => address.kind() === cidr[0].kind() && address.match(cidr));
        const found = [...ofRange.map(({ rule }) => rule), ...(holder ? covers(holder) : [])];
        // Nobody knows yet whose address it is: it may be a marked device's, so it counts as one until a table says.
        const isMarked = found.length > 0 || (holder === null && waits);
        return isMarked
          ? { holder: holder?.deviceId ?? src, tellThreats: found.some(({ tellThreats }) => tellThreats) }
          : null;
      };
      const known = new Map<string, Mark | null>();
      return (src) => {
        const before = known.get(src);
        const mark = before === undefined ? find(src) : before;
        known.set(src, mark);
        return mark;
      };
    },
    findCovered() {
      const covers = createDeviceMatcher(db, readRules(), notes());
      const roots = db.prepare(
        'SELECT id AS root, device_id AS deviceId, first_seen AS firstSeen FROM device WHERE merged_into IS NULL',
      );
      const found = (roots.all() as Device[]).map((device) => {
        const ofDevice = covers(device).map(({ id }) => id);
        return [device.deviceId, ofDevice] as const;
      });
      return new Map(found.filter(([, ids]) => ids.length > 0));
    },
  };
}

/** The rules of kinds `device` and `guests` that cover a device. */
function createDeviceMatcher(
  db: Pick<Base['db'], 'prepare'>,
  rules: readonly PrivacyRule[],
  notes: Readonly<Record<string, string>>,
): (device: Device & { mac?: string | null }) => PrivacyRule[] {
  const root = db.prepare(
    `SELECT d.root FROM device d WHERE d.device_id = @value
     UNION SELECT d.root FROM interface i JOIN device d ON d.id = i.device WHERE i.mac = @value`,
  );
  const named = rules.flatMap((rule) => {
    const roots = new Set(rule.kind === 'device' ? root.pluck().all({ value: rule.value }) : []);
    return rule.kind === 'device' ? [{ rule, roots }] : [];
  });
  const guests = rules.filter(({ kind }) => kind === 'guests');
  return (device) => [
    ...named.filter(({ rule, roots }) => roots.has(device.root) || device.mac === rule.value).map(({ rule }) => rule),
    ...guests.filter(({ since }) => device.firstSeen >= since && notes[device.deviceId] === undefined),
  ];
}

function findAgentDevice(db: Pick<Base['db'], 'prepare'>, agentId: string): (Device & { mac: null }) | null {
  const row = db
    .prepare(
      `SELECT r.id AS root, r.device_id AS deviceId, r.first_seen AS firstSeen, NULL AS mac
       FROM device_agent a JOIN device d ON d.id = a.device JOIN device r ON r.id = d.root WHERE a.agent_id = ?`,
    )
    .get(agentId);
  return (row as (Device & { mac: null }) | undefined) ?? null;
}

/** Returns the addresses to which other routers translate their sources. */
function listTranslatedAddresses(db: Pick<Base['db'], 'prepare'>, routerId: string): Set<unknown> {
  const rows = db.prepare(
    'SELECT a.address FROM router_address a JOIN observer o ON o.id = a.observer WHERE o.router_id <> ?',
  );
  return new Set(rows.pluck().all(routerId));
}
