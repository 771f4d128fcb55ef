// Publishes events at an MQTT broker, over one connection that is held while the sender lives.

import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { connectMqtt, type MqttConnection } from '#kernel/mqtt/connection.ts';
import { createAvailabilityMessage, type Message } from '#kernel/mqtt/message.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import { startWorkLoop, type WorkLoop } from '#kernel/time/work-loop.ts';
import { SendFailure } from '../../send-failure.ts';
import type { DeliveryTry, Sender, SenderDeps, SettingsOf } from '../sender.ts';
import { toMqttFailure } from './failure.ts';
import { createHubDiscovery, homeAssistantStatus } from './home-assistant.ts';
import { createEventMessage, SentEvents } from './messages.ts';

export interface MqttSenderDeps extends SenderDeps {
  /** Looks a host up; fails with `ForbiddenTarget` where the settings allow no connection. */
  lookup: LookupFunction;
}

/** The longest time to connect, and the longest time until the broker acknowledges a message. */
const answerMs = 15_000;
const goodbyeMs = 2_000;
/** After a connection that lived as long, the sender connects again soon. */
const stableMs = 60_000;
const longestRestMs = 300_000;

/** Connects at once, and again whenever the connection is lost. */
export function createMqttSender(settings: SettingsOf<'mqtt'>, deps: MqttSenderDeps): Sender {
  return new MqttSender(settings, deps);
}

class MqttSender implements Sender {
  readonly #settings: SettingsOf<'mqtt'>;
  readonly #deps: MqttSenderDeps;
  readonly #where: string;
  readonly #sent: SentEvents;
  readonly #stop = new AbortController();
  readonly #loop: WorkLoop;
  readonly #open: (signal: AbortSignal) => Promise<MqttConnection>;
  #connection: MqttConnection | null = null;
  #failures = 0;

  constructor(settings: SettingsOf<'mqtt'>, deps: MqttSenderDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#where = `MQTT broker ${settings.host}, port ${settings.port}`;
    this.#sent = new SentEvents(deps.clock.now());
    this.#open = shareWork(() => this.#connect());
    this.#loop = startWorkLoop({
      clock: deps.clock,
      step: (signal) => this.#holdConnection(signal),
      failed: (error) => this.#restAfter(error),
    });
  }

  async send(one: DeliveryTry): Promise<void> {
    const connection = this.#connection ?? (await this.#open(one.signal));
    const { topic } = this.#settings;
    try {
      await this.#publish(connection, createEventMessage(topic, one), one.signal);
    } catch (error) {
      one.signal.throwIfAborted();
      throw toMqttFailure(error, this.#where, this.#settings.allowPrivate);
    }
    this.#sent.add(one.event);
    // The broker has taken the event. A state that is lost is published again with the next connection.
    const state = this.#sent.toMessage(topic);
    await (state && this.#publish(connection, state, one.signal).catch(() => {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new SendFailure('unreachable', 'closed', `the connection to ${this.#where} is being closed`));
    const connection = this.#connection;
    if (connection) {
      const offline = createAvailabilityMessage(this.#settings.topic, 'offline');
      const late = () => new Error('the broker did not answer');
      await withDeadline(this.#deps.clock, goodbyeMs, late, undefined, async (signal) => {
        await connection.publish(offline, 1, signal);
        await connection.end(signal);
      }).catch(() => connection.abandon());
    }
    await this.#loop[Symbol.asyncDispose]();
  }

  async #connect(): Promise<MqttConnection> {
    const { host, port, tls, ca, user, password, topic } = this.#settings;
    const { clock, lookup } = this.#deps;
    const broker = { host, port, tls, ca: ca || null, user: user || null, password: password || null, lookup };
    const will = createAvailabilityMessage(topic, 'offline');
    let opened: MqttConnection | null = null;
    try {
      return await withDeadline(
        clock,
        answerMs,
        () => this.#late(),
        this.#stop.signal,
        async (signal) => {
          if (isIP(host)) {
            // A socket does not look up a host that is an address, so the check is made here.
            await promisify(lookup)(host, {});
          }
          const connection = await connectMqtt({ ...broker, will }, signal);
          opened = connection;
          await this.#introduce(connection, signal);
          this.#connection = connection;
          connection.lost.catch(() => {
            this.#connection = null;
          });
          return connection;
        },
      );
    } catch (error) {
      (opened as MqttConnection | null)?.abandon();
      throw toMqttFailure(error, this.#where, this.#settings.allowPrivate);
    }
  }

  /** Says what the hub is and that it is there. Says so again to a Home Assistant that starts later. */
  async #introduce(connection: MqttConnection, signal: AbortSignal): Promise<void> {
    const { topic, discovery } = this.#settings;
    const online = createAvailabilityMessage(topic, 'online');
    const announce = async (by: AbortSignal) => {
      if (discovery) {
        await connection.publish(createHubDiscovery(topic, this.#deps.version, this.#deps.hubUrl), 1, by);
      }
      const state = this.#sent.toMessage(topic);
      await (state && connection.publish(state, 1, by));
      await connection.publish(online, 1, by);
    };
    const hear = (message: Message) => {
      const isStarting = message.topic === homeAssistantStatus && message.payload === 'online';
      // The broker may publish the will of an earlier connection late. Without this answer, the hub would seem to be gone.
      const isWrong = message.topic === online.topic && message.payload === 'offline';
      if ((isStarting || isWrong) && !message.retain && !this.#stop.signal.aborted) {
        void announce(this.#stop.signal).catch(() => {});
      }
    };
    const topics = [online.topic, ...(discovery ? [homeAssistantStatus] : [])];
    await connection.subscribe(topics, signal, hear).catch((error: unknown) => {
      signal.throwIfAborted();
      this.#deps.log.warn(
        { error: String(error) },
        `${this.#where} refused to let the hub listen to ${topics.join(', ')}`,
      );
    });
    await announce(signal);
  }

  /** Publishes a message. Drops the connection when the broker does not acknowledge it, since the library would wait for ever. */
  async #publish(connection: MqttConnection, message: Message, signal: AbortSignal): Promise<void> {
    try {
      await withDeadline(
        this.#deps.clock,
        answerMs,
        () => this.#late(),
        signal,
        (by) => connection.publish(message, 1, by),
      );
    } catch (error) {
      connection.abandon();
      throw error;
    }
  }

  #late(): SendFailure {
    return new SendFailure('unreachable', 'no_answer', `${this.#where} did not answer within ${answerMs / 1000} s`);
  }

  /** Takes one step of the loop: it connects, waits until the connection is lost, and returns how long to rest. */
  async #holdConnection(signal: AbortSignal): Promise<number> {
    const connection = this.#connection ?? (await this.#open(signal));
    const { clock } = this.#deps;
    const since = clock.monotonic();
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    await Promise.race([connection.lost.catch(() => {}), stopped.promise]);
    this.#failures = clock.monotonic() - since < stableMs ? this.#failures + 1 : 0;
    return this.#restMs();
  }

  #restAfter(error: unknown): number {
    this.#failures += 1;
    if (this.#failures === 1) {
      this.#deps.log.warn({ error: String(error) }, `${this.#where} cannot be reached; the hub goes on trying`);
    }
    return this.#restMs();
  }

  #restMs(): number {
    return Math.min(1000 * 2 ** this.#failures, longestRestMs);
  }
}
