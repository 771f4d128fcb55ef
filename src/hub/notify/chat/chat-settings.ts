// What the operator set for the chat workspace. Its stored form is part of the settings document.

export interface ChatSettings {
  enabled: boolean;
  /** In clear text; sealed in the settings document. Empty until set. */
  token: string;
  /** Member or channel that receives alerts; empty until set. */
  userId: string;
  /** For people: whom `userId` names. */
  displayName: string;
  cooldownMinutes: number;
  /** Whether it also says that an alert which it was told of is resolved. */
  tellResolved: boolean;
}
