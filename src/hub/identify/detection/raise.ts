// One detection: whether it is news, its row, and its alert, within the transaction of the caller.
import type { DetectionConfig } from '#contract/detection.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { AlertChannel } from '../../base/chat-alert.ts';
import type { Base } from '../../base/feature.ts';
import { toDetectionAlert } from './alerts.ts';
import { type Detected, insertDetection, readLabels } from './detection-log.ts';
import { hasRetroMatch } from './retro-flows.ts';

export interface RaiserOptions extends Pick<Base, 'clock'> {
  /** Read at every detection. */
  settings: () => DetectionConfig;
  chat: Pick<AlertChannel, 'isReady' | 'put'>;
}

/** An alert, and how long the same is no news. */
export interface Candidate {
  detected: Detected;
  /** The part of the destination that identifies it. */
  about: string;
  quietMs: number;
  /** For the log alone. */
  isUntold?: boolean;
}

/** A detection that is news. */
export interface Raised {
  /** Of its row; null when it is not logged. */
  id: number | null;
}

export interface Raiser {
  /** Returns null when it is no news, and for the threat of a pair that is about to get a card. */
  raise(writer: Writer, candidate: Candidate): Raised | null;
  /** From now on, `about` is no news of this type and device. */
  markTold(writer: Writer, type: Detected['type'], device: string, about: string): void;
}

const switches = { threat: 'threat', new_device: 'newDevice', beacon: 'beacon', retro_match: 'retroMatch' } as const;

export function createRaiser({ clock, settings, chat }: RaiserOptions): Raiser {
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
      // A time further ahead than the quiet time is from before the clock was set back.
      if (last && at < last.at + quietMs && last.at <= now + quietMs) {
        return null;
      }
      markTold(writer, ...subject);
      const to = settings()[switches[type]];
      const labels = readLabels(writer, detected);
      const key = to.chat && !isUntold && chat.isReady() ? [...subject, now].join('|') : null;
      if (key !== null) {
        chat.put(writer, toDetectionAlert(key, { ...detected, at: now }, labels), now);
      }
      return { id: to.history ? insertDetection(writer, { ...detected, at: now }, labels, key) : null };
    },
    markTold,
  };
}
