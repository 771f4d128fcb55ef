// vendor_a's `console …` settings: device-wide, visible to every login, and part of the configuration.
import type { DeviceSettings } from '../model.ts';
import type { ErrorName } from './words.ts';

export type ConsoleChange = Partial<DeviceSettings> | ErrorName;

const characters: Readonly<Record<string, DeviceSettings['character']>> = {
  'en.ascii': 'en.ascii',
  'ja.sjis': 'ja.sjis',
  'ja.euc': 'ja.euc',
  'ja.utf8': 'ja.utf8',
  ascii: 'en.ascii',
  sjis: 'ja.sjis',
  euc: 'ja.euc',
};

export function consoleCharacter(name: string): ConsoleChange {
  const character = characters[name.toLowerCase()];
  return character ? { character } : 'unknown-keyword';
}

/** 10…100 or `infinity`; 0, which other vendors take for "no paging", is out of range here. */
export function consoleLines(text: string): ConsoleChange {
  if (text.length >= 3 && 'infinity'.startsWith(text.toLowerCase())) {
    return { lines: 'infinity' };
  }
  const lines = integer(text);
  return lines === null ? 'integer' : lines < 10 || lines > 100 ? 'range' : { lines };
}

export function consoleColumns(text: string): ConsoleChange {
  const columns = integer(text);
  return columns === null ? 'integer' : columns < 80 || columns > 200 ? 'range' : { columns };
}

/** Up to 64 characters; spaces and brackets are allowed. */
export function consolePrompt(text: string): ConsoleChange {
  return text.length > 64 ? 'range' : { hostName: text };
}

export function consoleInfo(text: string): ConsoleChange {
  return text === 'on' ? { consoleInfo: true } : text === 'off' ? { consoleInfo: false } : 'unknown-keyword';
}

export function integer(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
