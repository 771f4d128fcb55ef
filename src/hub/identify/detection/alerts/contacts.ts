// What the log of connections says of an alert: programs, routers, and since when its destinations are listed.

import { alertLimits } from '#contract/alert-limits.ts';
import type { AlertContacts } from '#contract/alert-records.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

/** Connections of the devices of the alert with its destinations. The order of the joins keeps to indexes. */
export const contactsSql = `WITH contact AS MATERIALIZED (
  SELECT f.id, f.process, f.observer_set_id
  FROM (SELECT DISTINCT src, dst FROM detection WHERE alert_id = @id AND dst IS NOT NULL) l
    CROSS JOIN source s ON s.address = l.src
    CROSS JOIN destination d ON d.address = l.dst
    CROSS JOIN flow f ON f.source_id = s.id AND f.destination_id = d.id
)`;

/** Returns the programs with the most connections first, the routers by name, the lists by name. */
export function readContacts(reader: Reader, id: number): AlertContacts {
  const programs = reader
    .prepare(
      `${contactsSql} SELECT process FROM contact WHERE process IS NOT NULL
       GROUP BY process ORDER BY count(*) DESC, process LIMIT ${alertLimits.alertPrograms}`,
    )
    .pluck()
    .all({ id }) as string[];
  const routers = reader
    .prepare(
      `${contactsSql} SELECT o.router_id AS id, coalesce(u.name, o.name) AS name
       FROM (SELECT DISTINCT observer_set_id AS id FROM contact) c JOIN observer_set t ON t.id = c.id,
         json_each('[' || t.members || ']') m JOIN observer o ON o.id = m.value
         LEFT JOIN coverage_subject u ON u.kind = 'router' AND u.key = o.router_id
       WHERE o.kind <> 'agent' GROUP BY o.id ORDER BY name, o.id`,
    )
    .all({ id }) as AlertContacts['routers'];
  const listedSince = reader
    .prepare(
      `${contactsSql} SELECT r.feed AS list, min(r.listed_at) AS at FROM contact JOIN retro_match r ON r.flow_id = contact.id
       WHERE r.cause <> 'settings' GROUP BY r.feed ORDER BY r.feed`,
    )
    .all({ id }) as AlertContacts['listedSince'];
  return { programs, routers, listedSince };
}
