// Which detections need a look: one for each device and destination, the latest first.
import type { Reply } from '../api/client.ts';

export type Detection = Reply<'GET /api/notification-log'>['logs'][number];

export function urgent(detections: readonly Detection[]): Detection[] {
  const seen = new Set<string>();
  return detections.filter(({ type, src, dst }) => {
    const key = `${src} ${dst}`;
    const isFirst = !seen.has(key);
    if (type !== 'new_device') {
      seen.add(key);
    }
    return type !== 'new_device' && isFirst;
  });
}
