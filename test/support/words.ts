// What the page says in each language: tests find things by these words, as people do.
import { type AiDictionary, en as aiEn } from '../../src/web/text/ai/en.ts';
import { ja as aiJa } from '../../src/web/text/ai/ja.ts';
import { type AlertsDictionary, en as alertsEn } from '../../src/web/text/alerts/en.ts';
import { ja as alertsJa } from '../../src/web/text/alerts/ja.ts';
import { type AssistantDictionary, en as assistantEn } from '../../src/web/text/assistant/en.ts';
import { ja as assistantJa } from '../../src/web/text/assistant/ja.ts';
import { type Dictionary, en as pageEn } from '../../src/web/text/en.ts';
import { type FrameDictionary, en as frameEn } from '../../src/web/text/frame/en.ts';
import { ja as frameJa } from '../../src/web/text/frame/ja.ts';
import { ja as pageJa } from '../../src/web/text/ja.ts';
import { type LogDictionary, en as logEn } from '../../src/web/text/log/en.ts';
import { ja as logJa } from '../../src/web/text/log/ja.ts';
import { type RestoreDictionary, en as restoreEn } from '../../src/web/text/restore/en.ts';
import { ja as restoreJa } from '../../src/web/text/restore/ja.ts';
import { type SettingsDictionary, en as settingsEn } from '../../src/web/text/settings/en.ts';
import { ja as settingsJa } from '../../src/web/text/settings/ja.ts';

export type Language = 'en' | 'ja';

export interface Words {
  readonly language: Language;
  /** The words that every place may show. */
  readonly page: Dictionary;
  readonly frame: FrameDictionary;
  readonly log: LogDictionary;
  readonly alerts: AlertsDictionary;
  readonly settings: SettingsDictionary;
  readonly restore: RestoreDictionary;
  readonly assistant: AssistantDictionary;
  readonly ai: AiDictionary;
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    language: 'en',
    page: pageEn,
    frame: frameEn,
    log: logEn,
    alerts: alertsEn,
    settings: settingsEn,
    restore: restoreEn,
    assistant: assistantEn,
    ai: aiEn,
  },
  ja: {
    language: 'ja',
    page: pageJa,
    frame: frameJa,
    log: logJa,
    alerts: alertsJa,
    settings: settingsJa,
    restore: restoreJa,
    assistant: assistantJa,
    ai: aiJa,
  },
};

/** Stands for any words in a sentence: `t.restored(anything)`. */
export const anything = '\ufffc';

/** Matches a text that contains the sentence. */
export function toPattern(sentence: string, { isWhole = false } = {}): RegExp {
  const inner = sentence.split(anything).map(escapePattern).join('.+');
  return new RegExp(isWhole ? `^${inner}$` : inner);
}

/** A space stands for one that does not break too. */
const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '\\s');
