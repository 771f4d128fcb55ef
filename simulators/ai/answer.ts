// What the simulated models say: sentences that cite the facts of the prompt and nothing else, always the same for the same facts.
import { type FoundFacts, isObject, listTexts, lookUp } from './facts.ts';

export const noFacts = 'There are no facts in the question, so there is nothing to say about the network.';
export const unreadableFacts =
  'The facts in the question cannot be read, so there is nothing to say about the network.';
const nothingCounted = 'The facts count no connections and name no destinations.';

/** `earlierTurns`: messages of the conversation before the last one. */
export function answerFrom(found: FoundFacts, earlierTurns: number): string {
  const turns = earlierTurns > 0 ? [`This conversation had ${earlierTurns} earlier turns.`] : [];
  if (found.kind !== 'read') {
    return [...turns, found.kind === 'absent' ? noFacts : unreadableFacts].join(' ');
  }
  const { facts } = found;
  const said = [counts(facts), levels(facts), destination(facts), threat(facts), device(facts)].filter(
    (sentence) => sentence !== null,
  );
  return [...turns, ...(said.length > 0 ? said : [nothingCounted])].join(' ');
}

function counts(facts: unknown): string | null {
  const [now, before] = [lookUp(facts, 'current'), lookUp(facts, 'previous')].map((period) =>
    isObject(period) ? period.connections : undefined,
  );
  if (typeof now !== 'number') {
    return null;
  }
  return typeof before === 'number'
    ? `There were ${now} connections, and ${before} in the period before.`
    : `There were ${now} connections.`;
}

function levels(facts: unknown): string | null {
  const current = lookUp(facts, 'current');
  return isObject(current) && typeof current.danger === 'number' && typeof current.warn === 'number'
    ? `Of these, ${current.danger} are dangerous and ${current.warn} suspicious.`
    : null;
}

function destination(facts: unknown): string | null {
  const first = findFirst(facts, 'topDestinations', 'destinations');
  const name = findName(first, 'host', 'hostname', 'hostName');
  const ip = findName(first, 'ip', 'address', 'dst');
  const called = ip !== null && name !== null ? `${ip} (${name})` : (ip ?? name);
  return called === null ? null : `Most of them went to ${called}.`;
}

function threat(facts: unknown): string | null {
  const first = findFirst(facts, 'threats', 'topThreats');
  const called = findName(first, 'ip', 'address', 'dst', 'indicator', 'host', 'hostname');
  return called === null ? null : `The first threat is ${called}.`;
}

function device(facts: unknown): string | null {
  const first = findFirst(facts, 'devices', 'deviceInventory');
  const name = findName(first, 'name', 'displayName', 'label', 'hostname', 'hostName', 'host');
  const ip = findName(first, 'ip', 'address', 'ipv4');
  const called = ip !== null && name !== null ? `${name} at ${ip}` : (name ?? ip);
  return called === null ? null : `The first device is ${called}.`;
}

function findFirst(facts: unknown, ...names: readonly string[]): Record<string, unknown> {
  const lists = names.map((name) => lookUp(facts, name));
  const first: unknown = lists.find((list) => Array.isArray(list) && list.length > 0)?.[0 as never];
  return isObject(first) ? first : {};
}

function findName(row: Record<string, unknown>, ...names: readonly string[]): string | null {
  const values = names.map((name) => row[name]);
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
}

/** A sentence that no facts bear out. */
export function inventSentence(address: string): string {
  return `Much went to ${address} (made-up.invalid) as well: 987654321 connections.`;
}

/** The text in the facts that reads most like an instruction to the model, else the longest; null without any. */
export function injectedText(found: FoundFacts): string | null {
  const texts = found.kind === 'read' ? listTexts(found.facts) : [];
  const told = texts.filter((text) => /ignore|instruction|disregard|system prompt|you must|assistant/i.test(text));
  const [first = null] = (told.length > 0 ? told : texts).toSorted((one, other) => other.length - one.length);
  return first;
}
