// Reads a unit of systemd: its lines by name, its command, and the environment that it gives the program.

export interface Unit {
  /** Every value of a name, in the order of the file; none: an empty list. */
  all(name: string): string[];
  /** The words of `ExecStart=`. */
  command: readonly string[];
  /** What `Environment=` sets, and the folders and credentials of systemd. */
  environment(folders: UnitFolders): Record<string, string>;
}

/** Where the folders of the unit lie; in life /var/lib, /var/cache and a folder below /run. */
export interface UnitFolders {
  state: string;
  cache: string;
  credentials: string;
}

/** Throws for a unit that has no `ExecStart=`. */
export function parseUnit(text: string): Unit {
  const lines = [...text.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, name = '', value = '']) => ({ name, value }));
  const all = (name: string) => lines.filter((line) => line.name === name).map((line) => line.value);
  const [start] = all('ExecStart');
  if (start === undefined) {
    throw new Error('the unit has no ExecStart=');
  }
  return {
    all,
    command: start.split(' '),
    environment({ state, cache, credentials }) {
      const filled = (value: string) =>
        value.replace(/%([SCd])/g, (_, letter: 'S' | 'C' | 'd') => ({ S: state, C: cache, d: credentials })[letter]);
      const given = all('Environment').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
      const below = (folder: string, name: string) => all(name).map((each) => `${folder}/${each}`);
      return {
        ...Object.fromEntries(given.map(([name, value]) => [name, filled(value)])),
        STATE_DIRECTORY: below(state, 'StateDirectory').join(':'),
        CACHE_DIRECTORY: below(cache, 'CacheDirectory').join(':'),
        CREDENTIALS_DIRECTORY: credentials,
      };
    },
  };
}
