// Finds the addresses that an erasure looks for, and when each was an address of the device.
import ipaddr from 'ipaddr.js';
import type { PrivacyRule } from '#contract/privacy.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { HeldAddress } from './erase.ts';
import type { Marks } from './marks.ts';

/**
 * The addresses of a range, or those of the devices that a rule covers now. An address whose first holder is known is
 * that holder's from the beginning: its connections were seen before a neighbour table named it.
 */
export function listHeldAddresses(
  db: Pick<Db, 'prepare'>,
  rule: PrivacyRule,
  marks: Pick<Marks, 'findCovered'>,
): HeldAddress[] {
  if (rule.kind === 'range') {
    const [network, bits] = ipaddr.parseCIDR(rule.value);
    const addresses = db
      .prepare(
        'SELECT address FROM source UNION SELECT DISTINCT src FROM router_session UNION SELECT DISTINCT local_address FROM agent_observation',
      )
      .pluck()
      .all() as string[];
    return addresses
      .filter((address) => {
        const parsed = ipaddr.parse(address);
        return parsed.kind() === network.kind() && parsed.match(network, bits);
      })
      .map((address) => ({ address, from: 0, to: Number.MAX_SAFE_INTEGER }));
  }
  const deviceIds = [...marks.findCovered()].flatMap(([deviceId, ids]) => (ids.includes(rule.id) ? [deviceId] : []));
  return db
    .prepare(
      `SELECT l.address, iif(EXISTS (SELECT 1 FROM lease o WHERE o.address = l.address AND o.since < l.since), l.since, 0)
         AS "from", coalesce(l.until, ${Number.MAX_SAFE_INTEGER}) AS "to"
       FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root
       WHERE r.device_id IN (SELECT value FROM json_each(?))
       UNION ALL
       SELECT a.address, 0, ${Number.MAX_SAFE_INTEGER} FROM agent_address a JOIN agent g ON g.id = a.agent
         JOIN device_agent v ON v.agent_id = g.agent_id JOIN device d ON d.id = v.device JOIN device r ON r.id = d.root
       WHERE r.device_id IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.address = a.address AND l.device <> v.device)`,
    )
    .all(JSON.stringify(deviceIds), JSON.stringify(deviceIds)) as HeldAddress[];
}
