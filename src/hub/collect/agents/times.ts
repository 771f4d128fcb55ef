import { limits } from '#contract/limits.ts';
import type { FeatureTimes } from '../../base/clock/times.ts';

export const agentTimes: FeatureTimes = {
  tables: [
    { table: 'agent', isSteady: true, stamps: ['created_at', 'updated_at', 'revoked_at', 'rotated_at'] },
    { table: 'agent', stamps: ['last_seen_at'] },
    {
      table: 'agent_code',
      isSteady: true,
      stamps: ['created_at', 'burned_at', 'used_at'],
      deadlines: { expires_at: 'created_at' },
    },
    {
      table: 'agent_request',
      isSteady: true,
      stamps: ['created_at', 'claimed_at'],
      // The time of the approval is not stored.
      deadlines: { expires_at: 'created_at', collect_until: `(collect_until - ${limits.enrolmentRequestMs})` },
    },
    { table: 'agent_batch', stamps: ['received_at'] },
    { table: 'agent_observation', stamps: ['first_at', 'last_at'] },
    { table: 'agent_address', stamps: ['first_at', 'last_at'] },
    { table: 'router_session', stamps: ['first_seen', 'last_seen'] },
  ],
};
