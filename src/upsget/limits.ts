// The numbers of specification 3, and the bounds we set where it has none. Durations are milliseconds.

export const limits = {
  /** Port of the web UI when the address names none (specification 3, section 8). */
  uiPort: 6547,
  mqttPort: 1883,
  /** MQTT over TLS, as registered with IANA. */
  mqttsPort: 8883,
  trapperPort: 10_051,
  /** One HTTP request, from the first byte sent to the last byte read. */
  requestMs: 30_000,
  /** The product ends a session after this long; one reading has to be over by then. */
  sessionMs: 900_000,
  /** The whole cleanup; reserved at the end of the session. */
  cleanupMs: 15_000,
  /** One request of the cleanup: a UPS that is gone must not hold the program up. */
  cleanupRequestMs: 5_000,
  /** From a signal to the end of the program. */
  interruptedMs: 5_000,
  /** How long a request that changes the UPS may go on after a signal: only its answer tells what to undo. */
  graceMs: 2_000,
  /** One request of the cleanup after a signal; three of them fit. */
  hurriedRequestMs: 1_500,
  lockWaitMs: 60_000,
  /** The publish command waits for ever for a silent broker. */
  mqttSendMs: 30_000,
  /** The sender command waits 60 s for an answer by itself. */
  trapperSendMs: 65_000,
  redirects: 10,
  bodyBytes: 2 * 1024 * 1024,
} as const;
