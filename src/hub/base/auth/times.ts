import type { FeatureTimes } from '../clock/times.ts';

export const authTimes: FeatureTimes = {
  tables: [
    {
      table: 'session',
      isSteady: true,
      stamps: ['created_at', 'last_seen_at'],
      deadlines: { expires_at: 'last_seen_at' },
    },
    {
      table: 'api_identity',
      isSteady: true,
      stamps: ['created_at', 'last_used_at', 'revoked_at'],
      deadlines: { expires_at: 'created_at' },
    },
  ],
};
