// Memory and descriptors of one life of the hub: the long one in the middle of a run, after its warm-up.
import { descriptorProblem } from '../invariants/descriptors.ts';
import { type Growth, growthProblem, measureGrowth, type Point } from '../invariants/growth.ts';
import type { Memory } from '../world/memory.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';
import { selectJudged, selectUsualThreads } from './judged-samples.ts';

const mostMbAnHour = 1;
const windowSamples = 180;

export interface MemoryWatch {
  /** Each second. */
  countDescriptors(): void;
  /** Resolves when a sample was taken. */
  sample(): Promise<void>;
  /** At the end: the slope is judged. */
  judge(): void;
  summary(): MemorySummary;
}

export interface MemorySummary {
  /** Of the life that was judged; null when none was long enough. */
  inUse: Growth | null;
  anonymous: Growth | null;
  /** Parts of `inUse`: objects of all threads, native code. */
  objects: Growth | null;
  native: Growth | null;
  /** Part of `objects`: compiled code. */
  code: Growth | null;
  resident: Growth | null;
  connections: Growth | null;
  lastMb: { rss: number; anonymous: number; inUse: number; native: number } | null;
  descriptors: { first: number; last: number; most: number } | null;
}

export interface Sample extends Memory {
  life: number;
  /** Since that life began. */
  ageMs: number;
  /** `objects` and `native`. */
  inUse: number;
  /** Of all threads, after a collection of garbage. */
  objects: number;
  /** What native code has allocated; without jemalloc the buffers of objects alone. */
  native: number;
  /** Part of `objects`: compiled code. */
  code: number;
  connections: number;
}

/** Calls `sampled` with each sample as it is taken. */
export function createMemoryWatch(
  { hub }: World,
  checks: Checks,
  now: () => number,
  sampled: (sample: Sample) => void,
): MemoryWatch {
  const samples: Sample[] = [];
  const lives = new Map<number, { beganAt: number; first: number[]; last: number[]; most: number }>();
  const lifeNow = () => {
    const known = lives.get(hub.life) ?? { beganAt: now(), first: [], last: [], most: 0 };
    lives.set(hub.life, known);
    return known;
  };
  const growth = (of: (sample: Sample) => number): Growth | null => {
    const points = selectUsualThreads(selectJudged(samples)).map(
      (sample): Point => ({ x: sample.ageMs / 3_600_000, y: of(sample) }),
    );
    return points.length < 4 ? null : measureGrowth(points);
  };
  return {
    countDescriptors() {
      const count = hub.descriptors();
      if (count === null) {
        return;
      }
      const life = lifeNow();
      life.most = Math.max(life.most, count);
      if (now() - life.beganAt < 60_000) {
        return;
      }
      (life.first.length < windowSamples ? life.first : life.last).push(count);
      if (life.last.length > windowSamples) {
        life.last.shift();
        checks.check('descriptors', descriptorProblem(life.first, life.last));
      }
    },
    async sample() {
      const life = lifeNow();
      const number = hub.life;
      const memory = await hub.memory();
      if (memory === null || number !== hub.life) {
        return;
      }
      const { total } = await hub.admin.connections.list({ query: { limit: '1' } });
      const objects = memory.heapUsed + memory.threadObjects;
      const code = memory.machineCode + memory.bytecode + memory.threadCode;
      const native = memory.allocated ?? memory.external + memory.threadHeaps - memory.threadObjects;
      const inUse = { objects, native, inUse: objects + native, code };
      const sample = { ...memory, ...inUse, life: number, ageMs: now() - life.beganAt, connections: total };
      samples.push(sample);
      sampled(sample);
    },
    judge() {
      const inUse = growth((sample) => sample.inUse);
      if (inUse !== null) {
        checks.check('memory', growthProblem('the memory that the hub uses', 'MiB', inUse, mostMbAnHour));
      }
    },
    summary() {
      const last = samples.at(-1);
      const counted = [...lives.values()].sort(
        (a, b) => b.first.length + b.last.length - a.first.length - a.last.length,
      )[0];
      return {
        inUse: growth((sample) => sample.inUse),
        anonymous: growth((sample) => sample.anonymous),
        objects: growth((sample) => sample.objects),
        native: growth((sample) => sample.native),
        code: growth((sample) => sample.code),
        resident: growth((sample) => sample.rss),
        connections: growth((sample) => sample.connections),
        lastMb: last ? { rss: last.rss, anonymous: last.anonymous, inUse: last.inUse, native: last.native } : null,
        descriptors:
          counted && counted.first.length > 0
            ? {
                first: Math.min(...counted.first),
                last: Math.min(...(counted.last.length > 0 ? counted.last : counted.first)),
                most: counted.most,
              }
            : null,
      };
    },
  };
}
