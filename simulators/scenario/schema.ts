// What a scenario may say: one schema for the check of a file and for the completion of editors.
import { z } from 'zod';
import { listed } from '#kernel/text/problem.ts';
import type { SimulatorCommand } from '../command.ts';
import { commands } from '../commands.ts';
import { optionKey } from '../option-table.ts';
import { duration } from './duration.ts';
import { type VerbName, verbNames, verbs } from './steps.ts';
import { world } from './world.ts';

const mostReplicas = 1000;
const port = z.int().min(0).max(65_535);
const name = z
  .string()
  .regex(/^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/, { error: 'must be lower-case letters, digits and hyphens' });

/** The options that every simulator has besides those of its `--help`. */
const common = {
  seed: z.int().min(0).max(0xffff_ffff).optional().describe('Of this simulator; that of the scenario when absent.'),
  port: port.optional().describe('0, a free port, when absent.'),
  'control-port': port.optional().describe('Port of the control API; 0, a free port, when absent.'),
};
const replicas = z
  .int()
  .min(1)
  .max(mostReplicas)
  .optional()
  .describe('So many of them, NAME-1 and on, at consecutive ports; each has the next seed.');

const commandAnswer = z
  .union([z.string().max(100_000), z.strictObject({ file: z.string().min(1).describe('Its text is the answer.') })])
  .describe('A text with {{hostName}}, {{model}}, {{version}}, {{user}}, {{time}} and {{1}}, or a file.');
const routerKeys = {
  replicas,
  commands: z
    .record(z.string().max(200), commandAnswer)
    .optional()
    .describe('Further commands, such as show inventory or show slot <number>, with their answers.'),
};

function simulatorSchema({ kind, options }: SimulatorCommand) {
  const text = z.union([z.string().max(2000), z.number()], { error: 'must be text or a number' });
  const own = Object.entries(options).map(([option, { takes, says }]) => {
    const schema = takes === undefined ? z.boolean() : text;
    return [optionKey(option), schema.optional().describe(says.replaceAll('\n', ' '))];
  });
  return z.strictObject({
    kind: z.literal(kind),
    ...(Object.fromEntries(own) as Record<string, z.ZodOptional>),
    ...common,
    ...(kind.startsWith('vendor_') ? routerKeys : {}),
  });
}

type SimulatorSchema = z.ZodObject<typeof common & typeof routerKeys & { kind: z.ZodLiteral<string> }>;

const simulators = commands.map(simulatorSchema) as unknown as [SimulatorSchema, ...SimulatorSchema[]];

const step = z
  .strictObject({
    at: duration.describe('When it is done, after the start.'),
    every: duration.optional().describe('Again after so long, until `until` or the end.'),
    until: duration.optional(),
    jitter: duration.optional().describe('Each time is off by at most so much, as the seed says.'),
    on: z
      .union([name, z.array(name).min(1)])
      .optional()
      .describe('Names of simulators; the only fitting one when absent.'),
    mayFail: z.boolean().optional().describe('true: the scenario goes on when the step cannot be done.'),
    ...(Object.fromEntries(verbNames.map((verb) => [verb, verbs[verb].schema.optional()])) as {
      [V in VerbName]: z.ZodOptional<(typeof verbs)[V]['schema']>;
    }),
  })
  .describe(`A step does one thing: ${verbNames.join(', ')}.`);

export const scenarioSchema = z
  .strictObject({
    about: z.string().max(500).optional().describe('What the scenario is for, in one sentence.'),
    seed: z.int().min(0).max(0xffff_ffff).optional().describe('Of all that is random; 1 when absent.'),
    start: z.iso
      .datetime()
      .optional()
      .describe('The time at the start; Monday, 5 January 2026, midnight UTC when absent.'),
    duration: duration.optional().describe('When the scenario ends; after the last step when absent.'),
    world: world.optional(),
    simulators: z
      .record(
        name,
        z.discriminatedUnion('kind', simulators, { error: `must be ${listed(commands.map(({ kind }) => kind))}` }),
      )
      .refine((all) => Object.keys(all).length > 0, { error: 'must not be empty' }),
    timeline: z.array(step).max(10_000).optional(),
  })
  .describe('A scenario of gatehouse sim lab.');

export type Scenario = z.output<typeof scenarioSchema>;
export type Step = z.output<typeof step>;
export type ScenarioSimulator = Scenario['simulators'][string];

/** The JSON Schema for editors. */
export function describeScenario(): Record<string, unknown> {
  return z.toJSONSchema(scenarioSchema, { io: 'input', reused: 'ref' });
}
