// Holders of addresses. A router ends only its own tenures: the same address may be in use behind another router.
import { limits } from '#contract/limits.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';

export interface Tenure {
  id: number;
  device: number;
  mac: string | null;
  observerId: string;
  since: number;
  lastSeen: number;
}

export interface Claim {
  address: string;
  device: number;
  mac: string | null;
  observerId: string;
}

/** An address has a new holder. */
export interface HandOver {
  address: string;
  /** First instant that belongs to the new holder; null when there was none before. */
  since: number | null;
}

export function createTenures(writer: Writer, now: number, findName: (address: string) => string | null) {
  const find = writer.prepare(
    `SELECT id, device, mac, observer_id AS observerId, since, last_seen AS lastSeen
     FROM lease WHERE address = +? AND until IS NULL ORDER BY since, id`,
  );
  const insert = writer.prepare(
    'INSERT INTO lease (address, family, device, mac, observer_id, since, last_seen, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const touch = writer.prepare('UPDATE lease SET mac = ?, observer_id = ?, last_seen = ? WHERE id = ?');
  const end = writer.prepare('UPDATE lease SET until = ? WHERE id = ?');
  const open = (address: string) => find.all(address) as Tenure[];

  const rename = writer.prepare('UPDATE lease SET name = @name WHERE id = @id AND name IS NOT @name');
  return {
    /** Open tenures of `address`; the first is its holder. */
    open,
    /** Ends a tenure now. */
    end: (id: number) => void end.run(now, id),
    /** Names the address for this tenure. True when that changed. */
    name: (id: number, name: string) => rename.run({ id, name }).changes > 0,
    /** Records a tenure; returns the hand-over when it changed the holder. */
    hold({ address, device, mac, observerId }: Claim) {
      const all = open(address);
      const mine = all.find((one) => one.device === device && (one.mac === mac || one.mac === null || mac === null));
      const isOver = (one: Tenure) =>
        one !== mine && (one.observerId === observerId || now - one.lastSeen > limits.leaseAbandonedMs);
      const over = all.filter(isOver);
      const since = over.length === 0 ? now : Math.max(...over.map(({ lastSeen }) => lastSeen)) + 1;
      for (const one of over) {
        end.run(since, one.id);
      }
      if (mine) {
        touch.run(mac ?? mine.mac, observerId, now, mine.id);
        if (over.length === 0) {
          return null;
        }
      } else {
        insert.run(address, address.includes(':') ? 6 : 4, device, mac, observerId, since, now, findName(address));
      }
      const [before] = all;
      const [after] = open(address) as [Tenure];
      if (before?.id === after.id) {
        return null;
      }
      return { address, since: before === undefined ? null : since };
    },
  };
}
