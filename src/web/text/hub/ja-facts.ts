// Japanese of the sentences that the hub has a code for (contract/facts.ts).
import type { ReasonWords } from './reasons.ts';

export const facts = {
  path_exposed: ({ file, mode }) => `${file} の権限は ${mode} で、ほかのユーザーが読み書きできます。`,
  path_other_owner: ({ file, owner, user }) =>
    `${file} の所有者は ${owner} で、フォルダーの所有者 ${user} と異なります。`,
  room_short: ({ folder, free, needed, days }) =>
    `${folder} のディスクの空きは ${free} です。バックアップと ${days} 日分の記録に ${needed} が必要です。`,
  database_not_read: ({ file }) => `データベース ${file} は使えません。`,
  router_no_answer: ({ router, ip, port }) => `ルーター ${router} は ${ip} のポート ${port} で接続を受け付けません。`,
  router_read_failed: ({ router }) => `ルーター ${router} の直近の読み取りに失敗しました。`,
  router_key_changed: ({ router }) => `ルーター ${router} のホスト鍵が保存されたものと異なります。`,
  names_unanswered: ({ resolver }) => `ネームサーバー ${resolver} が直近の問い合わせに応答しませんでした。`,
  backup_missing: () => 'バックアップがありません。',
  backup_old: ({ at, hours }) => `最新のバックアップは ${at} のものです。間隔の設定は ${hours} 時間です。`,
  feed_not_current: ({ feed }) => `脅威フィード ${feed} は最新ではありません。`,
  agent_silent: ({ agent, at }) => `${agent} のエージェントは ${at} から何も送っていません。`,
  settings_not_read: () => '設定を読み取れません。',
  port_taken: ({ address }) => `${address} で別のプログラムが応答しているか、ハブが応答できません。`,
  hub_down: ({ address }) => `${address} でハブは動いていません。`,
  hub_not_ready: ({ address }) => `${address} のハブは準備ができていません。`,
  check_failed: ({ what }) => `${what} を調べられませんでした。`,
  advice_port: () =>
    'gatehouse hub で起動してください。別のプログラムがポートを使っている場合は、終了するか PORT を変えてください。',
  advice_settings: () => '示されたファイルか環境変数を直すか、設定をバックアップから復元してください。',
  advice_database: () => '正常な最新のバックアップを復元してください。gatehouse salvage で残りを取り出せます。',
  advice_clock: () => 'このコンピューターの時計を合わせ、NTP サーバーと同期してください。',
  advice_disk: () => 'ディスクの空きを増やすか、記録を保存する日数かサイズを減らしてください。',
  advice_permissions: () => 'フォルダーの権限を 0700、ファイルを 0600 にし、所有者をハブのユーザーにしてください。',
  advice_routers: () => 'ルーターの電源、SSH の許可、ユーザー名、パスワード、ホスト鍵を確認してください。',
  advice_agents: () => '端末の電源とエージェントを確認してください。使わない端末のエージェントは取り消してください。',
  advice_names: () => 'ネームサーバーがこのコンピューターに応答するか確認するか、設定で別のものを選んでください。',
  advice_feeds: () => '配布元に接続できるか、フィードのキーが正しいか確認してください。',
  advice_backups: () => '今すぐバックアップを作成して結果を確認し、ディスクとフォルダーも確認してください。',
  advice_listener: () =>
    '前に TLS プロキシを置いて MONITOR_TRUST_PROXY に設定するか、ループバックで待ち受けてください。',
  feed_off: () => '設定で無効になっています。',
  feed_empty: () => 'リストが空のため、何も検出されません。',
  feed_offline: () => 'ハブはオフラインモードです。',
  feed_key_missing: () => 'abuse.ch の無料の API キーが必要です。下の設定で入力してください。',
  feed_key_refused: () => 'API キーが abuse.ch に拒否されました。下の設定で入力し直してください。',
  feed_failed: () => '配布元から取得できませんでした。',
  feed_late: ({ seconds }) => `配布元が ${seconds} 秒以内に応答しませんでした。`,
  feed_too_long: ({ megabytes }) => `配布元の応答が ${megabytes} MB を超えています。`,
  feed_redirects: ({ status }) => `配布元が別のアドレスに転送します（${status}）。`,
  feed_busy: () => '配布元が要求を制限しています。',
  feed_status: ({ status }) => `配布元がエラー ${status} を返しました。`,
  feed_not_list: () => '配布元が送った内容はリストではありません。',
  feed_empty_file: () => '配布元が送ったリストは空です。',
  feed_shrank: ({ rows, before }) => `配布元が送ったリストは ${rows} 件で、前回の ${before} 件より少なすぎます。`,
  feed_too_many: ({ rows }) => `配布元が送ったリストは ${rows} 件で、上限を超えています。`,
  feed_rows_unreadable: ({ bad, rows }) => `配布元が送ったリストの ${rows} 行のうち ${bad} 行を解釈できません。`,
  feed_tried_again: () => '自動的に再試行します。',
  feed_unconfirmed: ({ at }) => `${at} 以降、最新かどうかを確認できていません。`,
  list_missing: () => 'リストはまだありません。',
  list_in_use: ({ at }) => `${at} のリストを使っています。`,
  log_missing: ({ file }) => `${file} はまだありません。`,
  log_unreadable: ({ file }) => `${file} を読み取れません。`,
  mesh_entries_dropped: ({ entries }) => `一覧のうち ${entries} 件は解釈できないため、除いています。`,
  mesh_login_refused: () => 'ユーザー名またはパスワードが拒否されました。入力し直すまで再試行しません。',
  mesh_failed: () => 'アクセスポイントを読み取れませんでした。アドレスと接続を確認してください。',
  ai_disabled: () => 'AI プロバイダーが選ばれていません。',
  ai_offline: () => 'オフラインモードのため、プライベートアドレスのローカルサーバー以外には送信しません。',
  ai_key_missing: () => 'AI プロバイダーの API キーが保存されていません。',
  ai_region_missing: () => 'AWS Bedrock のリージョンが選ばれていません。',
  ai_model_missing: () => 'AI のモデルが選ばれていません。',
  ai_consent_required: () => 'AI プロバイダーへの送信に同意していません。',
  automation_not_agreed: ({ provider }) => `${provider} への自動の送信に同意していません。下の設定で同意してください。`,
  chat_not_ready: () => 'チャットが未設定です。チャットを設定するか、別の届け先を選んでください。',
  time_zone_unknown: ({ zone }) => `タイムゾーン ${zone} は使えません。別のものを選んでください。`,
  analyses_of_day_made: ({ analyses, zone }) =>
    `本日の分析は上限の ${analyses} 件に達しました。次は ${zone} の翌日です。`,
  public_url_missing: () => 'OIDC ログインは無効です。MONITOR_PUBLIC_URL にハブのアドレスを設定してください。',
  proxy_not_named: () =>
    'MONITOR_PUBLIC_URL が https です。MONITOR_TRUST_PROXY に TLS プロキシを設定しないと、利用者を区別できません。',
  no_tls: ({ host }) =>
    `${host} で TLS なしに待ち受けています。前に TLS プロキシを置き、MONITOR_TRUST_PROXY に設定してください。`,
  log_lost: ({ file }) =>
    `ルーターがあるのに ${file} がないか空だったため、空の記録で始めました。意図しない場合はハブを停止して復元してください。`,
  disk_unreadable: ({ folder }) => `${folder} の空き容量を調べられません。フォルダーを確認してください。`,
  disk_low: ({ folder, free, total }) =>
    `${folder} のディスクの空きは ${total} 中 ${free} です。空きを増やしてください。`,
  disk_full: ({ folder }) => `${folder} のディスクに空きがなく、何も記録できません。空きができると自動的に再開します。`,
  log_over_limit: ({ used, limit }) =>
    `直近24時間だけでデータベースが ${used} あり、上限の ${limit} を超えています。上限を上げてください。`,
  backup_not_made: () => '定期バックアップに失敗しました。1時間後に再試行します。',
  backup_hook_failed: ({ command, file, ended }) =>
    `バックアップ ${file} の後に実行する ${command} が失敗しました${ended ? `（${ended} で終了）` : ''}。原因を直し、このファイルで実行してください。`,
  backup_size_changed: ({ size, expected }) =>
    `サイズが ${size} バイトで、作成時の ${expected} バイトと異なります。変更されたか、途中で切れています。`,
  backup_pages_changed: ({ pages, total }) => `内容が作成時と異なります（${total} ページ中、ページ ${pages}）。`,
  backup_unusable: () => 'バックアップとして使えるファイルではありません。',
  backup_unverified: () => '検証できませんでした。',
  prune_changed: () =>
    '表示した後でバックアップが変わったため、何も削除していません。削除対象をもう一度表示してください。',
  prune_file_changed: ({ file }) =>
    `${file} は検証の後で変わったため、残しています。削除対象をもう一度表示してください。`,
  prune_cancelled: () => '中止しました。',
  prune_hub_stops: () => 'ハブが停止するため終了しました。',
  prune_late: ({ seconds }) => `${seconds} 秒を超えたため終了しました。`,
  prune_failed: () => '失敗しました。',
  sink_offline: () => 'オフラインモードのため、ClickHouse には何も送信しません。',
  sink_soon_removed: () => 'ClickHouse にない記録が、まもなく削除されます。保存期間とサイズの上限を確認してください。',
  sink_removed: ({ hours }) => `${hours} 時間分の記録が、ClickHouse に送る前に保存期間により削除されました。`,
  sink_refused: ({ hours }) => `ClickHouse が ${hours} 時間分の記録を受け付けません。6時間ごとに再試行します。`,
  pair_client_id: () => '同じ DHCP クライアント識別子を使っています。',
  pair_own_name: ({ name }) => `どちらも「${name}」と名乗っています。`,
  pair_asked_name: ({ name }) => `どちらも「${name}」という名前でアドレスを要求しました。`,
  pair_new_mac: () => 'ランダム化された MAC の一方が消え、2日以内に同じネットワークに他方が現れました。',
  pair_vendor: ({ vendor }) => `どちらのネットワークアダプターも ${vendor} 製です。`,
  pair_active_together: ({ polls }) => `${polls} 回の読み取りで、両方が同時に通信していました。`,
  clock_back: ({ at }) =>
    `時計の時刻 ${at} が以前より前です。違っていれば直してください。それまでの記録は変わりません。`,
  clock_was_ahead: ({ at }) => `進んでいた時計が ${at} に戻りました。後の時刻の記録は1分後に直します。`,
  reads_fail: ({ file }) =>
    `${file} の記録を読み取れません。メモリー、スレッド、ファイルの制限と権限を確認してください。自動的に再試行します。`,
  database_damaged: ({ file }) =>
    `${file} が壊れています。バックアップを復元するか、「gatehouse salvage」で残りを取り出してください。`,
  database_set_aside: ({ file }) =>
    `壊れたデータベースを ${file} に移しました。残りは「gatehouse salvage」で取り出せます。不要になれば削除してください。`,
  backup_damaged: ({ file }) => `最新のバックアップ ${file} が壊れています。新しく作成し、ディスクを確認してください。`,
  backup_folder_missing: ({ folder }) =>
    `フォルダー ${folder} を作れないため、バックアップできません。ディスクと権限を確認してください。`,
  file_exposed: ({ file }) =>
    `${file} をほかのユーザーが読み書きできました。権限が 0600 であることを確認してください。`,
  folder_exposed: ({ folder }) =>
    `${folder} のファイルをほかのユーザーが置き換えられます。chmod 700 で防いでください。`,
  token_exposed: ({ file }) =>
    `使用済みの管理者トークンが平文のまま ${file} に残っています。保管してから削除するか、「gatehouse reset-token」を実行してください。`,
  variable_without_effect: ({ name }) => `環境変数 ${name} には効果がありません。`,
} satisfies Partial<ReasonWords['facts']>;
