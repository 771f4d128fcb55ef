// Japanese of what the hub says in sentences, for words.ts.
import type { HubWords } from './en.ts';
import { aiReasons } from './ja-ai.ts';
import { facts } from './ja-facts.ts';
import { failures } from './ja-failures.ts';
import { causes, reasons } from './ja-refusals.ts';
import { routers } from './ja-routers.ts';
import { createReasons, type ReasonWords } from './reasons.ts';

const later = (seconds: string) => `${seconds === '' ? '少し' : ` ${seconds} 秒`}後にもう一度試してください。`;
const countOf = (limit: string, unit: string | null) =>
  unit === null ? limit : `${limit} ${unit === 'entries' ? '件' : '文字'}`;
const reload = () => 'ほかの操作で変更されました。読み込み直してください。';
const full = () => '上限に達しています。不要なものを削除してください。';
const busy = (seconds: string) => `ハブが処理中です。${later(seconds)}`;

const problems: ReasonWords['problems'] = {
  missing: () => '入力してください。',
  too_big: (limit, unit) => `${countOf(limit, unit)}以下にしてください。`,
  too_small: (limit, unit) => `${countOf(limit, unit)}以上にしてください。`,
  invalid_format: () => '形式が正しくありません。',
  invalid_value: () => '選択できない値です。',
  not_public: () => '公開アドレス、その範囲、名前のいずれかを入力してください。',
  not_blockable: () => 'アドレス、範囲（アドレス/長さ）、2つ以上の部分からなる名前のいずれかを入力してください。',
  too_wide: () => '範囲が広すぎます。/8（IPv6 は /19）より狭くしてください。',
  allowed: () => '許可リストと重なっています。先に許可リストから外してください。',
  own_network: () => 'このネットワークの機器のアドレスを含んでいます。',
  not_name_server: () => 'ネームサーバーの IP アドレスを入力してください（:ポート も可）。',
  not_https: () => 'https のアドレスを入力してください（ユーザー名、?、# は不可）。',
  not_https_ip: () => 'パスかクエリに {ip} を1つ含む https のアドレスを入力してください。',
  host_not_allowed: () => 'このハブ自身や内部用のアドレスは使えません。',
  not_log_folder: () => 'ログ用のフォルダー（/var/log か MONITOR_LOG_PATH_PREFIXES）の中のファイルを指定してください。',
  leads_outside: () => 'ログ用のフォルダーの外を指すリンクです。',
  not_less_than_longest: () => '最長の間隔より短くしてください。',
  no_time_zone: () => 'このタイムゾーンはありません。Asia/Tokyo のような IANA 名を指定してください。',
  same_time: () => '開始時刻とは別の時刻を指定してください。',
  mute_too_long: () => '6日先までの時刻を指定してください。イベントの保存期間は7日です。',
  secret_elsewhere: () =>
    'アドレスが変わるため、もう一度入力してください。保存済みの値は別のアドレスには送信されません。',
  token_and_clear: () => 'トークンの入力と消去は同時にできません。',
  invalid_type: () => '値の種類が正しくありません。',
  invalid_union: () => '形式が正しくありません。',
  invalid_key: () => '使えない名前が含まれています。',
  invalid_element: () => '使えない値が含まれています。',
  not_multiple_of: () => '値の刻みが正しくありません。',
  unrecognized_keys: () => 'このハブでは使えない項目です。',
  control_characters: () => '改行などの制御文字は使えません。',
  before_start: () => '開始より後にしてください。',
  too_long: (limit) => `${limit} 日以内の期間にしてください。`,
  in_past: () => '未来の日時にしてください。',
  not_known: () => 'このハブにありません。',
  not_private: () => 'プライベートアドレスを入力してください。',
  not_for_kind: () => 'この種類のルーターには使えません。',
  not_mcp: () => '/mcp で終わる http か https のアドレスを入力してください。',
};
const { describeFacts, describeDetails } = createReasons({
  facts: { ...facts, ...reasons, ...aiReasons },
  causes,
  problems,
  quote: (text) => `「${text}」`,
});

