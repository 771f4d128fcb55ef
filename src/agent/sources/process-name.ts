// The name of a process from its executable and, for an interpreter, from the script that it runs.
import { basename } from 'node:path';
import { visibleText } from '#kernel/text/visible-text.ts';

const maxLength = 256;

/** Options of an interpreter: those that a value follows, and those that code follows, after which there is no script. */
interface Interpreter {
  programs: RegExp;
  withValue: RegExp;
  withCode: RegExp;
}

const interpreters: readonly Interpreter[] = [
  {
    programs: /^(?:node|nodejs|bun|deno)[\d.-]*$/,
    withValue: /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--title)$/,
    withCode: /^(?:-[ip]*[ep]|--eval|--print)$/,
  },
  { programs: /^(?:python|pypy)[\d.]*$/, withValue: /^-(?:W|X|Q)$/, withCode: /^-[A-Za-z]*c$/ },
  { programs: /^(?:perl|ruby|php|lua)[\d.-]*$/, withValue: /^-(?:I|r|C|d)$/, withCode: /^-[A-Za-z\d]*[eE]$/ },
  {
    programs: /^java$/,
    withValue: /^(?:-cp|-classpath|--class-path|-p|--module-path|--add-modules|--add-opens|--add-exports|--add-reads)$/,
    withCode: /^$/,
  },
  { programs: /^(?:sh|bash|dash|zsh|ksh|ash|fish)$/, withValue: /^[-+](?:o|O)$/, withCode: /^-[A-Za-z]*c[A-Za-z]*$/ },
];

/**
 * The name of a process whose executable is `exe` and whose command line is `args`; null when there is none. Code that
 * stands on a command line is never part of it: it may hold secrets.
 */
export function toProcessName(exe: string, args: readonly string[]): string | null {
  const program = basename(exe.replace(/ \(deleted\)$/, ''));
  const interpreter = interpreters.find(({ programs }) => programs.test(program));
  const script = interpreter ? findScript(interpreter, args.slice(1)) : null;
  const suffix = ` (${program})`;
  return script === null
    ? shown(program, maxLength)
    : `${shown(script, maxLength - suffix.length) ?? ''}${shown(suffix, maxLength) ?? ''}`.trim();
}

/** A name from untrusted text; null when no usable character is left. */
export function shown(text: string, length = maxLength): string | null {
  return visibleText(text, Math.max(1, length)).trimEnd() || null;
}

function findScript({ withValue, withCode }: Interpreter, args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (withCode.test(arg) || arg === '-') {
      return null;
    }
    if (withValue.test(arg)) {
      at += 1;
    } else if (arg !== '' && !/^[-+]/.test(arg)) {
      return basename(arg) || null;
    }
  }
  return null;
}
