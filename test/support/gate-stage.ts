// A stage for the gate that is put right again between runs, and runs of the gate on it.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { described } from '#gate/checks.ts';
import { readGateConfig } from '#gate/config.ts';
import type { Profile } from '#gate/evidence/context.ts';
import type { Report } from '#gate/report.ts';
import { runGate } from '#gate/run.ts';
import { createKeyPair } from '#gate/signature.ts';
import { systemClock } from '#kernel/clock.ts';
import { writeText } from '#kernel/files.ts';
import { type Stage, startStage } from '../../scripts/stage.ts';
import { takeTokens } from '../../scripts/stage-tokens.ts';
import { warm } from '../gate/broken-stage.ts';
import { collectedOn, writeCollected } from '../gate/collected.ts';

export interface GateStage extends AsyncDisposable {
  readonly stage: Stage;
  /** The settings of the gate when nothing is wrong. */
  readonly first: Readonly<Record<string, string>>;
  /** The stage as it was, with empty rate buckets and the issuer's keys known. */
  restore(): Promise<void>;
  run(): Promise<Report>;
}

/** Tokens are taken again after this: the live ones expire, and the expired ones grow old. */
const tokensForMs = 240_000;

export async function startGateStage(profile: Profile = 'strict'): Promise<GateStage> {
  const stage = await startStage({ profile, issuer: { accessTokenTtlMs: 900_000 } });
  let first = stage.settings;
  let takenAt = systemClock.now();
  writeText(path.join(stage.folder, 'stranger.pub'), createKeyPair().publicPem);
  return {
    stage,
    get first() {
      return first;
    },
    async restore() {
      stage.edge.control.clearFaults();
      stage.issuer.control.clearFaults();
      stage.dns.control.setZone({});
      for (const name of Object.keys(stage.settings)) {
        if (!Object.hasOwn(first, name)) {
          stage.unset(name);
        }
      }
      if (systemClock.now() - takenAt > tokensForMs) {
        takenAt = systemClock.now();
        first = { ...first, ...(await takeTokens(stage.tokenSource)) };
      }
      stage.set({ ...first });
      rmSync(stage.report, { force: true });
      writeCollected(collectedOn(stage));
      await stage.restartMcp();
      await warm(stage);
    },
    run: () =>
      runGate({
        config: readGateConfig(stage.gateEnv),
        evidencePath: stage.evidence,
        reportPath: stage.report,
        clock: systemClock,
        onFinding: () => {},
        onBurst: () => {},
      }),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

/** `ids` and every check that needs one of them, directly or not, in the order of the run. */
export function withDependents(ids: readonly string[]): string[] {
  const red = new Set(ids);
  for (const { id, needs } of described) {
    if (needs.some((need) => red.has(need))) {
      red.add(id);
    }
  }
  return described.map(({ id }) => id).filter((id) => red.has(id));
}
