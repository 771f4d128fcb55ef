import { limits } from '#contract/limits.ts';
import type { ClockCorrections } from '../../base/clock/times.ts';

export const agentTimes: ClockCorrections = {
  tables: [
    { table: 'agent', isSteady: true, timestamps: ['created_at', 'updated_at', 'revoked_at', 'rotated_at'] },
    { table: 'agent', timestamps: ['last_seen_at'] },
    {
      table: 'agent_code',
      isSteady: true,
      timestamps: ['created_at', 'burned_at', 'used_at'],
      deadlines: { expires_at: 'created_at' },
    },
    {
      table: 'agent_request',
      isSteady: true,
      timestamps: ['created_at', 'claimed_at'],
      // The time of the approval is not stored.
      deadlines: { expires_at: 'created_at', collect_until: `(collect_until - ${limits.enrolmentRequestMs})` },
    },
    { table: 'agent_batch', timestamps: ['received_at'] },
    { table: 'agent_observation', timestamps: ['first_at', 'last_at'] },
    { table: 'agent_address', timestamps: ['first_at', 'last_at'] },
    { table: 'router_session', timestamps: ['first_seen', 'last_seen'] },
  ],
};
