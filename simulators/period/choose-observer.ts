// Chooses the observer of a period that a simulator plays, and the one of several that shows all sightings.
import type { PeriodObserver } from '#capture/period.ts';
import { UsageError } from '#kernel/process/program.ts';

/** Returns the place of the only router of this kind, or of the one with this name. Throws a UsageError when there is none. */
export function chooseObserver(
  observers: readonly PeriodObserver[],
  kind: PeriodObserver['kind'],
  name: string | null,
): number {
  const places = observers.flatMap((observer, place) => (observer.kind === kind ? [place] : []));
  const chosen = places.filter((place) => name === null || observers[place]?.name === name);
  const [found, second] = chosen;
  if (found !== undefined && second === undefined) {
    return found;
  }
  const names = places.map((place) => observers[place]?.name).join(', ');
  if (places.length === 0) {
    const kinds = [...new Set(observers.map((observer) => observer.kind))].join(', ') || 'none';
    throw new UsageError(`--period has no ${kind}: start a simulator of another kind with it; it has ${kinds}`);
  }
  throw new UsageError(
    name === null
      ? `--period has several routers of ${kind}: choose one with --period-router, ${names}`
      : `--period-router must be one of ${names}`,
  );
}

/**
 * Whether this observer shows all sightings of a connection: the log does not tell which observer made which of them. An
 * Agent comes first, since it knows the times best.
 */
export function leads(observers: readonly PeriodObserver[], by: readonly number[], place: number): boolean {
  const agents = by.filter((other) => observers[other]?.kind === 'agent');
  return place === Math.min(...(agents.length === 0 ? by : agents));
}
