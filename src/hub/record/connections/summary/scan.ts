// One pass over the flows of a window, target after target: the counts that the groups of a summary are made of.
import { limits } from '#contract/limits.ts';
import { BitGrid } from '#kernel/columns/bit-grid.ts';
import { countAt, firstAt, GroupAggregates, lastAt, width } from './aggregates.ts';
import { apps } from './app-guess.ts';
import type { HourBuckets } from './buckets.ts';
import { EdgeAggregates } from './edges.ts';
import { FlowState, HourCounter } from './hour-counter.ts';
import { hasThreat } from './index/columns.ts';
import { type FlowRun, walkRuns } from './index/runs.ts';
import type { FlowStore } from './index/type.ts';
import type { DestinationLabels } from './labels.ts';

export interface Scan {
  store: FlowStore;
  /** Both inclusive. */
  from: number;
  to: number;
  /** Both ends are given: a flow seen before and after the window counts only when one of its hours overlaps it. */
  isBounded: boolean;
  /** Ids of observer sets; `null`: all. */
  observers: ReadonlySet<number> | null;
  /** 1 at the id of each source whose flows are counted; `null`: all. */
  wantedSources: Uint8Array | null;
  /** Whether flows to a destination, by its id, are counted; `null`: all. */
  isWanted: ((destination: number) => boolean) | null;
  buckets: number;
  hours: HourBuckets;
  destinations: DestinationLabels;
  /** One more than the highest id of a source, and of an observer set. */
  sources: number;
  observerSets: number;
  /** By verdict id: 0 is the most severe. */
  rankOfThreat: ReadonlyMap<number, number>;
}

export interface Counted {
  total: number;
  observations: number;
  /** By destination number. */
  byDestination: GroupAggregates;
  bySource: GroupAggregates;
  byEdge: EdgeAggregates;
  /** Locations × sources of their flows. */
  placed: BitGrid;
  /** Sources × observer sets of their flows. */
  observed: BitGrid;
  byApp: Uint32Array;
  /** Sessions of each target, bucket by bucket. */
  timeline: Uint32Array;
  /** Highest severity by destination number, and by source. */
  mostSevere: Map<number, number>;
  mostSevereOfSource: Map<number, number>;
}

export function scanFlows(scan: Scan): Counted {
  const { target } = scan.destinations;
  const { isWanted } = scan;
  const { ids } = scan.store.destinations;
  const targetByNumber = ids.map((id) => target[id] as number);
  const counting = new Counting(scan);
  let before = -1;
  for (const run of walkRuns(scan.store, targetByNumber, scan.destinations.targets.length)) {
    if (isWanted && !isWanted(ids[run.destination] as number)) {
      continue;
    }
    if (run.target !== before) {
      counting.endTarget(before);
      before = run.target;
    }
    counting.countRun(run);
  }
  counting.endTarget(before);
  return counting.toCounted();
}

class Counting {
  readonly #counted: Omit<Counted, 'observations' | 'timeline'>;
  readonly #scan: Scan;
  readonly #hours: HourCounter;
  /** Aggregates of the current target by source, and the sources that are not empty. */
  readonly #ofTarget: GroupAggregates;
  readonly #sources: number[] = [];
  /** Highest severity by source, for the current target. */
  readonly #ranks = new Map<number, number>();
  readonly #allowed: Uint8Array;
  #run = createRunBuffers(1024);

