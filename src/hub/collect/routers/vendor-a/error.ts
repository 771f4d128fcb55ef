// Tells vendor_a's error lines from output, in English and Japanese, with the colon in half or full width.

export type VendorAError = 'unknown_command' | 'syntax' | 'privilege' | 'password' | 'restricted' | 'context' | 'other';

const table: readonly (readonly [RegExp, VendorAError])[] = [
  [/^Invalid command name|^コマンド名を確認してください/, 'unknown_command'],
  [/^Illegal keyword|^パラメータのキーワードが認識できません/, 'unknown_command'],
  [/^Insufficient or too many parameters|^パラメータの数が不適当です/, 'syntax'],
  [/^Parameter out of range|^パラメータが範囲を越えています/, 'syntax'],
  [/^Parameter must be an integer|^パラメータは整数で指定してください/, 'syntax'],
  [/^Unrecognized IP address parameter|^IPアドレスが認識できません/, 'syntax'],
  [/^Administrator use only|^このコマンドは管理レベルでのみ使用できます/, 'privilege'],
  [/^Incorrect password|^パスワードが間違っています/, 'password'],
  [/^Login access is restricted/, 'restricted'],
  [/^Execute .* beforehand/, 'context'],
];

/** The class of an error line; `null` for a line that is none. */
export function parseVendorAError(line: string): VendorAError | null {
  const parts = /^\s*(?:Error|エラー)\s*[:：]\s*(.*)$/.exec(line);
  if (!parts) {
    return null;
  }
  return table.find(([text]) => text.test(parts[1] ?? ''))?.[1] ?? 'other';
}
