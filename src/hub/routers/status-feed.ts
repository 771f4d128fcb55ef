// Publishes the status of the routers: once per turn of the event loop, however much changed in it, and only what is new.
import type { LiveEventData } from '#contract/events.ts';
import { yieldToEventLoop } from '#kernel/clock.ts';
import type { Live } from '../live/live.ts';

type Routers = LiveEventData<'routers-status'>;

/** To be called whenever a status may have changed. `read` is asked for both public forms. */
export function createStatusFeed(live: Pick<Live, 'publish'>, read: (withUser: boolean) => Routers): () => void {
  const state = { isPlanned: false, published: '' };
  return () => {
    if (state.isPlanned) {
      return;
    }
    state.isPlanned = true;
    void yieldToEventLoop().then(() => {
      state.isPlanned = false;
      const fuller = read(true);
      const text = JSON.stringify(fuller);
      if (text !== state.published) {
        state.published = text;
        live.publish('routers-status', read(false), { needs: 'settings.write', data: fuller });
      }
    });
  };
}
