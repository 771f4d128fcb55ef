// Japanese of what is not kept.
import type { PrivacyDictionary } from './en.ts';

export const ja: PrivacyDictionary = {
  title: '残さない記録',
  notKept: 'この機器の接続先を残さない',
  consequence:
    '今後の接続は、接続先なしで数だけ数えます。一覧、地図、書き出し、バックアップ、メッセージのどこにも現れず、あとから調べることもできません。これまでの記録は、消去するまで残ります。',
  isMarked: '選択により、この機器の接続先は残しません。',
  byOther: 'アドレス範囲またはゲストの規則がこの機器に適用されています（設定、プライバシー）。',
  counted: (_, shown) => `この期間の接続 ${shown} 件を、接続先なしで数えました。`,
  keep: '接続先を再び残す',
  keepTitle: (name) => `${name} の接続先を再び残しますか。`,
  keepHelp: '新しい接続は接続先とともに保存します。残さなかったものは元に戻せません。',
  erase: '残っている記録を消去',
  eraseTitle: (name) => `${name} の残っている記録を消去しますか。`,
  eraseHelp:
    '接続、その接続先、それに関する通知を完全に消去します。バックアップ、ClickHouse、保存済みの AI との会話には触れません。',
  erasing: '消去を実行しています。',
  erased: (connections, destinations) =>
    `消去しました: 接続 ${connections} 件、他の機器にない接続先 ${destinations} 件。`,
  failed: '前回の消去は失敗しました。消去済みの分は残っていません。もう一度実行してください。',
  remains: (backups, hours, conversations) =>
    `触れていないもの: バックアップ ${backups} 個、ClickHouse の ${hours} 時間分、AI との会話 ${conversations} 件。`,
  rules: '接続先を残さない機器',
  rulesHelp: '接続の数だけを数えます。観測の範囲には、欠落ではなく選択として示します。',
  none: 'すべての機器の接続先を残しています。',
  kinds: { device: '機器', range: 'アドレス', guests: 'ゲスト' },
  covers: (_, shown) => `現在 ${shown} 台`,
  since: (at, by) => `${at} から、設定者 ${by}`,
  told: '脅威は知らせる',
  add: '追加',
  kind: '種類',
  value: '対象',
  valueHelp: 'MAC アドレス、またはアドレスか「アドレス/長さ」。ゲストの場合は空にします。',
  guestsHelp: 'ゲストとは、規則を作った後に現れた機器で、まだ誰もメモを書いていないものです。',
  tellThreats: '脅威は知らせる',
  tellThreatsHelp: '通知に接続先が書かれ、保存されます。',
};
