// Parses SHA-256 fingerprints of certificates.

/** Hex pairs, with or without colons, as `AA:BB:…`; null when it is no SHA-256. */
export function parseFingerprint(text: string): string | null {
  const hex = text.replaceAll(':', '').toUpperCase();
  return /^[\dA-F]{64}$/.test(hex) ? (hex.match(/../g) ?? []).join(':') : null;
}