  constructor(scan: Scan) {
    const { destinations, buckets, observers, observerSets, sources, store } = scan;
    const { targets, places } = destinations;
    this.#scan = scan;
    this.#ofTarget = new GroupAggregates(sources);
    this.#allowed = new Uint8Array(observerSets).map((_, set) => (observers === null || observers.has(set) ? 1 : 0));
    this.#hours = new HourCounter(store, scan.hours, targets.length, buckets);
    this.#counted = {
      total: 0,
      byDestination: new GroupAggregates(store.destinations.count),
      bySource: new GroupAggregates(sources),
      byEdge: new EdgeAggregates(limits.summaryEdges),
      placed: new BitGrid(places.length, sources),
      observed: new BitGrid(sources, observerSets),
      byApp: new Uint32Array(apps.length),
      mostSevere: new Map(),
      mostSevereOfSource: new Map(),
    };
  }

  toCounted(): Counted {
    const { observations, timeline } = this.#hours;
    return { ...this.#counted, observations, timeline };
  }

  countRun(run: FlowRun): void {
    if (run.end - run.start > this.#run.states.length) {
      this.#run = createRunBuffers((run.end - run.start) * 2);
    }
    if (this.#select(run)) {
      this.#hours.countRun(run, this.#run.states);
      this.#aggregate(run);
    }
  }

  /** Sets the states and sightings of the flows of a run; true when any may be in the window. */
  #select({ start, end }: FlowRun): boolean {
    const { from, to, isBounded, wantedSources, store } = this.#scan;
    const { source, observers, firstSeconds, firstMs, lastSeconds, lastMs } = store.columns;
    const allowed = this.#allowed;
    const { states, firsts, lasts } = this.#run;
    let any = 0;
    for (let at = start; at < end; at += 1) {
      const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
      const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
      const isOut = last < from || last === 0 || first > to || allowed[observers[at] as number] === 0;
      const isOther = wantedSources !== null && wantedSources[source[at] as number] !== 1;
      const state = isOut || isOther ? excluded : included;
      firsts[at - start] = first;
      lasts[at - start] = last;
      states[at - start] = state === included && isBounded && first < from && last > to ? undecided : state;
      any |= state;
    }
    return any !== 0;
  }

  #aggregate({ destination, start, end }: FlowRun): void {
    const { destinations, store } = this.#scan;
    const { source, observers, app, ttl } = store.columns;
    const { observed, byApp, placed } = this.#counted;
    const id = store.destinations.ids[destination] as number;
    const webApp = destinations.webApp[id] as number;
    const place = (destinations.place[id] as number) - 1;
    const ofSource = this.#ofTarget.values;
    const { states, firsts, lasts } = this.#run;
    let count = 0;
    let runFirst = Number.POSITIVE_INFINITY;
    let runLast = 0;
    let runTtl = -1;
    let srcBefore = 0;
    let setBefore = 0;
    for (let at = start; at < end; at += 1) {
      if (states[at - start] !== included) {
        continue;
      }
      const first = firsts[at - start] as number;
      const last = lasts[at - start] as number;
      const src = source[at] as number;
      const set = observers[at] as number;
      const lifetime = ttl[at] as number;
      count += 1;
      runFirst = first < runFirst ? first : runFirst;
      runLast = last > runLast ? last : runLast;
      runTtl = lifetime > runTtl ? lifetime : runTtl;
      if (src !== srcBefore || set !== setBefore) {
        srcBefore = src;
        setBefore = set;
        observed.add(src, set);
        if (place >= 0) {
          placed.add(place, src);
        }
      }
      const group = src * width;
      const before = ofSource[group + countAt] as number;
      if (before === 0) {
        this.#sources.push(src);
      }
      ofSource[group + countAt] = before + 1;
      ofSource[group + firstAt] = Math.min(ofSource[group + firstAt] as number, first);
      ofSource[group + lastAt] = Math.max(ofSource[group + lastAt] as number, last);
      const guess = app[at] as number;
      const name = (guess & ~hasThreat) === web ? webApp : guess & ~hasThreat;
      byApp[name] = (byApp[name] as number) + 1;
      if (guess >= hasThreat) {
        this.#noteThreat(at, destination, src);
      }
    }
    if (count > 0) {
      this.#counted.total += count;
      this.#counted.byDestination.add(destination, count, runFirst, runLast, runTtl);
    }
  }

  /** Adds the current target to its edges and sources. */
  endTarget(target: number): void {
    const { bySource, byEdge, mostSevereOfSource } = this.#counted;
    const ofTarget = this.#ofTarget;
    for (const source of this.#sources) {
      const flows = ofTarget.values[source * width + countAt] as number;
      byEdge.add(source, target, flows, ofTarget, source, this.#ranks.get(source));
      bySource.addAll(source, ofTarget, source);
      ofTarget.clear(source);
    }
    for (const [source, rank] of this.#ranks) {
      setLowest(mostSevereOfSource, source, rank);
    }
    this.#ranks.clear();
    this.#sources.length = 0;
  }

  #noteThreat(at: number, destination: number, src: number): void {
    const { mostSevere } = this.#counted;
    const { rankOfThreat, store } = this.#scan;
    const rank = rankOfThreat.get(store.threats.get(at) as number);
    if (rank !== undefined) {
      setLowest(mostSevere, destination, rank);
      setLowest(this.#ranks, src, rank);
    }
  }
}

/** The lowest rank is the most severe. */
export function setLowest(ranks: Map<number, number>, group: number, rank: number): void {
  ranks.set(group, Math.min(rank, ranks.get(group) ?? rank));
}

const { excluded, included, undecided } = FlowState;
const web = apps.indexOf('web');

/** State, first and last sighting of each flow of a run. */
function createRunBuffers(flows: number) {
  return { states: new Uint8Array(flows), firsts: new Float64Array(flows), lasts: new Float64Array(flows) };
}
