// Japanese of the insights.
import type { InsightsDictionary } from './en.ts';

export const ja: InsightsDictionary = {
  stays: 'この画面の内容は、このハブの外へ送信されません。',
  amount: (period, _count, shown, change) => `${period}: 接続 ${shown} 件、${change}。`,
  alone: '比較対象なし',
  blind: 'この期間にルーターは読み取られていません。',
  blindBefore:
    '前の期間にルーターは読み取られていません。新しく見えるものは、このハブにとって新しいだけかもしれません。',
  weak: (now, before) => `この比較は確実ではありません。観測できたのは、この期間の ${now}、前の期間の ${before} です。`,
  listed: (danger, warn) => `既知の不正な宛先への接続: 危険 ${danger}、警告 ${warn}。`,
  noneListed: '既知の不正な宛先への接続はありません。',
  more: (shown) => `${shown} 増`,
  fewer: (shown) => `${shown} 減`,
  same: '増減なし',
  weakly: (change) => `${change}、不確実`,
  notComparable: '比較不可',
  comparison: '比較',
  now: 'この期間',
  earlier: '前の期間',
  change: '増減',
  observed: '観測',
  unjudged: '未照合',
  inPart: (share) => `${share}（一部）`,
  services: 'サービス',
  destinations: '宛先',
  notNow: '現在は読み取れていません',
  isOff: '無効',
  copy: '文章としてコピー',
  tooLong: '分析で比較できるのは14日間までです。短い期間を選んでください。',
};
