// An alert for the chat workspace, and the way there. notify/chat/message-text.ts formats the message.
import type { Writer } from '#kernel/sqlite/sqlite.ts';

export interface ChatAlert {
  /** Identifies the alert: of two with the same key only the first is sent. */
  key: string;
  /** When it happened, epoch milliseconds. */
  at: number;
  /** Text of this program. */
  title: string;
  /** Facts in order of importance; values may come from the network and are not trusted. */
  facts: readonly { label: string; value: string }[];
  /** A text of several lines, not trusted either. */
  body?: string;
  /** Where the web UI shows it: an address of this hub. */
  link?: string;
  /** Where whoever gets the message acts on the alert once, without a login. */
  actionLink?: string;
}

export interface AlertChannel {
  /** Whether alerts are enabled and can be delivered. */
  isReady(): boolean;
  /** Queues the alert in the caller's transaction; `now` in epoch milliseconds. */
  put(writer: Writer, alert: ChatAlert, now: number): void;
  /** Minimum time between alerts for the same device and destination, in milliseconds. */
  cooldownMs(): number;
  /** Whether people want to know that an alert is resolved. */
  tellsResolved(): boolean;
  /** Starts the delivery of what was queued. Call it after the commit. */
  wake(): void;
}
