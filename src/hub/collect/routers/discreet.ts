// A driver whose results and failures hold no secret of the router: the one way from a device's text to people.
import { type Detected, type RouterDriver, ShellError, type Snapshot, type Unparsed } from './driver.ts';
import type { Secrecy } from './shell/secrecy.ts';

const withheld = 'Some of what the router says is not shown: it holds a password of this router.';

/** The same driver, whose texts have all gone through the secrecy of the connection. */
export function discreet(driver: RouterDriver): RouterDriver {
  return {
    kind: driver.kind,
    detect: async (shell, options) =>
      shownDetection(await careful(driver.detect(shell, options), shell.secrecy), shell.secrecy),
    collect: async (shell, options) =>
      shownSnapshot(await careful(driver.collect(shell, options), shell.secrecy), shell.secrecy),
  };
}

async function careful<T>(work: Promise<T>, secrecy: Secrecy): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ShellError ? shownFailure(error, secrecy) : error;
  }
}

/** The message of a failure is a sentence of ours; what the device said stands in its facts. */
function shownFailure(error: ShellError, secrecy: Secrecy): ShellError {
  const facts = Object.entries(error.facts).map(([name, text]) => [name, secrecy.line(text)] as const);
  return new ShellError(
    error.failure,
    error.message,
    Object.fromEntries(facts.filter(([, text]) => text !== '')),
    error.cause,
    error.sessions,
  );
}

function shownSnapshot(snapshot: Snapshot, secrecy: Secrecy): Snapshot {
  return {
    ...snapshot,
    neighbours: snapshot.neighbours?.map((one) => ({ ...one, interfaceName: secrecy.name(one.interfaceName) })) ?? null,
    leases:
      snapshot.leases?.map((lease) => ({ ...lease, name: lease.name && (secrecy.name(lease.name) || null) })) ?? null,
    unparsed: shownLines(snapshot.unparsed, secrecy),
    unsupported: shownLines(snapshot.unsupported, secrecy),
    hostName: secrecy.name(snapshot.hostName),
    model: secrecy.name(snapshot.model),
    notes: notesOf(snapshot.notes, secrecy),
  };
}

function shownDetection(found: Detected, secrecy: Secrecy): Detected {
  return {
    ...found,
    candidates: found.candidates.map((one) => ({ ...one, interfaceName: secrecy.name(one.interfaceName) })),
    hostName: secrecy.name(found.hostName),
    model: secrecy.name(found.model),
    version: secrecy.name(found.version),
    notes: notesOf(found.notes, secrecy),
  };
}

function shownLines({ count, samples }: Unparsed, secrecy: Secrecy): Unparsed {
  return { count, samples: lines(samples, secrecy) };
}

function lines(texts: readonly string[], secrecy: Secrecy): string[] {
  return texts.map((text) => secrecy.line(text)).filter((text) => text !== '');
}

/** Notes are sentences of ours; no text of the device stands in them. */
function notesOf(notes: readonly string[], secrecy: Secrecy): string[] {
  return secrecy.hasWithheld() ? [...notes, withheld] : [...notes];
}
