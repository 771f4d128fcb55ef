import type { ClockCorrections } from '../clock/times.ts';

export const authTimes: ClockCorrections = {
  tables: [
    {
      table: 'session',
      isSteady: true,
      timestamps: ['created_at', 'last_seen_at'],
      deadlines: { expires_at: 'last_seen_at' },
    },
    {
      table: 'api_identity',
      isSteady: true,
      timestamps: ['created_at', 'last_used_at', 'revoked_at'],
      deadlines: { expires_at: 'created_at' },
    },
  ],
};
