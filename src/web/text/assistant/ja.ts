// Japanese of connecting an AI assistant.
import type { AssistantDictionary } from './en.ts';

export const ja: AssistantDictionary = {
  about:
    'AI アシスタントは MCP サーバーを通してこのハブに質問できます。MCP サーバーは別のプログラム「gatehouse mcp」です。',
  needsToken: '「接続の読み取り」と「メモの書き込み」の2つの権限を持つ、API の認証情報のトークンが必要です。',
  makeToken: 'API の認証情報を作る',
  configuration: 'アシスタントをつなぐ',
  way: 'アシスタントから MCP サーバーへのつなぎ方',
  ways: {
    program: 'アシスタントが自分のコンピューターで起動する（stdio）',
    token: 'HTTP とトークン',
    oauth: 'HTTP と OAuth',
  },
  wayHelp: {
    program: 'アシスタントのコンピューターに Gatehouse が必要です。ポートは開きません。',
    token:
      'クライアントは MCP サーバーの MCP_TOKEN を送ります。API の認証情報のトークンは MCP サーバーだけが使い、権限はちょうど上の2つでなければなりません。',
    oauth:
      'クライアントは認可サーバーからトークンを受け取ります。API の認証情報のトークンは MCP サーバーだけが使い、権限はちょうど上の2つでなければなりません。',
  },
  placeholder: (name) => `${name} を実際の値に置き換えてください。`,
  folder: 'そのコンピューターの Gatehouse のフォルダー',
  folderHelp: 'bin/gatehouse.js があるフォルダーの絶対パス。',
  server: 'MCP サーバーのアドレス',
  serverHelp: '/mcp で終わります。プロキシがなければ、MCP サーバーは自分のコンピューターからの接続だけを受け付けます。',
  clients: {
    desktop: 'Claude Desktop の claude_desktop_config.json',
    connector: 'Claude Desktop のカスタムコネクターのアドレス',
    code: 'Claude Code のコマンド',
    inspector: 'MCP Inspector のコマンド',
    rest: 'MCP を使わない HTTP：curl でハブの API に質問する',
    curl: 'HTTP：curl で MCP サーバーに質問する',
    server: 'MCP サーバーの非公開ファイルの行',
  },
  noDesktop: 'Claude Desktop は HTTP でトークンを送れません。プログラムを起動させるか、OAuth を使ってください。',
  connectorHelp:
    'コネクターはインターネットから接続します。アドレスは公開されている必要があり、公開前の検査も必要です。',
  check: 'MCP サーバーを確認',
  checkHelp: 'ハブがトークンなしで1回だけ要求を送ります。MCP サーバーはそれを拒否するはずです。',
  authentications: {
    token: 'MCP_TOKEN を求めています。「HTTP とトークン」を選んでください。',
    oauth: 'ログインを求めています。「HTTP と OAuth」を選んでください。',
  },
  states: {
    reachable: '接続できます。MCP サーバーがハブに応答しました。',
    refused:
      '接続できません。待ち受けているプログラムがありません。MCP_PORT を設定して「gatehouse mcp」を起動するか、アドレスを直してください。MCP_BIND_ADDRESS がなければ 127.0.0.1 だけで待ち受けます。',
    unknown_name: '接続できません。この名前が見つかりません。名前を直すか、IP アドレスを入力してください。',
    no_answer: '接続できません。応答がありません。コンピューターの電源とファイアウォールを確認してください。',
    tls: '接続できません。信頼できる TLS 接続ができません。証明書と、アドレスの http と https の違いを確認してください。',
    name_refused:
      '応答はありますが、このホスト名は拒否されました。MCP_TRUST_PROXY にプロキシを指定してください。OAuth では MCP_OAUTH_RESOURCE のアドレスを使ってください。',
    not_serving: 'プロキシか MCP サーバーが、今は動作できないと応答しました。MCP サーバーのログを確認してください。',
    other_service:
      '接続できません。別のものが応答しています。ポートと、プロキシが /mcp を MCP サーバーに渡すことを確認してください。',
    offline:
      '確認していません。オフラインモードのハブは、自分のネットワークのアドレスにだけ接続します。名前ではなく IP アドレスを入力してください。',
  },
};
