// The blocks of docs/upsget.md: read from the UPS of the demo, and seen by what they send to.
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { eventually } from '../eventually.ts';
import { blocksIn } from './blocks.ts';
import type { Scene } from './scenes.ts';
import type { DocumentStage } from './stage.ts';

const document = 'docs/upsget.md';

export const upsgetScenes: Readonly<Record<string, Scene>> = {
  [`${document} first`]: async (block, stage) => {
    expect(await stage.shell([block])).toMatch(
      /^[\d.]+\n\w[\w ]* \d+\n\{"status":"[^"]+","load":"[\d.]+","runtime":"\d+","voltage":"[\d.]+","battery":"[\d.]+","batteryvoltage":"[\d.]+"\}\n$/,
    );
  },
  [`${document} homeassistant`]: async (block, stage) => {
    await using broker = await startBroker({ user: 'upsget', password: 'secret of the test' });
    const to = `--mqtt-send ${broker.url.hostname} --mqtt-port ${broker.url.port}`;
    const text = block.text.replace('--mqtt-send 192.168.1.10', to);
    await using program = stage.start(`env UPSGET_MQTT_PASSWORD='secret of the test' ${text}`);
    const published = await eventually(
      async () => new Map(broker.messages.map((message) => [message.topic, message.payload])),
      (topics) => (topics.size >= 3 ? topics : undefined),
    );
    const announced = [...published].filter(([topic]) => topic.startsWith('homeassistant/'));
    expect(announced.length).toBeGreaterThan(0);
    const used = announced.flatMap(([, text]) => [
      ...text.matchAll(/"(?:state_topic|availability_topic|topic)":"([^"]+)"/g),
    ]);
    expect(used.length).toBeGreaterThan(0);
    expect(used.map(([, topic = '']) => topic).filter((topic) => !published.has(topic))).toEqual([]);
    await endedWell(program);
  },
  [`${document} sensor`]: async (block, stage) => {
    const [{ sensor }] = (parse(block.text) as { command_line: [{ sensor: Record<string, unknown> }] }).command_line;
    const text = String(sensor.command)
      .replace('/opt/gatehouse/bin/upsget.js', 'upsget')
      .replace('/config/upsget.conf', stage.upsFile);
    const values = JSON.parse(await stage.shell([{ ...block, text }])) as Record<string, unknown>;
    const [, named = ''] = /^\{\{ value_json\.(\w+) \}\}$/.exec(String(sensor.value_template)) ?? [];
    expect(Object.keys(values)).toEqual(expect.arrayContaining([named, ...(sensor.json_attributes as string[])]));
    expect(sensor.command_timeout).toBeGreaterThan(30);
  },
  [`${document} prometheus`]: async (block, stage) => {
    const names = metricNames(await written(stage, block.text, '/var/lib/node_exporter/textfile/ups.prom'));
    const { text: prose } = { text: readFileSync(document, 'utf8') };
    expect([...names].filter((name) => !prose.includes(`\`${name}`))).toEqual([]);
  },
  [`${document} rules`]: async (block, stage) => {
    const { groups } = parse(block.text) as { groups: { rules: { expr: string }[] }[] };
    const asked = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/\bups_\w+/g) ?? []));
    const names = metricNames(await stage.shell([{ ...block, text: 'upsget --prometheus' }]));
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  },
  [`${document} zabbix`]: async (block, stage) => {
    const [, list = ''] =
      /The host needs trapper items\n([\s\S]*?)\(numbers\)/.exec(readFileSync(document, 'utf8')) ?? [];
    const keys = [...list.matchAll(/`(ups\.\w+)`/g)].map(([, key = '']) => key);
    await using trapper = await startTrapper({ known: { 'my-ups': keys } });
    const to = `${trapper.url.hostname} --trapper-port ${trapper.url.port}`;
    await stage.shell([{ ...block, text: block.text.replace('zabbix.example', to) }]);
    expect(trapper.values.map(({ host, key }) => `${host} ${key}`)).toEqual(keys.map((key) => `my-ups ${key}`));
  },
  [`${document} nut`]: async (block, stage) => {
    const text = await written(stage, block.text, '/etc/nut/ups.dev');
    expect(text).toMatch(/^(?:[\w.]+: .+\n)+$/);
    expect(text).toMatch(/^ups\.status: OL/m);
    // The driver reads the file by the name that the block below says.
    const driver = blocksIn(document).find(({ text: other }) => other.includes('driver = dummy-ups'));
    expect(driver?.text).toContain('port = ups.dev');
  },
};

/** What a block writes into `file` while it runs, which is put into the folder of the stage. */
async function written(stage: DocumentStage, text: string, file: string): Promise<string> {
  const place = `${stage.folder}/${file.slice(file.lastIndexOf('/') + 1)}`;
  await using program = stage.start(text.replace(file, place));
  await eventually(
    async () => existsSync(place),
    (isThere) => isThere || undefined,
  );
  const found = readFileSync(place, 'utf8');
  await endedWell(program);
  return found;
}

async function endedWell(program: ReturnType<DocumentStage['start']>): Promise<void> {
  program.kill('SIGTERM');
  expect({ ...(await program.ended), stderr: program.stderr() }).toEqual({ code: 0, signal: null, stderr: '' });
}

/** Names of metrics in the text format; every line must be a sample or a comment of it. */
function metricNames(text: string): ReadonlySet<string> {
  const lines = text.trimEnd().split('\n');
  const sample = /^([a-z_]+)(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? (?:-?[\d.]+|NaN)$/;
  expect(lines.filter((line) => !sample.test(line) && !/^# (?:HELP|TYPE) [a-z_]+ ./.test(line))).toEqual([]);
  return new Set(lines.flatMap((line) => sample.exec(line)?.[1] ?? []));
}
