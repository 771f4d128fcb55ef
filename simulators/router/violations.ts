// What a well-behaved poller never does to somebody's router. A test fails when the list is not empty.
import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/time/clock.ts';

export type ViolationKind =
  | 'not-read-only'
  | 'configuration-saved'
  | 'password-retried'
  | 'parallel-sessions'
  | 'overlapping-polls';

export interface Violation {
  at: number;
  kind: ViolationKind;
  detail: string;
}

export type Violations = ReturnType<typeof createViolations>;

export function createViolations(clock: Clock, onViolation: (violation: Violation) => void) {
  const list: Violation[] = [];
  const failed = new Set<string>();
  const add = (kind: ViolationKind, detail: string) => {
    const violation = { at: clock.now(), kind, detail };
    list.push(violation);
    onViolation(violation);
  };
  return {
    list: list as readonly Violation[],
    add,
    /** A secret was refused; the same one a second time is a violation. `where` is `login` or the command. */
    secretFailed(where: string, user: string, secret: string): void {
      const key = createHash('sha256').update(`${where}\0${user}\0${secret}`).digest('hex');
      if (failed.has(key)) {
        add('password-retried', `the same refused password was sent again at ${where}`);
      }
      failed.add(key);
    },
    clear() {
      list.length = 0;
      failed.clear();
    },
  };
}
