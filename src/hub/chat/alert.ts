// An alert for the chat workspace; message-text.ts decides how it is written there.

export interface ChatAlert {
  /** Names it for good: an alert with the same key is put in once. */
  key: string;
  /** When it happened, epoch milliseconds. */
  at: number;
  /** Text of this program. */
  title: string;
  /** Facts in order of importance; values may come from the network and are not trusted. */
  facts: readonly { label: string; value: string }[];
  /** A text of several lines, not trusted either. */
  body?: string;
}
