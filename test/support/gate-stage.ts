// A stage for the gate that is put right again between runs, and runs of the gate on it.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkDescriptions } from '#gate/checks.ts';
import type { Measured } from '#gate/collect/collector.ts';
import { collectors } from '#gate/collect/collectors.ts';
import { recordItem } from '#gate/collect/record-item.ts';
import { readGateConfig } from '#gate/config.ts';
import type { Profile } from '#gate/evidence/context.ts';
import { callTool } from '#gate/mcp-messages.ts';
import { GateError } from '#gate/private-file.ts';
import type { Report } from '#gate/report.ts';
import { runGate } from '#gate/run.ts';
import { createKeyPair } from '#gate/signature.ts';
import { createHttp } from '#gate/target.ts';
import { writeText } from '#kernel/files/files.ts';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { type Stage, stagedOperator, startStage } from '../../scripts/stage.ts';
import { takeTokens, unattended } from '../../scripts/stage-tokens.ts';
import { collectedOn, writeCollected } from '../gate/collected.ts';
import { watchLeaks } from './leak-guard.ts';

export interface GateStage extends AsyncDisposable {
  readonly stage: Stage;
  /** The settings of the gate when nothing is wrong. */
  readonly first: Readonly<Record<string, string>>;
  /** The stage as it was, with empty rate buckets and the issuer's keys known. */
  restore(): Promise<void>;
  /** `clock`: what the run waits by. */
  run(clock?: Clock): Promise<Report>;
  /** A collector as `gate collect` runs it; one that refuses to begin says why. `asked`: what the operator does then. */
  collect(
    name: string,
    options?: Readonly<Record<string, string>>,
    asked?: (stage: Stage, text: string) => void,
  ): Promise<{ passed: boolean; because: string }>;
}

/** Tokens are taken again after this: the live ones expire, and the expired ones grow old. */
const tokensForMs = 240_000;

export async function startGateStage(profile: Profile = 'strict'): Promise<GateStage> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const stage = opened.use(await startStage({ profile, issuer: { accessTokenTtlMs: 900_000 } }));
  let first = stage.settings;
  let takenAt = systemClock.now();
  writeText(path.join(stage.folder, 'stranger.pub'), createKeyPair().publicPem);
  const whole = opened.move();
  return {
    stage,
    get first() {
      return first;
    },
    async restore() {
      stage.edge.clearFaults();
      stage.edge.setCertificate();
      stage.issuer.clearFaults();
      stage.dns.reset();
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
    run: (clock = systemClock) =>
      runGate({
        config: readGateConfig(stage.gateEnv),
        evidencePath: stage.evidence,
        reportPath: stage.report,
        clock,
        onFinding: () => {},
        onBurst: () => {},
      }),
    collect: (name, options = {}, asked = () => {}) => collect(stage, name, options, asked),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

async function collect(
  stage: Stage,
  name: string,
  options: Readonly<Record<string, string>>,
  asked: (stage: Stage, text: string) => void,
): Promise<{ passed: boolean; because: string }> {
  const collector = collectors.find((one) => one.name === name);
  if (!collector) {
    throw new Error(`there is no collector ${name}`);
  }
  const config = readGateConfig(stage.gateEnv);
  const context = { ...unattended(config, stage.tokenSource.ca, options), say: (text: string) => asked(stage, text) };
  let measured: Measured;
  try {
    measured = await collector.run(context);
  } catch (error) {
    if (error instanceof GateError) {
      return { passed: false, because: error.message };
    }
    throw error;
  }
  return recordItem({
    evidencePath: stage.evidence,
    item: collector.item,
    ...measured,
    partial: collector.partial ?? false,
    source: { how: 'measured', by: stagedOperator, collector: name, transcript: context.transcript },
    context: collectedOn(stage),
  });
}

/** `ids` and every check that needs one of them, directly or not, in the order of the run. */
export function withDependents(ids: readonly string[]): string[] {
  const red = new Set(ids);
  for (const { id, needs } of checkDescriptions) {
    if (needs.some((need) => red.has(need))) {
      red.add(id);
    }
  }
  return checkDescriptions.map(({ id }) => id).filter((id) => red.has(id));
}

/** A first request, so that the MCP server has keys and metadata of the issuer before either misbehaves. */
export async function warm({ settings }: Stage): Promise<void> {
  const ca = readFileSync(settings.MCP_GATE_CA_PATH ?? '', 'utf8');
  await using http = createHttp({ timeoutMs: 10_000, ca }, { address: '127.0.0.1', family: 4 });
  const { status } = await http.ask('warm', new URL(settings.MCP_GATE_ENDPOINT ?? ''), {
    ...callTool('get_devices', {}),
    token: settings.MCP_GATE_READ_TOKEN ?? '',
  });
  if (status !== 200) {
    throw new Error(`the stage answers ${status} to a good token`);
  }
}
