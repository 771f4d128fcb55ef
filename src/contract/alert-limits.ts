// The limits of alerts and their rules.

export const alertLimits = {
  /** Alerts of a page, and alerts that one action may name. */
  alertsPage: 200,
  alertsAtOnce: 200,
  /** Devices, and ports, of an alert in a list. GET /api/alerts/:id names all of them. */
  alertDevices: 20,
  /** Programs that GET /api/alerts/:id names. */
  alertPrograms: 20,
  alertNote: 500,
  /** Newest events of its history that GET /api/alerts/:id returns. */
  alertEvents: 200,
  alertRules: 1000,
  /** How long the link of a message works, and how long the mute lasts that it offers. */
  alertLinkMs: 604_800_000,
  alertLinkMuteMs: 86_400_000,
} as const;
