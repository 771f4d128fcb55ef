// Settings of a webhook, until the contract of destinations has them.

export interface WebhookSettings {
  preset: 'json' | 'ntfy' | 'gotify' | 'discord' | 'telegram' | 'pushover' | 'teams' | 'home_assistant';
  url: string;
  /** Key of the signature, or token of the service. */
  secret: string;
  /** Chat of telegram, user of pushover. */
  to: string;
  allowPrivate: boolean;
}
