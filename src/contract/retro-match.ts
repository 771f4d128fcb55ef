// Retro-matches: connections that ran before the hub knew their destination as listed.
import { z } from 'zod';
import { detectionLimits } from './detection-limits.ts';
import { threat } from './model.ts';

/** The change that made connections of the past a threat. Instants are epoch milliseconds. */
export const listChange = z.object({
  /**
   * `list`: documents of the feed changed. `feed_added`: before, none of its documents was in use, or not this one.
   * `settings`: the documents are the same, and are applied in another way: by a level, the allow list, or another
   * version of the program.
   */
  cause: z.enum(['list', 'feed_added', 'settings']),
  previousAt: z.int().nullable().describe('When the publisher confirmed the earlier list last; null: none was in use'),
  listedAt: z
    .int()
    .describe('When the list that has the destination was fetched; with settings that is before previousAt'),
});
export type ListChange = z.output<typeof listChange>;

/** What a card says: the connections of one device with one destination. */
export const retroMatch = z.object({
  flows: z.int().describe('Connections that the change made a threat'),
  /** The most severe and latest of them; `id` as `GET /api/connections/:id` takes it. */
  connections: z
    .array(z.object({ id: z.string(), firstSeen: z.int(), lastSeen: z.int() }))
    .max(detectionLimits.retroMatchConnections),
  firstSeen: z.int().describe('Of all of them'),
  lastSeen: z.int(),
  feed: threat.shape.source,
  ...listChange.shape,
  level: threat.shape.level,
  isOngoing: z
    .boolean()
    .describe(
      'There was traffic in the ten minutes before the card was made; in two poll intervals where these are longer',
    ),
});
export type RetroMatch = z.output<typeof retroMatch>;
