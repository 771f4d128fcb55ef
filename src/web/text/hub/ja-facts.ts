// Japanese of the sentences that the hub has a code for (contract/facts.ts).
import type { HubWords } from './en.ts';

export const facts = {
  feed_off: () => '設定で無効になっています。',
  feed_empty: () => 'リストが空のため、何も検出されません。',
  feed_offline: () => 'ハブはオフラインモードです。',
  feed_key_missing: () => 'abuse.ch の無料の API キーが必要です。下の設定で入力してください。',
  feed_key_refused: () => 'API キーが abuse.ch に拒否されました。下の設定で入力し直してください。',
  feed_failed: () => '配布元から取得できませんでした。',
  feed_tried_again: () => '自動的に再試行します。',
  feed_unconfirmed: ({ at }) => `${at} 以降、最新かどうかを確認できていません。`,
  list_missing: () => 'リストはまだありません。',
  list_in_use: ({ at }) => `${at} のリストを使っています。`,
  log_missing: ({ file }) => `${file} はまだありません。`,
  log_unreadable: ({ file }) => `${file} を読み取れません。`,
  mesh_entries_dropped: ({ entries }) => `一覧のうち ${entries} 件は解釈できないため、除いています。`,
  mesh_login_refused: () => 'ユーザー名またはパスワードが拒否されました。入力し直すまで再試行しません。',
  mesh_failed: () => 'アクセスポイントを読み取れませんでした。アドレスと接続を確認してください。',
} satisfies Required<HubWords['facts']>;
