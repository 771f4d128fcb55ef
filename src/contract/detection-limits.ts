// The limits of the detection log, retro-matches and beacons.

export const detectionLimits = {
  detectionPage: 2000,
  /** How far back threats without a notification are looked for. */
  detectionSweepMs: 86_400_000,
  /** How long a new device, or a regular contact, is not raised again; how long it is stored that something was raised. */
  detectionDeviceQuietMs: 86_400_000,
  detectionBeaconQuietMs: 604_800_000,
  detectionToldMs: 691_200_000,
  /**
   * Retro-matches: how long one is not raised again; within which time traffic counts as going on; connections of a card,
   * and live updates of one change of the lists.
   */
  detectionRetroQuietMs: 604_800_000,
  retroMatchOngoingMs: 600_000,
  retroMatchConnections: 20,
  retroMatchEvents: 50,
  /** Beacons: how often and how soon the hub looks for them. */
  beaconScanMs: 3_600_000,
  beaconFirstScanMs: 300_000,
  beaconsFound: 1000,
  /** Starts of one flow in six hours, and of all together: bytes on disk. */
  beaconStartsPerSlot: 512,
  beaconStartBytes: 67_108_864,
  beaconScanMinMs: 300_000,
  beaconDomains: 200,
  beaconOrganisations: 100,
  beaconsDismissed: 10_000,
  beaconStarts: 2000,
  /** Previews of other beacon settings: how far back is asked, rows, and the shortest time between two replayed scans. */
  beaconPreviewMs: 1_209_600_000,
  beaconPreviewRows: 100,
  beaconPreviewStepMs: 3_600_000,
  /** Previews of other detection settings: how far back by default and at most, rows shown, rules, and sightings replayed. */
  detectionPreviewMs: 1_209_600_000,
  detectionPreviewMostMs: 2_678_400_000,
  detectionPreviewRows: 200,
  detectionPreviewRules: 50,
  detectionPreviewSightings: 50_000,
} as const;
