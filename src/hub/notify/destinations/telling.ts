// Gives an event to the chat workspace and to each destination that wants its kind.
import type { Telling, ToldEvent } from '../../base/told-event.ts';
import type { ChatFeature } from '../chat/feature.ts';
import type { Destinations } from './destinations.ts';

export function createTelling(
  chat: Pick<ChatFeature, 'isReady' | 'tellsResolved' | 'put' | 'hasAny' | 'wake'>,
  destinations: Pick<Destinations, 'list' | 'running' | 'wake'>,
): Telling {
  const enabled = () => destinations.list().filter((record) => record.enabled);
  return {
    isTold: (kind, toChat = true) => (toChat && chat.isReady()) || enabled().some(({ tells }) => tells[kind]),
    tellsResolved: () => (chat.isReady() && chat.tellsResolved()) || enabled().some(({ tellResolved }) => tellResolved),
    put(writer, event, now, { toChat = true, after } = {}) {
      const isRaised = event.state === 'raised';
      if (toChat && chat.isReady() && (isRaised || chat.tellsResolved()) && (!after || chat.hasAny(writer, after))) {
        chat.put(writer, event, now);
      }
      for (const { id, tells, tellResolved } of enabled()) {
        const outbox = destinations.running(id)?.outbox;
        const isWanted = isKindWanted(event, tells) && (isRaised || tellResolved);
        if (outbox && isWanted && (!after || outbox.hasAny(writer, after))) {
          outbox.put(writer, event, now);
        }
      }
    },
    wake() {
      chat.wake();
      destinations.wake();
    },
  };
}

function isKindWanted({ kind }: ToldEvent, tells: Readonly<Record<string, boolean>>): boolean {
  return tells[kind] === true;
}
