// The limits of notes, devices and leases (docs/reference/wire-contract/3-records.md#34-device).

export const deviceLimits = {
  /** Characters of a note. */
  note: 500,
  /** Notes that are stored, those of merged devices included. */
  notes: 1000,
  /** How long a device is active, then recent (docs/reference/wire-contract/3-records.md#34-device). */
  deviceActiveMs: 86_400_000,
  deviceRecentMs: 604_800_000,
  /** Score from which two devices are proposed as one (docs/reference/device-evidence.md#weights). */
  mergeScore: 0.4,
  /** When a router has not reported an address for so long, the report of another router may name a new holder. */
  leaseAbandonedMs: 1_200_000,
  /** Leases are stored for so many days after they ended. */
  leaseRetentionDays: 730,
  leasePruneMs: 86_400_000,
  /** IPv4 addresses one MAC may have at once before it is taken for a repeater's. */
  addressesOfMac: 8,
} as const;
