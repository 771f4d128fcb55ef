// vendor_a's two languages and its error texts. The language follows the character set.

import type { CharacterSet, DeviceSettings } from '../model.ts';
import { displayWidth } from '../terminal/encoding.ts';

export type Language = 'en' | 'ja';

export function spokenCharacter(settings: DeviceSettings): CharacterSet {
  return settings.spokenCharacter ?? settings.character;
}

export function getLanguage(settings: DeviceSettings): Language {
  return spokenCharacter(settings) === 'en.ascii' ? 'en' : 'ja';
}

export function padLeft(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

const errors = {
  'unknown-command': { en: 'Invalid command name', ja: 'コマンド名を確認してください' },
  'unknown-keyword': { en: 'Illegal keyword', ja: 'パラメータのキーワードが認識できません' },
  count: { en: 'Insufficient or too many parameters', ja: 'パラメータの数が不適当です' },
  range: { en: 'Parameter out of range', ja: 'パラメータが範囲を越えています' },
  integer: { en: 'Parameter must be an integer', ja: 'パラメータは整数で指定してください' },
  privilege: { en: 'Administrator use only', ja: 'このコマンドは管理レベルでのみ使用できます' },
  password: { en: 'Incorrect password', ja: 'パスワードが間違っています' },
  context: { en: 'Execute pp select command beforehand', ja: '先にpp selectコマンドを実行してください' },
} as const;

export type ErrorName = keyof typeof errors;

/** The error line as the router prints it; the Japanese prefix has a half-width colon here. */
export function errorText(name: ErrorName, language: Language): string {
  return `${language === 'ja' ? 'エラー' : 'Error'}: ${errors[name][language]}`;
}
