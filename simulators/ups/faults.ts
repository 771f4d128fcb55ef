// The named ways the simulated web UI misbehaves.
import { z } from 'zod';
import type { FaultOptions } from '../simulator.ts';

/**
 * Every fault with one sentence: what it does, when it shows, and what `value` means. `command` restricts a fault to paths
 * that start so, `times` to so many requests, `skip` lets so many pass first.
 */
export const upsFaults = {
  'already-logged-on': 'Somebody else logs on when a page is asked for without being logged on.',
  'session-expired': 'The session is over when the request arrives, as after 15 idle minutes.',
  'login-refused': 'The right password is answered as a wrong one; nothing is counted towards the lock.',
} as const;

export type UpsFault = keyof typeof upsFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: UpsFault, { command }: FaultOptions): void {
  if (command !== undefined && !z.string().startsWith('/').safeParse(command).success) {
    throw new Error(`${fault}: command is a path that starts with /`);
  }
}
