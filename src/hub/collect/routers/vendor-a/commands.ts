// Everything that is ever typed on a vendor_a router: commands that only read, all allowed at user level.
// No `console …` among them: those settings belong to the whole device and to its saved configuration.
import { createAsking, type TableAnswer } from '../asking.ts';
import { type CollectOptions, type Shell, ShellError } from '../driver.ts';
import { wrongVendor } from '../kinds.ts';
import { parsePort } from '../reader.ts';
import { parseVendorAConfig, toEncodingLabel } from './config.ts';
import { parseEnvironment } from './environment.ts';
import { parseVendorAError, type VendorAError } from './error.ts';
import { createNatDetailReader, type NatDetail } from './nat.ts';
import { type DescriptorSummary, parseDescriptorSummary } from './summary.ts';

const asking = createAsking('vendor_a', parseVendorAError);
export const { ask, askIfKnown } = asking;

/** The lines of the configuration that hold `words`. */
export async function configLines(shell: Shell, words: string, options: CollectOptions) {
  const answer = await ask(shell, `show config | grep "${words}"`, options.signal);
  return parseVendorAConfig(answer.lines);
}

/** Decodes what follows in the character set that the router is configured for. Read each time: it may change. */
export async function adoptCharacterSet(shell: Shell, options: CollectOptions): Promise<string> {
  const { memory } = options;
  const { character } = await configLines(shell, 'console character', options);
  memory.encoding = toEncodingLabel(character, memory.model ?? '');
  shell.decodeAs(memory.encoding);
  return memory.encoding;
}

/** Model and revision from the banner, or from `show environment`. Throws `wrong_vendor` when neither shows them. */
export async function readEnvironment(shell: Shell, options: CollectOptions) {
  const banner = parseEnvironment(shell.banner.split('\n'));
  if (banner.model !== '') {
    return banner;
  }
  const environment = parseEnvironment((await ask(shell, 'show environment', options.signal)).lines);
  if (environment.model === '') {
    throw wrongVendor('vendor_a');
  }
  return environment;
}

export type NatRead = TableAnswer<NatDetail, VendorAError>;

export function readNat(shell: Shell, descriptor: string, options: CollectOptions): Promise<NatRead> {
  const timerSec = options.memory.natTimerSec;
  const { now, onUnread } = options;
  const reader = createNatDetailReader({ now, onUnread, ...(timerSec === undefined ? {} : { timerSec }) });
  return asking.readTable(shell, `show nat descriptor address ${descriptor} detail`, reader, options.signal);
}

export async function listDescriptors(shell: Shell, options: CollectOptions): Promise<DescriptorSummary[]> {
  return parseDescriptorSummary((await ask(shell, 'show nat descriptor address', options.signal)).lines);
}

/** A descriptor number 1…2147483647 as text, fit to be typed; throws `descriptor_missing` for anything else. */
export function checkedDescriptor(text: string): string {
  if (!/^[1-9]\d{0,9}$/.test(text) || (parsePort(text) === null && Number(text) > 2_147_483_647)) {
    throw new ShellError('descriptor_invalid', 'The NAT descriptor must be a number from 1 to 2147483647.');
  }
  return text;
}
