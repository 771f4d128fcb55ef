// The surfaces whose change must be deliberate, as text. `npm run pins` writes them, a test compares them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { agentEnv } from '#agent/config.ts';
import { agentProgramLimits } from '#agent/limits.ts';
import { accessText } from '#contract/access.ts';
import { statusByCode } from '#contract/errors.ts';
import { liveEvents } from '#contract/events.ts';
import { api } from '#contract/index.ts';
import { limits } from '#contract/limits.ts';
import { checkDescriptions } from '#gate/checks.ts';
import { gateEnv } from '#gate/config.ts';
import { hubEnv } from '#hub/base/config.ts';
import { hubVariables } from '#hub/base/settings/variables/table.ts';
import { defaultText, type Variable } from '#hub/base/settings/variables/variable.ts';
import { describeMatrix } from '#kernel/http/describe.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { auditReasons } from '#mcp/audit.ts';
import { mcpEnv } from '#mcp/config.ts';
import { tools } from '#mcp/tools.ts';
import { commands } from '#simulators/commands.ts';
import { describeDifferences } from '#simulators/option-table.ts';
import { describeScenario } from '#simulators/scenario/schema.ts';
import { limits as upsgetLimits } from '#upsget/limits.ts';
import { requirements } from '../test/requirements.ts';
import { findsByCheck, withMistakes } from './gate-mistakes.ts';
import { replaceMarkedPart } from './marked-part.ts';
import { openApi } from './reference/openapi.ts';
import { root } from './sources.ts';

/** Repository path → content. */
export function surfaces(): Record<string, string> {
  return {
    'test/pins/permission-matrix.txt': describeMatrix(api, accessText),
    'test/pins/limits.txt': table(limits),
    'test/pins/upsget-limits.txt': table(upsgetLimits),
    'test/pins/errors.txt': table(statusByCode),
    'test/pins/env.txt': variables(hubEnv.shape),
    'test/pins/mcp-env.txt': variables(mcpEnv.shape),
    'test/pins/agent-env.txt': variables(agentEnv.shape),
    'test/pins/agent-limits.txt': table(agentProgramLimits),
    'test/pins/tools.txt': `${tools.map(toolText).join('\n')}\n`,
    'test/pins/live-events.txt': `${Object.entries(liveEvents).map(eventText).join('\n')}\n`,
    'test/pins/audit-reasons.txt': `${auditReasons.join('\n')}\n`,
    'test/pins/gate-env.txt': variables(gateEnv.shape),
    'test/pins/checks.txt': `${checkDescriptions
      .map(({ id, category, needs }) => `${id.padEnd(36)} ${category.padEnd(28)} ${needs.join(' ')}`.trimEnd())
      .join('\n')}\n`,
    'test/pins/requirements.txt': `${requirements.map(({ id }) => id).join('\n')}\n`,
    'gate/finds.json': `${JSON.stringify(findsByCheck(), null, 1)}\n`,
    'docs/gate.md': withMistakes(readFileSync(path.join(root, 'docs/gate.md'), 'utf8')),
    'docs/simulators.md': withOptionDifferences(readFileSync(path.join(root, 'docs/simulators.md'), 'utf8')),
    'docs/reference/hub-variables.md': hubVariablesPage(),
    'simulators/scenarios/scenario.schema.json': `${JSON.stringify(describeScenario(), null, 2)}\n`,
    'docs/openapi.json': `${JSON.stringify(openApi(packageVersion()), null, 2)}\n`,
  };
}

/** Options of simulators that are not the same on the command line and in code. */
function withOptionDifferences(document: string): string {
  const tables = Map.groupBy(commands, ({ options }) => options);
  const rows = [...tables].flatMap(([options, kinds]) =>
    describeDifferences(kinds.map(({ kind }) => kind).join(', '), options),
  );
  const text = ['| Kind | Option | In code | Differs |', '|---|---|---|---|', ...rows].join('\n');
  return replaceMarkedPart(document, 'the tables of options', text);
}

function hubVariablesPage(): string {
  const rows = Object.entries<Variable>(hubVariables).map(([name, variable]) => {
    const fallback = defaultText(variable);
    const secret = variable.secret ? ' A secret.' : '';
    return `| \`${name}\` | ${fallback === null ? '' : `\`${fallback}\``} | ${variable.text}${secret} |`;
  });
  return `# Variables of the hub

\`npm run pins\` writes this page from \`src/hub/base/settings/variables/table.ts\`. \`gatehouse hub --help\` shows the same.

- An empty variable counts as absent. A wrong value stops the start with one sentence that names the variable.
- \`NAME_FILE\` instead of \`NAME\` is the path of a file that holds the value, such as a secret of a container.

| Variable | Default | Meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function table(values: Readonly<Record<string, string | number>>): string {
  return `${Object.entries(values)
    .map(([name, value]) => `${name.padEnd(28)} ${value}`)
    .join('\n')}\n`;
}

/** Name, permission, arguments and members of the result. */
function toolText({ name, permission, input, output }: (typeof tools)[number]): string {
  const names = (schema: typeof input) => Object.keys(schema.shape).join(' ');
  return `${name} ${permission}\n  in  ${names(input)}\n  out ${names(output)}`;
}

/** Two lines for a live event: its name and permission, then the members of its data or of each entry of a list. */
function eventText([name, { needs, data }]: [string, (typeof liveEvents)[keyof typeof liveEvents]]): string {
  return `${name} ${needs}\n  ${Object.keys('element' in data ? data.element.shape : data.shape).join(' ')}`;
}

function variables(shape: Readonly<Record<string, { safeParse(value: unknown): { data?: unknown } }>>): string {
  return `${Object.entries(shape)
    .map(([name, schema]) => `${name.padEnd(36)} ${fallback(schema)}`)
    .join('\n')}\n`;
}

/** What an absent variable means. */
function fallback(schema: { safeParse(value: unknown): { data?: unknown } }): string {
  const { data } = schema.safeParse(undefined);
  return data === undefined ? '(none)' : JSON.stringify(data);
}
