// The `gatehouse` command: one word picks the program. Each is imported only when it is asked for.
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { usage } from './usage.ts';

type Run = (argv: readonly string[]) => Promise<number>;

const later =
  (load: () => Promise<Run>): Run =>
  async (argv) =>
    (await load())(argv);

const commands: Record<string, Run> = {
  hub: later(async () => (await import('#hub/main.ts')).runHub),
  backup: later(async () => (await import('#hub/base/storage/commands/backup.ts')).runBackup),
  salvage: later(async () => (await import('#hub/base/storage/commands/salvage.ts')).runSalvage),
  'reset-password': later(async () =>
    (await import('#hub/base/auth/credentials/reset-command.ts')).runReset('password'),
  ),
  'reset-token': later(async () => (await import('#hub/base/auth/credentials/reset-command.ts')).runReset('token')),
  config: later(async () => {
    const [{ runConfig }, { configSections }] = await Promise.all([
      import('#hub/start/config/command.ts'),
      import('#hub/start/config-sections.ts'),
    ]);
    return (argv) => runConfig(argv, configSections);
  }),
  'export-hours': later(async () => (await import('#hub/record/connections/export/hours-command.ts')).runExportHours),
  sink: later(async () => {
    const [{ systemClock }, { runSink }, { createClosedHours }, { hourColumns }] = await Promise.all([
      import('#kernel/time/clock.ts'),
      import('#hub/record/sink/commands/sink.ts'),
      import('#hub/record/connections/closed-hours/closed-hours.ts'),
      import('#hub/record/connections/closed-hours/row-text.ts'),
    ]);
    return (argv) => runSink(argv, { clock: systemClock, openHours: createClosedHours, columns: hourColumns });
  }),
  mcp: later(async () => (await import('#mcp/main.ts')).runMcp),
  doctor: later(async () => (await import('#hub/start/doctor/command.ts')).runDoctor),
  health: later(async () => (await import('./health.ts')).runHealth),
  capture: later(async () => (await import('#hub/collect/routers/capture/command.ts')).runCapture),
  replay: later(async () => (await import('#hub/record/connections/period/command.ts')).runReplay),
  agent: later(async () => (await import('#agent/main.ts')).runAgent),
  sim: later(async () => (await import('#simulators/main.ts')).runSimulator),
  gate: later(async () => (await import('#gate/main.ts')).runGateCommand),
};

process.exitCode = await runCommandGroup(process.argv.slice(2), { name: 'gatehouse', usage, commands });
