// The browser and the system in a User-Agent, for the list of sessions. Anybody can send another one: it proves nothing.

interface Known {
  name: string;
  pattern: RegExp;
}

/** The first match counts: later ones stand in the User-Agent of the earlier ones too. */
const browsers: readonly Known[] = [
  { name: 'Edge', pattern: /\bEdg(?:e|A|iOS)?\// },
  { name: 'Opera', pattern: /\b(?:OPR|Opera)\// },
  { name: 'Samsung Internet', pattern: /\bSamsungBrowser\// },
  { name: 'Firefox', pattern: /\b(?:Firefox|FxiOS)\// },
  { name: 'Chrome', pattern: /\b(?:Chrome|HeadlessChrome|CriOS)\// },
  { name: 'Chromium', pattern: /\bChromium\// },
  { name: 'Safari', pattern: /\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\// },
  { name: 'curl', pattern: /^curl\// },
];

const systems: readonly Known[] = [
  { name: 'Android', pattern: /\bAndroid\b/ },
  { name: 'iOS', pattern: /\b(?:iPhone|iPad|iPod)\b/ },
  { name: 'Windows', pattern: /\bWindows\b/ },
  { name: 'macOS', pattern: /\b(?:Macintosh|Mac OS X)\b/ },
  { name: 'ChromeOS', pattern: /\bCrOS\b/ },
  { name: 'Linux', pattern: /\bLinux\b/ },
];

const find = (known: readonly Known[], userAgent: string) =>
  known.find(({ pattern }) => pattern.test(userAgent))?.name ?? null;

/** Null for what is not known. */
export function parseUserAgent(userAgent: string | null): { browser: string | null; system: string | null } {
  return { browser: find(browsers, userAgent ?? ''), system: find(systems, userAgent ?? '') };
}
