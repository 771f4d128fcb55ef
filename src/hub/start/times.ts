// The columns with times of every feature, which are corrected after the clock was ahead. Other times stay as they are.

import { notificationTimes } from '../analyse/ai/notifications/times.ts';
import { beaconTimes } from '../analyse/beacons/times.ts';
import { authTimes } from '../base/auth/times.ts';
import type { ClockCorrections } from '../base/clock/times.ts';
import { agentTimes } from '../collect/agents/times.ts';
import { detectionTimes } from '../identify/detection/times.ts';
import { deviceTimes } from '../identify/devices/times.ts';
import { lookUpTimes } from '../identify/enrichment/remote/times.ts';
import { threatTimes } from '../identify/threat/times.ts';
import { outboxTimes } from '../notify/times.ts';
import { connectionTimes } from '../record/connections/times.ts';
import { coverageTimes } from '../record/coverage/times.ts';
import { sinkTimes } from '../record/sink/times.ts';

export const times: readonly ClockCorrections[] = [
  authTimes,
  agentTimes,
  connectionTimes,
  deviceTimes,
  detectionTimes,
  outboxTimes,
  beaconTimes,
  coverageTimes,
  threatTimes,
  lookUpTimes,
  notificationTimes,
  sinkTimes,
];
