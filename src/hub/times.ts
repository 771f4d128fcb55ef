// The times of every feature. A table that none of them names is one whose times stay as they are.
import { agentTimes } from './agents/times.ts';
import { notificationTimes } from './ai/notifications/times.ts';
import { authTimes } from './auth/times.ts';
import { beaconTimes } from './beacons/times.ts';
import { chatTimes } from './chat/times.ts';
import type { FeatureTimes } from './clock/times.ts';
import { connectionTimes } from './connections/times.ts';
import { coverageTimes } from './coverage/times.ts';
import { detectionTimes } from './detection/times.ts';
import { deviceTimes } from './devices/times.ts';
import { lookUpTimes } from './enrichment/remote/times.ts';
import { sinkTimes } from './sink/times.ts';
import { threatTimes } from './threat/times.ts';

export const times: readonly FeatureTimes[] = [
  authTimes,
  agentTimes,
  connectionTimes,
  deviceTimes,
  detectionTimes,
  chatTimes,
  beaconTimes,
  coverageTimes,
  threatTimes,
  lookUpTimes,
  notificationTimes,
  sinkTimes,
];