export const ja = {
  describeFacts,
  describeDetails,
  gaps: {
    ...failures,
    hub_off: 'ハブが停止していたか、別のデータベースを使っていました',
    waiting: 'まだ応答がありませんでした',
    disabled: '無効になっていました',
    save_failed: '読み取った内容をハブが保存できませんでした',
    table_cut: 'セッションテーブルの一部だけを読み取りました',
    rows_not_read: 'セッションテーブルに解釈できない行がありました',
    changing: '一部の時間だけ観測しました',
    silent: '何も届きませんでした（後から届くことがあります）',
    stale: 'リストが古くなっていました',
    pending: 'リストをまだダウンロードしていませんでした',
    failed: 'リストをダウンロードできませんでした',
    unauthorised: 'API キーがないか、拒否されました',
    offline: 'ハブはオフラインモードです',
    nothing_set_up: 'まだ何も設定されていませんでした',
  },
  blindSpots: {
    between_reads: '2回の読み取りの間に始まって終わる接続（ルーターに残るものを除く）',
    between_socket_reads: 'ソケットの2回の読み取りの間に始まって終わる接続',
    unconnected_udp: '接続していないソケットの UDP（多くの DNS の問い合わせなど）',
  },
  retro: (cause, isKnown, span) =>
    cause === 'settings'
      ? '設定の変更か更新によって脅威と判定されました。'
      : `${isKnown ? 'リストへの掲載の最大' : 'ハブがリストを取得する'} ${span} 前から観測されています。`,
  longRange: (until) =>
    until === null
      ? '保存されていない古い接続は含まれません。'
      : `ClickHouse の記録による合計です。${until} より後の接続は含まれません。`,
  path: {
    none: 'この接続を観測したルーターはありません',
    unknown: (names) => `${names} が観測しました。通過した順序は分かりません`,
    several: (count) => `接続 ${count} 件`,
    hop: (name, from, to) =>
      to === null
        ? `${name} が ${from} を何に変換したかは分かりません`
        : from === to
          ? `${name} は ${from} を変換しません`
          : `${name} が ${from} を ${to} に変換`,
    doubleNat: { seen: '（二重 NAT）', likely: '（別の装置がさらに変換します）' },
  },
  refused: 'ハブが受け付けませんでした。',
  refusals: {
    login_failed: () => 'パスワードが正しくありません。',
    login_locked: (seconds) => `失敗が続きました。${later(seconds)}`,
    rate_limited: (seconds) => `回数が多すぎます。${later(seconds)}`,
    request_timeout: busy,
    not_found: () => '見つかりません。すでに削除されています。',
    csrf_rejected: () => 'このページからの操作と確認できませんでした。ページを読み込み直してください。',
    payload_too_large: () => '送信する内容が大きすぎます。',
    headers_too_large: () => '条件が長すぎます。絞り込みを減らしてください。',
    offline_mode: () => 'ハブはオフラインモードで、外部には接続しません。',
    internal: () => '失敗しました。ハブのログを確認してください。',
    save_failed: () => '保存できませんでした。ディスクを確認してください。',
    disk_full: () => 'ディスクの空きが足りません。',
    database_damaged: () => 'データベースが壊れています。復元してください。',
    router_password_required: () => 'パスワードをもう一度入力してください。',
    router_address: () => 'プライベートアドレスを入力してください。',
    router_update_failed: () => 'ルーターを変更できませんでした。',
    router_kind_fixed: () => 'ルーターの種類は変更できません。削除して追加し直してください。',
    routerIpPrivate: () => 'プライベートアドレスと、1 から 65535 までのポートを入力してください。',
    mesh_login_refused: () => 'ユーザー名またはパスワードが拒否されました。入力し直してください。',
    token_or_userid_missing: () => '先にトークンと宛先を保存してください。',
    prune_running: () => '別の削除が実行中です。終わるのを待つか、中止してください。',
    erase_running: () => '別の消去が実行中です。終わるのを待ってください。',
    prune_ended: () => 'すでに終わっているため、中止できません。',
    prune_preview_required: () => '表示した内容は古くなりました。削除対象をもう一度表示してください。',
    alert_covered: () =>
      '別の通知から作られたルール、または許可リストがこの通知を止めています。そちらを終了してください。',
    alert_scope: () => 'この通知には選べない範囲です。別の範囲を選んでください。',
    address_not_public: () => '公開アドレスではありません。',
    diagnostics_withheld: () =>
      '診断に秘密の値と思われるものがあるため、渡しませんでした。示された項目から取り除いてください。',
    backup_busy: () => '別のバックアップか復元が実行中です。',
    settings_changed: reload,
    alert_changed: reload,
    link_invalid: () => 'このリンクは正しくないか、途中で切れています。通知のページを開いてください。',
    link_used: () => 'このリンクは使用済みです。変更するには、通知のページを開いてください。',
    link_expired: () => 'このリンクは 7 日を過ぎました。通知のページを開いてください。',
    device_archived: reload,
    device_merged: reload,
    device_not_merged: reload,
    router_limit: full,
    identity_limit: full,
    enrollment_code_limit: full,
    note_limit: full,
    rule_limit: full,
    block_list_limit: full,
    destination_limit: full,
    busy,
    database_busy: busy,
    not_ready: busy,
  },
  // The reason follows in Japanese (ja-refusals.ts, `problems`). Only a stranger's words stay in English, in quotation marks:
  // oidc_test_failed: what the OIDC library says of a discovery document, and a network error without a known code;
  // chat_refused: a code of the workspace that Gatehouse does not know; upstream_failed, backup_failed, restore_failed and
  // router_detect_failed: an error of the system, SQLite or SSH without a known code.
  explained: {
    invalid_body: '入力した値の中に、使えないものがあります。',
    invalid_query: 'リンクか条件に、使えない値があります。',
    invalid_params: 'リンクに、使えない値があります。',
    password_rejected: 'この新しいパスワードは使えません。',
    block_entry_refused: 'この値はブロックリストに載せられません。',
    log_path_rejected: 'このファイルは使えません。',
    oidc_incomplete: '有効にするには、足りない項目を入力してください。',
    oidc_test_failed: '発行者を使えません。',
    chat_refused: 'チャットに拒否されました。',
    chat_unreachable: 'チャットに送れません。',
    destination_refused: '通知先がテストイベントを受け取りませんでした。',
    upstream_failed: 'アクセスポイントを読み取れませんでした。アドレスと接続を確認してください。',
    router_detect_failed: 'ルーターを調べられませんでした。',
    backup_failed: 'バックアップできませんでした。',
    restore_failed: '復元できませんでした。',
  },
  problem: 'この値は使えません。',
  problems,
  routers,
  about: (share) => `（約 ${share}）`,
} satisfies Required<HubWords>;
