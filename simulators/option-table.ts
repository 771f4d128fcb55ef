// The options of a kind of simulator, in one table: the command line, scenarios and the document read it, and the compiler
// compares it with the options of the start function.
import type { SimulatorOptions } from './support/simulator.ts';

export interface CommandOption<Name extends string = string> {
  /** What stands behind its name in `--help`, such as N or FILE. An option without it is a flag. */
  takes?: string;
  /** What `--help` says about it, in one line or several. */
  says: string;
  /** The option of the start function that it sets, such as `settings.locale`; null when there is none. */
  api: Name | null;
  /** What else differs there: the form, the unit, the default, or why there is none. */
  differs?: string;
  /** `gatehouse sim all` refuses it. */
  alone?: true;
  /** It names a file or a folder. */
  isFile?: true;
}

/** By its name on the command line, without the hyphens. */
export type OptionTable<Name extends string = string> = Readonly<Record<string, CommandOption<Name>>>;

type OwnName<Options> = Exclude<keyof Options, keyof SimulatorOptions> & string;
type SettingName<Options> = Options extends { settings?: infer S }
  ? `settings.${keyof NonNullable<S> & string}`
  : never;

/** What `api` may name: an option of a start function that not every simulator has, or a member of its `settings`. */
export type ApiName<Options> = OwnName<Options> | SettingName<Options>;

/** `product-version` is written `version`, as on the command line. */
export const optionKey = (option: string): string => option.replace('product-version', 'version');

/** The lines of `--help`. */
export function formatOptions(table: OptionTable): string {
  return Object.entries(table)
    .map(([name, { takes, says }]) => {
      const head = `  --${optionKey(name)}${takes === undefined ? '' : ` ${takes}`}`.padEnd(26);
      return `${head} ${says.replaceAll('\n', `\n${' '.repeat(27)}`)}\n`;
    })
    .join('');
}

/** The name that an option has in code when it is the same: `legacyCrypto` of `legacy-crypto`. */
const toCamelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** The rows of the document: options that are not the same in the start function, in name or otherwise. */
export function describeDifferences(kind: string, table: OptionTable): string[] {
  return Object.entries(table)
    .filter(([name, { api, differs }]) => api !== toCamelCase(optionKey(name)) || differs !== undefined)
    .map(([name, { takes, api, differs = '' }]) => {
      const typed = `--${optionKey(name)}${takes === undefined ? '' : ` ${takes}`}`;
      return `| ${kind} | \`${typed}\` | ${api === null ? 'none' : `\`${api}\``} | ${differs} |`;
    });
}
