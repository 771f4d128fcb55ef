// Writes detections into a log without a hub around it, as the hub does.
import { findAlert, settleAlert } from '#hub/identify/detection/alerts/record.ts';
import { type Detected, insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import type { ConnectionLog } from './connection-log.ts';

/** Resolves to the id of the alert that the detection joins. */
export function recordDetection(log: ConnectionLog, detected: Detected): Promise<number> {
  return log.db.write((writer) => {
    const labels = readLabels(writer, detected);
    const found = findAlert(writer, detected, labels);
    insertDetection(writer, detected, labels, null, found.alertId);
    settleAlert(writer, found, detected.at);
    return found.alertId;
  });
}

/** Stores a beacon candidate of this flow. */
export function insertBeacon(log: ConnectionLog, flow: { src: string; dst: string; dport: number; proto: string }) {
  return log.db.write((writer) => {
    writer
      .prepare(
        `INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
         status) VALUES (@src, @dst, @dport, @proto, 1, 0, 1, 9, 1, 2, 3, 'candidate')`,
      )
      .run(flow);
  });
}
