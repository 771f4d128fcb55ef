// The settings that the search finds, by the words of every language, with the card of the page that has each.
import type { Result } from '../search/find.ts';
import { may } from '../state/session.ts';
import { words as restoreWords } from '../text/restore/words.ts';
import { en, type SettingsDictionary } from '../text/settings/en.ts';
import { words } from '../text/settings/words.ts';
import { sections } from './sections.ts';
import { hrefToSetting, type SectionName } from './setting-href.ts';

/** Most results. */
const most = 8;

type ReadText = (t: SettingsDictionary) => string;

interface SettingsCard {
  section: SectionName;
  part: string;
  title: ReadText;
  /** What can be set there. */
  settings: readonly ReadText[];
  /** Other words for it. */
  terms: string;
}

const cards: readonly SettingsCard[] = [
  {
    section: 'routers',
    part: 'routers',
    title: (t) => t.sections.routers,
    settings: [(t) => t.routers.add, (t) => t.routers.hostKey],
    terms: 'router yamaha rtx cisco ios ssh nat ルーター 追加',
  },
  {
    section: 'agents',
    part: 'agents',
    title: (t) => t.agents.list,
    settings: [],
    terms: 'agent computer program エージェント コンピューター',
  },
  { section: 'agents', part: 'code', title: (t) => t.agents.codeTitle, settings: [], terms: 'enrol code コード 登録' },
  {
    section: 'agents',
    part: 'transport',
    title: (t) => t.agents.transport,
    settings: [],
    terms: 'http https tls 暗号',
  },
  {
    section: 'sign-in',
    part: 'identities',
    title: (t) => t.signIn.identities,
    settings: [(t) => t.signIn.permissions, (t) => t.signIn.lifetime],
    terms: 'api token key credential permission トークン キー 権限',
  },
  {
    section: 'sign-in',
    part: 'sessions',
    title: (t) => t.signIn.sessions,
    settings: [(t) => t.signIn.endAll],
    terms: 'session browser log out セッション ログアウト ブラウザー',
  },
  { section: 'sign-in', part: 'password', title: (t) => t.signIn.change, settings: [], terms: 'login ログイン' },
  {
    section: 'sign-in',
    part: 'oidc',
    title: (t) => t.signIn.oidc,
    settings: [(t) => t.signIn.issuer, (t) => t.signIn.clientId, (t) => t.signIn.emails, (t) => t.signIn.domains],
    terms: 'oidc oauth sso single sign-on organisation 組織 シングルサインオン',
  },
  {
    section: 'assistants',
    part: 'assistants',
    title: (t) => t.sections.assistants,
    settings: [],
    terms: 'mcp token claude inspector curl ai assistant トークン アシスタント 接続',
  },
  {
    section: 'feeds',
    part: 'feeds',
    title: (t) => t.sections.feeds,
    settings: [],
    terms: 'threat feed list 脅威 リスト',
  },
  {
    section: 'feeds',
    part: 'lists',
    title: (t) => t.feeds.settings,
    settings: [(t) => t.feeds.authKey, (t) => t.feeds.dropLevel, (t) => t.feeds.allowList],
    terms: 'feed abuse.ch spamhaus allow 許可 キー',
  },
  {
    section: 'feeds',
    part: 'reputation',
    title: (t) => t.feeds.reputation,
    settings: [(t) => t.feeds.cacheMinutes, (t) => t.feeds.intervalSeconds],
    terms: 'abuseipdb virustotal otx reputation look-up api key 照会 キー',
  },
  {
    section: 'chat',
    part: 'workspace',
    title: (t) => t.chat.settings,
    settings: [(t) => t.chat.enabled, (t) => t.chat.token, (t) => t.chat.userId, (t) => t.chat.cooldown],
    terms: 'chat slack notification message token 通知 チャット メッセージ トークン',
  },
  { section: 'chat', part: 'member', title: (t) => t.chat.find, settings: [], terms: 'chat user チャット' },
  {
    section: 'ai',
    part: 'provider',
    title: (t) => t.sections.ai,
    settings: [],
    terms: 'ai provider model key anthropic openai bedrock ollama モデル キー プロバイダー',
  },
  {
    section: 'general',
    part: 'general',
    title: (t) => t.sections.general,
    settings: [(t) => t.general.retention, (t) => t.general.homeCountry, (t) => t.general.language],
    terms: 'retention delete days country language 保存 期間 言語 国',
  },
  { section: 'general', part: 'disk', title: (t) => t.general.disk, settings: [], terms: 'disk space 空き容量' },
  {
    section: 'backups',
    part: 'backups',
    title: (t) => t.sections.backups,
    settings: [(t) => t.backups.create, () => restoreWords.value.restore],
    terms: 'backup restore download バックアップ 復元',
  },
  {
    section: 'backups',
    part: 'restore',
    title: () => restoreWords.value.fromFile,
    settings: [() => restoreWords.value.file],
    terms: 'backup restore upload file バックアップ 復元 ファイル',
  },
  {
    section: 'backups',
    part: 'plan',
    title: (t) => t.backups.plan,
    settings: [
      (t) => t.backups.interval,
      (t) => t.backups.generations,
      (t) => t.backups.bytes,
      (t) => t.backups.autoPrune,
      (t) => t.backups.hook,
    ],
    terms: 'backup schedule バックアップ 予定',
  },
  { section: 'backups', part: 'prune', title: (t) => t.backups.prune, settings: [], terms: 'backup バックアップ' },
  {
    section: 'about',
    part: 'about',
    title: (t) => t.sections.about,
    settings: [(t) => t.about.version, (t) => t.about.uptime],
    terms: 'version licence offline バージョン ライセンス',
  },
  { section: 'about', part: 'warnings', title: (t) => t.about.warnings, settings: [], terms: 'warning 警告' },
];

/** Loads the words of every language: people type the one that they know. */
export async function loadSettingsFinder(): Promise<(typed: string) => Result[]> {
  const all: readonly SettingsDictionary[] = [en, (await import('../text/settings/ja.ts')).ja];
  return (typed) => findSettings(typed.trim().toLowerCase(), all).slice(0, most);
}

/** The cards first, then what people can set on them. */
function findSettings(wanted: string, all: readonly SettingsDictionary[]): Result[] {
  const shown = words.value;
  const has = (texts: readonly string[]) => texts.some((one) => one.toLowerCase().includes(wanted));
  const toResult = ({ section, part }: SettingsCard, title: ReadText): Result => ({
    title: title(shown),
    more: title(shown) === shown.sections[section] ? '' : shown.sections[section],
    to: hrefToSetting(section, part),
  });
  const seen = cards.filter(({ section }) => sections.some(({ name, needs }) => name === section && may(needs)));
  const titles = seen.filter(({ title, terms }) => has([terms, ...all.map(title)]));
  const settings = seen.flatMap((card) =>
    card.settings.filter((setting) => has(all.map(setting))).map((setting) => toResult(card, setting)),
  );
  return [...titles.map((card) => toResult(card, card.title)), ...settings];
}
