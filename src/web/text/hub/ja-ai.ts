// Japanese of why an AI provider gave no answer, by the codes of `errorFacts`. A service is named, the local server is not.
import type { ReasonWords } from './reasons.ts';

const local = 'ローカルサーバー';
/** The subject of a sentence: a Latin name has a space behind it. */
const name = (provider: string | undefined) => (provider === undefined ? local : `${provider} `);
const again = '後でもう一度試してください。';
const anotherInSettings = '設定の「AI プロバイダー」で保存し直してください。';

/** What to look at when something else than the provider may have answered. */
const look = (provider: string | undefined) =>
  provider === undefined
    ? '設定の「AI プロバイダー」で、OpenAI 互換サーバーのアドレスか確認してください。'
    : '後でもう一度試し、プロキシが応答を変えていないか確認してください。';

export const aiReasons = {
  ai_unreached: ({ provider, host }) =>
    provider === undefined
      ? `${local}（${host}）に接続できません。起動しているか、設定のアドレスが正しいか確認してください。`
      : `${provider} に接続できません。${host === undefined ? 'リージョンと' : ''}インターネット接続を確認してください。`,
  ai_cut: ({ provider }) => `${name(provider)}の応答が途中で切れました。もう一度試してください。`,
  ai_too_long: ({ provider }) => `${name(provider)}の応答が 1 MB を超えています。${look(provider)}`,
  ai_not_json: ({ provider, status, type }) =>
    `${name(provider)}の応答が JSON ではありません${status === undefined ? '' : `（${type === undefined ? status : `${status}、${type}`}）`}。${look(provider)}`,
  ai_redirects: ({ provider, status }) => `${name(provider)}が別のアドレスに転送します（${status}）。${look(provider)}`,
  ai_overloaded: ({ provider, status }) =>
    `${name(provider)}が混み合っています（${status}）。数分後にもう一度試してください。`,
  ai_error: ({ provider, status, name: error = '' }) =>
    provider === undefined
      ? `${local}がエラー ${status} を返しました。ログを確認してください。`
      : `${name(provider)}がエラー ${`${status} ${error}`.trim()} を返しました。${again}`,
  ai_request_refused: ({ provider, status }) =>
    `${name(provider)}が要求を受け付けません（${status}）。${look(provider)}`,
  ai_guardrail_refused: ({ provider }) =>
    `${name(provider)}がガードレールを受け付けません。設定で別のものを選ぶか、外してください。`,
  ai_gave_up: ({ provider }) => `${name(provider)}が回答を中断しました。${again}`,
  ai_no_text: ({ provider }) =>
    `${name(provider)}の応答に文章がありません。もう一度質問するか、別のモデルを選んでください。`,
  ai_only_thoughts: () =>
    'モデルが考えるだけで、回答の長さを使い切りました。考えないモデルか、あまり考えないモデルを選んでください。',
  ai_requests_limited: ({ provider, seconds }) =>
    `${name(provider)}が要求を制限しています。${seconds === undefined ? again : `${seconds} 秒後にもう一度試してください。`}`,
  ai_quota_used: ({ provider }) => `${name(provider)}の利用枠を使い切りました。契約と請求を確認してください。`,
  ai_key_asked: ({ status }) =>
    `${local}が API キーを求めています（${status}）。ハブは送らないため、キーなしで使えるようにしてください。`,
  ai_key_not_allowed: ({ provider, status }) =>
    `${provider} はこの API キーに許可していません（${status}）。キーに権限を与えるか、別のキーを${anotherInSettings}`,
  ai_key_refused: ({ provider, status }) =>
    `${name(provider)}が API キーを拒否しました（${status}）。${anotherInSettings}`,
  ai_endpoint_invalid: () =>
    'このアドレスは使えません。http か https のアドレスを、ユーザー名、?、# なしで入力してください。',
  ai_endpoint_forbidden: ({ host, address }) =>
    `ハブは ${host}${address === undefined ? '' : `（${address}）`} には送信しません。AI サーバーのアドレスを入力してください。`,
  aws_credentials_missing: () =>
    'ハブに AWS の認証情報がありません。環境変数、プロファイル、ロールのいずれかで与えてください。',
  aws_credentials_refused: ({ name: error }) =>
    `AWS がハブの認証情報を拒否しました（${error}）。環境変数、プロファイル、ロールを更新してください。`,
  aws_access_denied: ({ name: error }) =>
    `AWS がハブの認証情報に許可していません（${error}）。モデルの利用と bedrock:InvokeModel（ガードレールには bedrock:ApplyGuardrail も）を許可してください。`,
} satisfies Partial<ReasonWords['facts']>;
