// Events as features put them into the outbox.
import type { ToldEvent } from '#hub/base/told-event.ts';

export function createToldEvent(key: string, at: number, changes: Partial<ToldEvent> = {}): ToldEvent {
  return { key, kind: 'threat', state: 'raised', level: 'warning', at, title: key, facts: [], ...changes };
}
