// States of an alert.

export const alertStates = ['open', 'acknowledged', 'muted', 'expected', 'resolved'] as const;
export type AlertState = (typeof alertStates)[number];
