// The limits of alerts and their rules.

export const alertLimits = {
  /** Alerts of a page, and alerts that one action may name. */
  alertsPage: 200,
  alertsAtOnce: 200,
  /** Devices, and ports, that an alert of a list names; its page names all. */
  alertDevices: 20,
  /** Characters of a note. */
  alertNote: 500,
  /** Events of an alert that its page shows. */
  alertEvents: 200,
  /** Rules that are not ended. */
  alertRules: 1000,
} as const;
