// Evidence for and against two devices being one: a sum of weights, each with a sentence
// (docs/reference/device-evidence.md#weights).
import { hourMs } from '#kernel/time/time.ts';
import { createStatement, type Statement } from '../../base/statements.ts';
import { type HostName, readHostName } from './host-name.ts';

/** The compared values of a device. Instants are epoch milliseconds. */
export interface Profile {
  id: number;
  deviceId: string;
  /** Every interface has a locally administered MAC. False for a device without interfaces. */
  isPrivate: boolean;
  /** Vendors of its cards, by globally administered MACs: others have none. */
  vendors: ReadonlySet<string>;
  clientIds: ReadonlySet<string>;
  mdnsNames: readonly string[];
  dhcpNames: readonly string[];
  /** Network of each IPv4 address it holds, 24 bits. */
  subnets: ReadonlySet<string>;
  firstSeen: number;
  lastSeen: number;
}

export type Evidence = ReturnType<typeof compareProfiles>;

interface Point {
  weight: number;
  says: Statement;
}

/** Longest time between the last sign of the old MAC and the first of the new one. */
const handOverMs = 48 * hourMs;
/** Polls with both active after which they count as two devices. */
export const togetherPolls = 5;

/** `together`: polls in which both showed traffic from different addresses of one subnet. */
export function compareProfiles(one: Profile, other: Profile, together: number) {
  const mdns = findSameName(one.mdnsNames, other.mdnsNames);
  const dhcp = findSameName(one.dhcpNames, other.dhcpNames);
  const vendor = findShared(one.vendors, other.vendors);
  const points: Point[] = [];
  if (findShared(one.clientIds, other.clientIds) !== undefined) {
    points.push({ weight: 0.6, says: createStatement('pair_client_id', 'They use the same DHCP client identifier.') });
  }
  if (mdns) {
    const says = createStatement('pair_own_name', `Both call themselves "${mdns.stem}".`, { name: mdns.stem });
    points.push({ weight: 0.45, says });
  }
  if (dhcp) {
    const sentence = `Both requested an address with the name "${dhcp.stem}".`;
    points.push({ weight: 0.3, says: createStatement('pair_asked_name', sentence, { name: dhcp.stem }) });
  }
  if (hasTakenOver(one, other)) {
    const sentence = 'One randomised MAC disappeared, and the other appeared in the same network within two days.';
    points.push({ weight: 0.2, says: createStatement('pair_new_mac', sentence) });
  }
  if (points.length > 0 && vendor !== undefined) {
    const says = createStatement('pair_vendor', `Both network adapters were made by ${vendor}.`, { vendor });
    points.push({ weight: 0.1, says });
  }
  const isPair = [mdns, dhcp].some((name) => name?.namesInterface);
  const against: Point[] = [];
  if (together >= togetherPolls && !isPair) {
    const sentence = `Both were active at the same time, in ${together} polls.`;
    against.push({ weight: -0.6, says: createStatement('pair_active_together', sentence, { polls: together }) });
  }
  const sum = [...points, ...against].reduce((total, { weight }) => total + weight, 0);
  return {
    /** 0…1, two decimals. */
    score: Math.round(Math.min(1, Math.max(0, sum)) * 100) / 100,
    reasons: points.map(({ says }) => says),
    counterReasons: against.map(({ says }) => says),
  };
}

/** A common name with value as evidence: equal except for the word that names the interface. */
function findSameName(ours: readonly string[], theirs: readonly string[]): HostName | undefined {
  const names = theirs.map(readHostName);
  for (const mine of ours.map(readHostName)) {
    const match = mine.isGeneric ? undefined : names.find(({ stem }) => stem === mine.stem);
    if (match) {
      return { ...mine, namesInterface: mine.namesInterface || match.namesInterface };
    }
  }
  return undefined;
}

/** A device with a new private MAC: the old one was last heard before the new one was first, not long ago, nearby. */
function hasTakenOver(one: Profile, other: Profile): boolean {
  const [old, young] = one.firstSeen <= other.firstSeen ? [one, other] : [other, one];
  const gapMs = young.firstSeen - old.lastSeen;
  return (
    old.isPrivate &&
    young.isPrivate &&
    gapMs > 0 &&
    gapMs < handOverMs &&
    findShared(old.subnets, young.subnets) !== undefined
  );
}

function findShared(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): string | undefined {
  return [...ours].find((one) => theirs.has(one));
}
