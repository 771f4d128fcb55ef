// One detection: whether it is news, its row, and its alert, within the transaction of the caller.
import type { DetectionConfig } from '#contract/detection.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Telling } from '../../base/told-event.ts';
import { toDetectionEvent, toToldKind } from './alert-message.ts';
import type { MessageLinks } from './alerts/message-links.ts';
import { findAlert, settleAlert } from './alerts/record.ts';
import { type Detected, insertDetection, type Labels, readLabels } from './detection-log.ts';
import { hasRetroMatch } from './retro-flows.ts';

export interface RaiserOptions {
  clock: Pick<Clock, 'now'>;
  /** Read at every detection. */
  settings: () => DetectionConfig;
  telling: Pick<Telling, 'isTold' | 'put'>;
  links: Pick<MessageLinks, 'toAlert' | 'toAction'>;
}

/** A detection that is raised unless the same one was raised within the last `quietMs`. */
export interface Candidate {
  detected: Detected;
  /** With type and device, identifies what was detected: a destination, or the MAC address of a new device. */
  about: string;
  quietMs: number;
  /** True: it is logged, no message is sent, and a new alert begins as resolved. */
  isUntold?: boolean;
}

/** A row of the log, and the alert that it belongs to. */
export interface Logged {
  id: number;
  alertId: number;
}

/** A detection that is news. */
export interface Raised {
  /** Null when the settings exclude its type from the log. */
  logged: Logged | null;
}

export interface Raiser {
  /** Returns null for a repetition within `quietMs`, and for a threat that a retro-match is about to report. */
  raise(writer: Writer, candidate: Candidate): Raised | null;
  /** Starts the quiet time of this type, device and `about`. */
  markTold(writer: Writer, type: Detected['type'], device: string, about: string): void;
}

export function createRaiser({ clock, settings, telling, links }: RaiserOptions): Raiser {
  const markTold: Raiser['markTold'] = (writer, ...subject) => {
    writer
      .prepare(
        `INSERT INTO detection_told (type, device, dst, at) VALUES (?, ?, ?, ?)
         ON CONFLICT (type, device, dst) DO UPDATE SET at = excluded.at`,
      )
      .run(...subject, clock.now());
  };
  return {
    raise(writer, { detected, about, quietMs, isUntold }) {
      const { type, src, at } = detected;
      if (type === 'threat' && hasRetroMatch(writer, src, about)) {
        return null;
      }
      const subject = [type, src, about] as const;
      const now = clock.now();
      const last = writer
        .prepare('SELECT at FROM detection_told WHERE type = ? AND device = ? AND dst = ?')
        .get(...subject) as { at: number } | undefined;
      // A time that lies more than the quiet time ahead was stored before the clock was set back: ignore it.
      if (last && at < last.at + quietMs && last.at <= now + quietMs) {
        return null;
      }
      markTold(writer, ...subject);
      const kind = toToldKind(type);
      const to = settings()[kind];
      const news = { ...detected, at: now };
      const labels = readLabels(writer, detected);
      const key = [...subject, now].join('|');
      const mayTell = !isUntold && telling.isTold(kind, to.chat);
      const { logged, isQuiet } = to.history
        ? logDetection(writer, news, labels, { chatKey: mayTell ? key : null, isUntold })
        : { logged: null, isQuiet: false };
      if (mayTell && !isQuiet) {
        const { alertId } = logged ?? {};
        const link = alertId && links.toAlert(alertId);
        const actionLink = alertId && links.toAction(alertId, now);
        const told = toDetectionEvent(key, news, labels);
        const event = { ...told, ...(link && { link }), ...(actionLink && { actionLink }) };
        telling.put(writer, event, now, { toChat: to.chat });
      }
      return { logged };
    },
    markTold,
  };
}

/** Appends a row, which joins its alert. `isQuiet`: people know of the alert, or a rule keeps it quiet. */
function logDetection(
  writer: Writer,
  news: Detected,
  labels: Labels,
  { chatKey, isUntold = false }: { chatKey: string | null; isUntold: boolean | undefined },
) {
  const found = findAlert(writer, news, labels, isUntold);
  const id = insertDetection(writer, news, labels, chatKey, found.alertId);
  const isQuiet = !settleAlert(writer, found, news.at);
  return { logged: { id, alertId: found.alertId }, isQuiet };
}
