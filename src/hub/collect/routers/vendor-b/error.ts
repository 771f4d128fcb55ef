// Tells vendor_b's refusals from output.

export type VendorBError = 'not_accepted' | 'incomplete' | 'unknown_command' | 'authorization' | 'password';

const table: readonly (readonly [RegExp, VendorBError])[] = [
  [/^% Invalid input detected at /, 'not_accepted'],
  [/^% Ambiguous command:/, 'not_accepted'],
  [/^% Incomplete command\./, 'incomplete'],
  [/^% Unknown command or computer name/, 'unknown_command'],
  [/^Command authorization failed\.|^% Authorization failed\./, 'authorization'],
  [
    /^% (?:Bad secrets|Bad passwords|Access denied|Error in authentication\.|No password set|Login invalid)/,
    'password',
  ],
  [/^% ?Password:\s+timeout expired!/, 'password'],
];

/**
 * The class of a refusal; `null` for other lines. `not_accepted` is also what a user without the privilege for a
 * command sees, so it does not prove that the firmware lacks the command.
 */
export function parseVendorBError(line: string): VendorBError | null {
  const text = line.trim();
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
