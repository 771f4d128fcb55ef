// Sends the values of a reading to the outputs: stdout or a file, MQTT, the trapper. Outputs fail independently.
import type { Message } from '#kernel/mqtt/message.ts';
import { Failure, Failures, messageOf } from './failure.ts';
import { formatAuthority } from './host.ts';
import { findMissing, items, type Reading, toReadings } from './items.ts';
import { formatJson } from './json.ts';
import { limits } from './limits.ts';
import type { Page } from './page.ts';
import type { Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** Throws a Failure when there are no values or an output failed. */
export async function deliver(
  page: Page,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const readings = toReadings(page, settings.all);
  if (settings.output === 'items') {
    await emit(formatSelected(readings, settings.selected, page), settings, terminal);
  } else {
    warnAboutMissing(readings, page, terminal);
  }
  const ways: (() => Promise<void>)[] = [];
  if (settings.output !== null && settings.output !== 'items') {
    ways.push(async () => emit(await formatReadings(readings, settings), settings, terminal));
  }
  if (settings.mqtt) {
    ways.push(() => publishReadings(readings, settings, env, signal));
  }
  if (settings.trapper) {
    const target = settings.trapper;
    ways.push(async () => (await import('./trapper.ts')).sendToTrapper(readings, target, env, signal));
  }
  const failures: string[] = [];
  for (const way of ways) {
    try {
      await way();
    } catch (error) {
      signal.throwIfAborted();
      failures.push(messageOf(error));
    }
  }
  if (failures.length > 0) {
    throw new Failures(failures);
  }
}

/** Normal mode: all selected values in one line. Fails when one is missing, because the others would shift. */
function formatSelected(readings: readonly Reading[], selected: readonly string[], page: Page): string {
  const missing = items.filter(
    ({ name }) => selected.includes(name) && !readings.some(({ item }) => item.name === name),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name, elementIds }) => `${name} (element ${elementIds.join(' or ')})`);
    throw new Failure(`value retrieval failed: the status page has no ${names.join(', ')}${otherIds(page)}`);
  }
  return `${readings
    .filter(({ item }) => selected.includes(item.name))
    .map(({ text }) => text)
    .join(' ')}\n`;
}

function warnAboutMissing(readings: readonly Reading[], page: Page, terminal: Terminal): void {
  const missing = findMissing(readings);
  for (const { name, elementIds } of missing) {
    terminal.warn(`${name} is skipped: the status page has no value in element ${elementIds.join(' or ')}`);
  }
  if (readings.length === 0) {
    throw new Failure(`no items retrieved: the status page has none of the values${otherIds(page)}`);
  }
}

/** Unknown element ids, which a new version of the product may use. */
function otherIds(page: Page): string {
  const known = new Set(items.flatMap(({ elementIds }) => elementIds));
  const others = [...page.values.keys()].filter((id) => !known.has(id)).slice(0, 20);
  return others.length === 0 ? '' : `; it has ${others.join(', ')}`;
}

async function formatReadings(readings: readonly Reading[], settings: Settings): Promise<string> {
  switch (settings.output) {
    case 'prometheus':
      return (await import('./prometheus.ts')).formatPrometheus(readings, settings.host);
    case 'nut':
      return (await import('./nut.ts')).formatNut(readings);
    default:
      return `${formatJson(readings, settings)}\n`;
  }
}

async function emit(text: string, { outputFile }: Settings, terminal: Terminal): Promise<void> {
  if (outputFile === null) {
    await terminal.print(text);
    return;
  }
  const { replaceFile } = await import('./files.ts');
  try {
    replaceFile(outputFile, text, 0o644);
  } catch (error) {
    throw new Failure(`${outputFile} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

async function publishReadings(
  readings: readonly Reading[],
  settings: Settings,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const { mqtt, host, port, watchMs } = settings;
  if (!mqtt) {
    return;
  }
  const { publish } = await import('./mqtt.ts');
  const state = { topic: mqtt.topic, payload: formatJson(readings, settings), retain: mqtt.retain };
  // Two readings may fail before the values expire.
  const expireMs = watchMs === null ? null : 3 * watchMs + limits.requestMs;
  const messages = mqtt.discovery ? await toDiscoveryMessages(readings, state, { host, port, expireMs }) : [state];
  try {
    await publish(messages, mqtt, env, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Failure
      ? error
      : new Failure(`MQTT publish to ${formatAuthority(mqtt.broker, mqtt.port)} failed: ${messageOf(error)}`, {
          cause: error,
        });
  }
}

/** Wraps the state for Home Assistant: discovery before it, availability after it. */
async function toDiscoveryMessages(
  readings: readonly Reading[],
  state: Message,
  about: { host: string; port: number; expireMs: number | null },
): Promise<Message[]> {
  const [{ createAvailabilityMessage }, { createUpsDiscovery }, { packageVersion }] = await Promise.all([
    import('#kernel/mqtt/message.ts'),
    import('./discovery.ts'),
    import('./version.ts'),
  ]);
  const { topic } = state;
  const sensors = createUpsDiscovery(readings, { ...about, topic, version: packageVersion() });
  return [sensors, state, createAvailabilityMessage(topic, 'online')];
}
