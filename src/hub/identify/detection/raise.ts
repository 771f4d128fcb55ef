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

/** A detection that is raised unless the same one was raised within the last `quietMs`. */
export interface Candidate {
  detected: Detected;
  /** Identifies the detection among those of its type and device; mostly the destination. */
  about: string;
  quietMs: number;
  /** It is logged, and no alert is sent. */
  isUntold?: boolean;
}

/** A detection that is news. */
export interface Raised {
  /** The id of its row in the log; null when the settings exclude its type from the log. */
  id: number | null;
}

export interface Raiser {
  /** Returns null for a repetition within `quietMs`, and for a threat that a retro-match is about to report. */
  raise(writer: Writer, candidate: Candidate): Raised | null;
  /** Starts the quiet time of this type, device and `about`. */
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
      // A time that lies more than the quiet time ahead was stored before the clock was set back: ignore it.
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
