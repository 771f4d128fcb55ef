// What a feature wants told in the chat workspace, in plain words: how it is written there is decided here alone.

export interface ChatAlert {
  /** Names it for good: an alert with the same key is put in once. */
  key: string;
  /** When it happened, epoch milliseconds. */
  at: number;
  /** Our own words. */
  title: string;
  /** Facts in order of importance; values may come from the network and are not trusted. */
  facts: readonly { label: string; value: string }[];
  /** A text of several lines, not trusted either. */
  body?: string;
}
