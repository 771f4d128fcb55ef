// The form of a capture on disk: capture.json and one file with the bytes of each answer. docs/simulators.md describes it.
import { z } from 'zod';

/** Raise it when an older release cannot read what this one writes. */
export const bundleVersion = 1;

/** The file that describes all others of a bundle. */
export const indexName = 'capture.json';

/** Limits in bytes: the largest answer that the hub reads, and more than capture.json ever needs. */
export const longestAnswer = 67_108_864;
export const longestIndex = 16_777_216;

const name = z.string().max(200);
const names = z.array(name).max(200);
const fileName = z
  .string()
  .max(100)
  .regex(/^[\da-z][\da-z-]*\.txt$/, {
    error: 'must be the name of a file beside capture.json, such as 01-show-arp.txt',
  });

/** Bytes that came `afterMs` after those before, or something that the client typed. */
const step = z.union([
  z.strictObject({ afterMs: z.int().min(0).max(3_600_000), bytes: z.int().min(1).max(longestAnswer) }),
  z.strictObject({ typed: z.enum(['key', 'secret']) }),
]);

const recorded = {
  file: fileName,
  /** The size of the file, and the sum of all steps. */
  bytes: z.int().min(0).max(longestAnswer),
  steps: z.array(step).max(500_000),
};

const exchange = z.strictObject({
  /** The command, without its line end. */
  command: name,
  /** The prompt before the command and behind the answer; one character is one byte. */
  promptBefore: name,
  promptAfter: name,
  /** Whether the answer ended in a prompt, in the end of the connection, or in silence. */
  ending: z.enum(['prompt', 'closed', 'silent']),
  ...recorded,
});

export const bundleSchema = z.strictObject({
  format: z.literal('gatehouse-capture'),
  version: z.literal(bundleVersion),
  kind: z.enum(['vendor_a', 'vendor_b']),
  /** The model that the driver read; empty when the capture ended before. */
  model: name,
  /** NAT descriptor of vendor_a. */
  natDescriptor: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .nullable(),
  ssh: z.strictObject({
    /** At most as long as a server may make it (RFC 4253, section 4.2). */
    identification: z.string().max(255),
    methods: names,
    /** What the router offers, by the words of the protocol, such as `KEX method`. */
    algorithms: z.record(z.string().max(40), names),
  }),
  /** What came before the first prompt. */
  greeting: z.strictObject({ prompt: name, ...recorded }),
  exchanges: z.array(exchange).max(100),
  /** The failure class of the hub when the capture ended early; null when it is whole. */
  failure: z.string().max(40).nullable(),
  /** Commands without a whole answer. */
  missing: names,
  /** How many originals were replaced, by their kind. */
  replaced: z.record(z.string().max(20), z.int().min(0)),
});

export type BundleIndex = z.output<typeof bundleSchema>;
export type Exchange = BundleIndex['exchanges'][number];
export type Greeting = BundleIndex['greeting'];
export type Step = z.output<typeof step>;

export interface Bundle {
  index: BundleIndex;
  /** The bytes of each file that the index names. */
  files: ReadonlyMap<string, Uint8Array>;
}

/** Returns the sum of the bytes of all steps. */
export function countBytes(steps: readonly Step[]): number {
  return steps.reduce((sum, one) => sum + ('bytes' in one ? one.bytes : 0), 0);
}

/** Returns the bytes of the greeting or of an answer. */
export function getBytes({ files }: Bundle, { file }: Greeting | Exchange): Uint8Array {
  return files.get(file) ?? new Uint8Array();
}
