// What the hub says of the threat feeds, against the journal of their publishers.
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { feedProblem, parseAnswer } from '../invariants/feeds.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';

/** A document that was answered is unpacked, compared and stored. */
const settleMs = 15_000;
/** The journal is read each second: what the hub knew when it was asked may stand there later. */
const journalMs = 3000;

export interface FeedWatch {
  /** Lines of the journal, as they come. */
  read(lines: readonly string[]): void;
  look(): Promise<void>;
}

export function createFeedWatch(
  { hub, truths }: Pick<World, 'hub' | 'truths'>,
  checks: Checks,
  clock: Clock = systemClock,
): FeedWatch {
  const answered = new Map<string, { status: number; at: number }>();
  let presentSince = 0;
  return {
    read(lines) {
      for (const line of lines) {
        const answer = parseAnswer(line);
        if (answer) {
          answered.set(answer.path, { status: answer.status, at: clock.now() });
        }
      }
    },
    async look() {
      if (hub.absence() !== null || truths.of('hub').isDown) {
        return;
      }
      if (presentSince !== hub.presentSince()) {
        // What it had not stored when it was killed, and what a restore took away, is asked for again at its time.
        presentSince = hub.presentSince();
        answered.clear();
      }
      const dueAt = clock.now() - settleMs;
      const { feeds } = await hub.admin.threat.feeds({});
      await clock.sleep(journalMs);
      if (hub.absence() === null && hub.presentSince() === presentSince) {
        for (const feed of feeds) {
          checks.check('status', feedProblem(feed, answered, dueAt));
        }
      }
    },
  };
}
