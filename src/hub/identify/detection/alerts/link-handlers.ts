// Handlers of the links in messages: a look changes nothing, an action ends the link.
import { alertLimits } from '#contract/alert-limits.ts';
import type { Alert } from '#contract/alert-records.ts';
import type { alertRoutes } from '#contract/alerts.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../../../base/auth/principal.ts';
import type { Base } from '../../../base/feature.ts';
import { type Action, actOnAlert } from './actions.ts';
import { type MessageLinks, requireUnused } from './message-links.ts';
import { readAlert } from './queries.ts';

export interface LinkHandlersOptions extends Pick<Base, 'db' | 'clock'> {
  links: Pick<MessageLinks, 'open'>;
  /** Called after the commit with the alerts that changed. */
  onChanged: (ids: readonly number[]) => void;
}

type LinkHandlers = Pick<Handlers<typeof alertRoutes, Principal>, 'lookAtLink' | 'actByLink'>;

export function createLinkHandlers({ db, clock, links, onChanged }: LinkHandlersOptions): LinkHandlers {
  return {
    lookAtLink({ body }) {
      const now = clock.now();
      const link = links.open(body.token, now);
      requireUnused(db, link);
      return { alert: toLinkedAlert(readAlert(db, link.alertId, now)) };
    },
    async actByLink({ body: { token, action } }) {
      const now = clock.now();
      const link = links.open(token, now);
      const alert = await db.save((writer) => {
        requireUnused(writer, link);
        actOnAlert(writer, link.alertId, toAction(action, now), { actor: link.actor, now });
        return readAlert(writer, link.alertId, now);
      });
      onChanged([link.alertId]);
      return { success: true, alert: toLinkedAlert(alert) };
    },
  };
}

function toAction(name: 'acknowledge' | 'mute_day' | 'expect', now: number): Action {
  const covering = { note: null, scope: 'alert', device: undefined } as const;
  switch (name) {
    case 'acknowledge':
      return { name, note: null };
    case 'mute_day':
      return { name: 'mute', until: now + alertLimits.alertLinkMuteMs, ...covering };
    case 'expect':
      return { name, until: null, ...covering };
  }
}

/** Returns what the message told already, and the state. The reader has nothing but the link, so more is not shown. */
function toLinkedAlert({ kind, level, state, target, firstAt, lastAt, times, devices: [device] }: Alert) {
  const name = device ? (device.srcDnsName ?? device.srcMdnsName ?? device.src) : null;
  return { kind, level, state, target, firstAt, lastAt, times, device: name };
}
