// The limits of the Agent: intervals, bounds of what it stores, waits.
import { minuteMs } from '#kernel/time/time.ts';

export const agentProgramLimits = {
  /** How often what was seen becomes batches: the default and the bounds of `--every`. */
  takeS: 15,
  takeMinS: 5,
  takeMaxS: 300,
  /**
   * How often the socket tables are read: the defaults, without and with events of the kernel, and the bounds of `--poll`.
   * The kernel takes 5 to 11 ms for one read of the four.
   */
  pollS: 3,
  pollWithEventsS: 10,
  pollMinS: 1,
  pollMaxS: 60,
  spoolMb: 64,
  spoolMinMb: 1,
  spoolMaxMb: 4096,
  /** Batches that the hub refused and that are stored for somebody to look at. */
  parkedBatches: 100,
  rotateDays: 30,
  rotateMaxDays: 365,
  /** Between the start of a rotation that failed and the next try. */
  rotationRetryMs: 10 * minuteMs,
  statusMs: 10_000,
  claimEveryMs: 3000,
  /** Polls of a claim that get no answer of the hub before the program gives up. */
  claimFailures: 200,
  requestMs: 30_000,
  /** Of the credential store, which may ask somebody to unlock it. */
  storeMs: 2 * minuteMs,
  capabilitiesEveryMs: 15 * minuteMs,
  backOffMs: 5000,
  backOffMaxMs: 15 * minuteMs,
  lastTryMs: 5000,
  /** Share of the requests a minute that the hub allows. */
  pace: 0.9,
  /** Room in a request for what is not an observation. */
  envelopeBytes: 4096,
  /** Most bytes of an answer of the hub. */
  answerBytes: 1_048_576,
  /** A status that is older than this is of a program that hangs or was killed. */
  statusStaleMs: minuteMs,
  /** Difference to the clock of the hub that is worth a sentence. */
  skewMs: 5 * minuteMs,
  /** Time without a delivery, while batches wait, that is worth a sentence. */
  lateMs: 60 * minuteMs,
} as const;
