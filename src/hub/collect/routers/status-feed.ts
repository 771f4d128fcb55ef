// Publishes changes of router status, at most once per turn of the event loop.
import type { LiveEventData } from '#contract/events.ts';
import { onlyChanges } from '#kernel/text/changes.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import type { Live } from '../../notify/live/live.ts';

type Routers = LiveEventData<'routers-status'>;

/** To be called whenever a status may have changed. `read` is asked for both public forms. */
export function createStatusFeed(live: Pick<Live, 'publish'>, read: (withUser: boolean) => Routers): () => void {
  const state = { isPlanned: false };
  const publish = onlyChanges((data: Routers) => {
    live.publish('routers-status', read(false), { needs: 'settings.write', data });
  });
  return () => {
    if (!state.isPlanned) {
      state.isPlanned = true;
      void yieldToEventLoop().then(() => {
        state.isPlanned = false;
        publish(read(true));
      });
    }
  };
}
