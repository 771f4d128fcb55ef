// The limits of upsget: those of docs/reference/ups-reader.md#8-limits, and additional ones. Durations are in
// milliseconds.

export const limits = {
  uiPort: 6547,
  mqttPort: 1883,
  /** MQTT over TLS, as registered with IANA. */
  mqttsPort: 8883,
  trapperPort: 10_051,
  /** One HTTP request, from the first byte sent to the last byte read. */
  requestMs: 30_000,
  /** Session timeout of the product; a reading must end before. */
  sessionMs: 900_000,
  /** The whole cleanup; reserved at the end of the session. */
  cleanupMs: 15_000,
  /** One request of the cleanup: an unreachable UPS must not block the exit. */
  cleanupRequestMs: 5_000,
  /** From a signal to the exit. */
  interruptedMs: 5_000,
  /** Grace period after a signal for a request that changes the UPS: only its response shows what to undo. */
  graceMs: 2_000,
  /** One request of the cleanup after a signal; the grace period fits three. */
  hurriedRequestMs: 1_500,
  lockWaitMs: 60_000,
  /** The publish command has no timeout of its own. */
  mqttSendMs: 30_000,
  /** The sender command has a timeout of 60 s. */
  trapperSendMs: 65_000,
  redirects: 10,
  bodyBytes: 2 * 1024 * 1024,
} as const;
