// What the operator set for logging in through an OIDC issuer. Its stored form is part of the settings document.

export interface OidcSettings {
  enabled: boolean;
  /** Issuer identifier, an https URL (http on loopback only); empty until set. */
  issuer: string;
  clientId: string;
  /** In clear text; sealed in the settings document. Empty until set. */
  clientSecret: string;
  /** Lower case; a match means operator. */
  allowedEmails: readonly string[];
  /** Lower case, without `@`; a match means viewer. */
  allowedDomains: readonly string[];
}
