// A section of the configuration as text: what of the settings it shows, and what a changed text makes of them.
import type { z } from 'zod';
import type { Settings } from '../../base/settings/schema.ts';

/** What the rules need beside the settings. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now: number;
  /** Routers and services on this machine are allowed. */
  allowLoopback: boolean;
  /** More folders whose files may be followed as logs. */
  pathPrefixes: readonly string[];
}

export interface Section {
  name: string;
  /** The comment above it. */
  about: string;
  /** The body of the route that saves it. */
  body: z.ZodType;
  /** Paths of secrets from the section, such as `keys.rep_a`; `*` stands for every element of a list. */
  secrets: readonly string[];
  /** Members that must stay as they are for a stored secret to be used, so that it goes to no other host. */
  bound: readonly string[];
  /** What the hub stores for no secret. */
  noSecret: '' | null;
  /** The element of a list that `given` is about. */
  findSame?: (shown: readonly unknown[], given: unknown) => unknown;
  /** With the secrets. */
  show: (all: Settings) => unknown;
  /** What `body` leaves out stays. Throws AppError or TextMistake, or an AggregateError of them. */
  apply: (all: Settings, body: unknown, surroundings: Surroundings) => Settings | Promise<Settings>;
}

type Optional = 'secrets' | 'bound' | 'noSecret';

/** Makes a section whose `apply` gets what its schema returns. */
export function defineSection<S extends z.ZodType>(
  section: Omit<Section, 'body' | 'apply' | Optional> &
    Partial<Pick<Section, Optional>> & {
      body: S;
      apply: (all: Settings, body: z.output<S>, surroundings: Surroundings) => Settings | Promise<Settings>;
    },
): Section {
  const { apply } = section;
  return {
    ...{ secrets: [], bound: [], noSecret: '' },
    ...section,
    apply: (all, body, surroundings) => apply(all, body as z.output<S>, surroundings),
  };
}

/** A secret or its reference, and where it is: `place` from the section, `holder` the object or list element it belongs to. */
export interface Spot {
  value: unknown;
  place: readonly PropertyKey[];
  /** The section, or the element of a list. */
  holder: unknown;
}

/** Replaces each secret in `whole`, the content of `section`, by what `change` makes of it. Undefined removes it. */
export function mapSecretSpots({ secrets }: Section, whole: unknown, change: (spot: Spot) => unknown): unknown {
  return secrets.reduce((value, path) => mapPath(value, path.split('.'), [], whole, change), whole);
}

function mapPath(
  value: unknown,
  [name, ...rest]: readonly string[],
  place: readonly PropertyKey[],
  holder: unknown,
  change: (spot: Spot) => unknown,
): unknown {
  if (name === undefined) {
    return change({ value, place, holder });
  }
  if (name === '*') {
    return Array.isArray(value)
      ? value.map((element, at) => mapPath(element, rest, [...place, at], element, change))
      : value;
  }
  return isObject(value) && Object.hasOwn(value, name)
    ? { ...value, [name]: mapPath(value[name], rest, [...place, name], holder, change) }
    : value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at `place` below `value`; undefined where there is none. */
export function getAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>(
    (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[String(step)] : undefined),
    value,
  );
}
