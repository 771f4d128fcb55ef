// Alerts of a seeded log: a thousand detections of two hundred destinations, spread over the two weeks.
import type { Threat } from '#contract/model.ts';
import { findAlert, settleAlert } from '#hub/identify/detection/alerts/record.ts';
import { type Detected, insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';

export const seededAlerts = { detections: 1000, causes: 200 } as const;

export interface Contact {
  src: string;
  dst: string;
}

const threat: Threat = {
  level: 'danger',
  confidence: 'high',
  source: 'feed_c2',
  tag: 'ExampleBot',
  matchType: 'ip',
  matchValue: '203.0.113.80',
  port: null,
  url: null,
};

/** `contactOf` names the device and the destination of a detection: of `causes` destinations. */
export async function seedAlerts(db: Db, start: number, end: number, contactOf: (index: number) => Contact) {
  const { detections } = seededAlerts;
  await db.write(function* (writer) {
    for (let index = 0; index < detections; index += 1) {
      const at = start + Math.floor(((end - start) * index) / detections);
      const detected: Detected = { type: 'threat', at, ...contactOf(index), dport: 443, proto: 'TCP', threat };
      const labels = readLabels(writer, detected);
      const found = findAlert(writer, detected, labels);
      insertDetection(writer, detected, labels, null, found.alertId);
      settleAlert(writer, found, at);
      yield;
    }
  });
}
