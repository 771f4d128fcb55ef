// A hub with one simulated router and a simulated chat workspace that is told of detections.
import path from 'node:path';
import type { HubOptions } from '#hub/base/config.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type ChatOptions, type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { type Lab, startLab } from './lab.ts';
import { watchLeaks } from './leak-guard.ts';

export interface DetectionLab extends Lab<'home'> {
  readonly chat: ChatSimulator;
  /** Texts of the messages that the workspace took. */
  told(): string[];
  /** A new session from the device to `dst`; its last packet comes 90 seconds later. */
  contact(dst: string, dport?: number): void;
  /** Judges every flow to `dst` that is in the log as a threat, as a feed that has just listed it would. */
  list(dst: string, verdict?: { level?: 'warn' | 'danger'; tag?: string }): Promise<void>;
}

export const device = '192.168.100.23';

/** What the first look found is forgotten, and what comes is not told: these labs are about other things. */
async function forgetNewDevices(lab: Lab<'home'>): Promise<void> {
  await lab.as.admin.detection.saveConfig({ body: { newDevice: { chat: false, history: false } } });
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => void writer.prepare("DELETE FROM detection WHERE type = 'new_device'").run());
  await db.close();
}

/** Judges every flow to `dst` in the log of this hub as a threat, as a feed that has just listed it would. */
export async function listAsThreat(
  dataDir: string,
  dst: string,
  { level = 'danger', tag = 'ExampleBot' }: { level?: 'warn' | 'danger'; tag?: string } = {},
): Promise<void> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  await db.write((writer) => {
    const { id } = writer
      .prepare(
        `INSERT INTO threat (level, confidence, source, tag, match_type, match_value)
         VALUES (?, 'high', 'feed_c2', ?, 'ip', ?)
         ON CONFLICT DO UPDATE SET level = excluded.level RETURNING id`,
      )
      .get(level === 'danger' ? 2 : 1, tag, dst) as { id: number };
    writer
      .prepare('UPDATE flow SET threat_id = ? WHERE destination_id = (SELECT id FROM destination WHERE address = ?)')
      .run(id, dst);
  });
  await db.close();
}

/** The router is there and polled; the workspace is set up unless `chat` says otherwise. */
export async function startDetectionLab(
  options: { chat?: ChatOptions; isSetUp?: boolean; hub?: Partial<HubOptions>; router?: 'vendor_a' | 'vendor_b' } = {},
): Promise<DetectionLab> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const chat = opened.use(await startChat(options.chat));
  const lab = opened.use(
    await startLab({
      routers: { home: options.router ?? 'vendor_a' },
      hub: { chatApiUrl: chat.url, ...options.hub },
    }),
  );
  await forgetNewDevices(lab);
  if (options.isSetUp ?? true) {
    const { token, userId } = chat.credentials;
    await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  }
  const detectionLab: Omit<DetectionLab, keyof Lab<'home'>> = {
    chat,
    told: () => chat.messages.map(({ text }) => text),
    contact: (dst, dport = 443) =>
      lab.routers.home.flow({ src: device, dst, dport, proto: 'tcp', lastsMs: 90_000, ends: 'silent' }),
    list: (dst, verdict) => listAsThreat(lab.dataDir, dst, verdict),
  };
  const whole = opened.move();
  return Object.assign(Object.create(lab) as Lab<'home'>, detectionLab, {
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  });
}
