// Connections that live events told of since an instant: which were first seen then, and which were seen again.
import { useEffect, useState } from 'preact/hooks';
import { connectionId } from '../state/connection-id.ts';
import { onEvent } from '../state/live.ts';

export interface Fresh {
  /** First seen after the instant. */
  added: number;
  seenAgain: number;
  /** The events did not have every connection: there may be more. */
  isLeast: boolean;
}

const none = { isNew: new Map<string, boolean>(), isLeast: false };

/** Counts each connection once, whatever the filters. Starts anew with another `since`, epoch milliseconds. */
export function useFresh(since: number): Fresh {
  const [{ isNew, isLeast }, setTold] = useState(none);
  useEffect(() => {
    setTold(none);
    return onEvent('connections-update', ({ connections, truncated }) =>
      setTold((before) => ({
        isNew: new Map([
          ...before.isNew,
          ...connections.map((one) => [connectionId(one), one.firstSeen > since] as const),
        ]),
        isLeast: before.isLeast || truncated,
      })),
    );
  }, [since]);
  const added = [...isNew.values()].filter(Boolean).length;
  return { added, seenAgain: isNew.size - added, isLeast };
}
