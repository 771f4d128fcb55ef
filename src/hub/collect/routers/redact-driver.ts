// Wraps a driver so that its results and failures hold no secret of the router. All device text passes through here.
import type { RouterNote } from '#contract/router-notes.ts';
import { type Detected, type RouterDriver, ShellError, type Snapshot, type Unparsed } from './driver.ts';
import type { Secrecy } from './shell/secrecy.ts';

/** The driver with all device text in its results and errors redacted. */
export function redactDriver(driver: RouterDriver): RouterDriver {
  return {
    kind: driver.kind,
    async detect(shell, options) {
      const found = await redactFailure(driver.detect(shell, options), shell.secrecy);
      return redactDetected(found, shell.secrecy);
    },
    async collect(shell, options) {
      const snapshot = await redactFailure(driver.collect(shell, options), shell.secrecy);
      return redactSnapshot(snapshot, shell.secrecy);
    },
  };
}

/** Redacts the facts of a failure, which quote the device. Its message is a sentence of this program. */
async function redactFailure<T>(work: Promise<T>, secrecy: Secrecy): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ShellError)) {
      throw error;
    }
    const facts = Object.entries(error.facts).map(([name, text]) => [name, secrecy.line(text)] as const);
    const shown = Object.fromEntries(facts.filter(([, text]) => text !== ''));
    throw error.with(shown);
  }
}

function redactSnapshot(snapshot: Snapshot, secrecy: Secrecy): Snapshot {
  return {
    ...snapshot,
    neighbours: snapshot.neighbours?.map((one) => ({ ...one, interfaceName: secrecy.name(one.interfaceName) })) ?? null,
    leases:
      snapshot.leases?.map((lease) => ({ ...lease, name: lease.name && (secrecy.name(lease.name) || null) })) ?? null,
    unparsed: redactSamples(snapshot.unparsed, secrecy),
    unsupported: redactSamples(snapshot.unsupported, secrecy),
    hostName: secrecy.name(snapshot.hostName),
    model: secrecy.name(snapshot.model),
    notes: noteWithheld(snapshot.notes, secrecy),
  };
}

function redactDetected(found: Detected, secrecy: Secrecy): Detected {
  return {
    ...found,
    candidates: found.candidates.map((one) => ({ ...one, interfaceName: secrecy.name(one.interfaceName) })),
    hostName: secrecy.name(found.hostName),
    model: secrecy.name(found.model),
    version: secrecy.name(found.version),
    notes: noteWithheld(found.notes, secrecy),
  };
}

function redactSamples({ count, samples }: Unparsed, secrecy: Secrecy): Unparsed {
  return { count, samples: samples.map((text) => secrecy.line(text)).filter((text) => text !== '') };
}

/** Adds that text was withheld. Other notes quote numbers of the device alone, and stay as they are. */
function noteWithheld(notes: readonly RouterNote[], secrecy: Secrecy): readonly RouterNote[] {
  return secrecy.hasWithheld() ? [...notes, { code: 'text_withheld' }] : notes;
}
