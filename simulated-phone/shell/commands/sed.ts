import { CommandFailure, type Command } from '../command.js';
import { otherWork } from '../fair-streams.js';
import { allLines } from '../lines.js';
import { parseOptions } from '../options.js';
import type { LinearPattern, PatternMatch } from '../../patterns/linear-pattern.js';
import { posixPattern } from '../posix-pattern.js';
import { pathOf } from '../command.js';
import { eachInput } from './cat.js';

type Address = number | '$' | LinearPattern;

interface Step {
  from?: Address;
  to?: Address;
  negated: boolean;
  command: 'd' | 'p' | 'q' | 's' | 'a' | 'i' | 'c' | '=';
  pattern?: LinearPattern;
  everywhere?: boolean;
  replacement?: string;
  print?: boolean;
  text?: string;
}

/** The everyday part of sed: addresses, `s`, `d`, `p`, `q`, `a`, `i`, `c`, `=`; `-n`, `-e`, `-E`, `-i`. */
export const sed: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['n', 'E', 'r', 'i'], values: ['e'] });
  const scripts = [...options.values('e')];
  const names = [...options.rest];
  if (scripts.length === 0) scripts.push(names.shift() ?? '');
  const steps = scripts.flatMap((script) => parseSteps(script, options.has('E') || options.has('r')));
  const edit = (all: readonly string[]): Promise<string> => run(steps, all, options.has('n'));
  if (!options.has('i'))
    return eachInput(call, names, async (source) => call.stdout.write(await edit(await allLines(source, call.memory))));
  for (const name of names) {
    const text = (await call.machine.shellFiles.read(pathOf(call, name))).toString('utf8');
    const writer = await call.machine.shellFiles.openWrite(pathOf(call, name), { append: false });
    await writer.write(Buffer.from(await edit(text.replace(/\n$/, '').split('\n'))));
    await writer.close();
  }
  return 0;
};

async function run(steps: readonly Step[], all: readonly string[], quiet: boolean): Promise<string> {
  let output = '';
  const open = new Set<Step>();
  for (const [at, original] of all.entries()) {
    if (at % LINES_PER_TURN === 0) await otherWork();
    let line = original;
    let isDeleted = false;
    let isLast = false;
    let after = '';
    for (const step of steps) {
      if (isDeleted || isChosen(step, line, at + 1, at === all.length - 1, open) === step.negated) continue;
      if (step.command === 'd') isDeleted = true;
      else if (step.command === 'p') output += `${line}\n`;
      else if (step.command === '=') output += `${at + 1}\n`;
      else if (step.command === 'i') output += `${step.text ?? ''}\n`;
      else if (step.command === 'a') after += `${step.text ?? ''}\n`;
      else if (step.command === 'q') isLast = true;
      else if (step.command === 'c') {
        output += `${step.text ?? ''}\n`;
        isDeleted = true;
      } else if (step.pattern) {
        const changed = substitute(line, step.pattern, step);
        if (step.print && changed !== line) output += `${changed}\n`;
        line = changed;
      }
    }
    if (!isDeleted && !quiet) output += `${line}\n`;
    output += after;
    if (isLast) break;
  }
  return output;
}

const LINES_PER_TURN = 1_000;

function isChosen(step: Step, line: string, number: number, isLast: boolean, open: Set<Step>): boolean {
  const hits = (address: Address): boolean => (address === '$' ? isLast : typeof address === 'number' ? address === number : address.test(line)); // prettier-ignore
  if (step.from === undefined) return true;
  if (step.to === undefined) return hits(step.from);
  if (open.has(step)) {
    if (hits(step.to) || (typeof step.to === 'number' && number >= step.to)) open.delete(step);
    return true;
  }
  if (!hits(step.from)) return false;
  if (!(typeof step.to === 'number' && step.to <= number)) open.add(step);
  return true;
}

function parseSteps(script: string, extended: boolean): Step[] {
  const steps: Step[] = [];
  let at = 0;
  const until = (delimiter: string): string => {
    let text = '';
    for (; at < script.length && script[at] !== delimiter; at++) {
      if (script[at] === '\\' && script[at + 1] === delimiter) at++;
      else if (script[at] === '\\') text += script[at++] ?? '';
      text += script[at] ?? '';
    }
    at++;
    return text;
  };
  const address = (): Address | undefined => {
    if (script[at] === '$') return (at++, '$');
    const number = /^\d+/.exec(script.slice(at))?.[0];
    if (number !== undefined) return ((at += number.length), Number(number));
    if (script[at] !== '/') return undefined;
    at++;
    return posixPattern(until('/'), { extended });
  };
  while (at < script.length) {
    if (/[\s;]/.test(script[at] ?? '')) {
      at++;
      continue;
    }
    const from = address();
    let to: Address | undefined;
    if (from !== undefined && script[at] === ',') {
      at++;
      to = address();
    }
    const negated = script[at] === '!';
    if (negated) at++;
    const command = script[at++] ?? '';
    const base = { negated, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    if (command === 's') {
      const delimiter = script[at++] ?? '/';
      const pattern = until(delimiter);
      const replacement = until(delimiter);
      const flags = /^[gpIi]*/.exec(script.slice(at))?.[0] ?? '';
      at += flags.length;
      const expression = posixPattern(pattern, { extended, ignoreCase: /i/i.test(flags) });
      const everywhere = flags.includes('g');
      steps.push({ ...base, command: 's', pattern: expression, everywhere, replacement, print: flags.includes('p') });
    } else if (command === 'a' || command === 'i' || command === 'c') {
      steps.push({ ...base, command, text: script.slice(at).replace(/^\s*\\?\s*/, '') });
      at = script.length;
    } else if (command === 'd' || command === 'p' || command === 'q' || command === '=')
      steps.push({ ...base, command });
    else throw new CommandFailure(`bad pattern '${script}'@${at} (${command})`);
  }
  return steps;
}

function substitute(line: string, pattern: LinearPattern, step: Step): string {
  const first = step.everywhere ? undefined : pattern.find(line);
  let result = '';
  let at = 0;
  for (const { start, end, groups } of step.everywhere ? pattern.all(line) : first ? [first] : []) {
    result += line.slice(at, start) + fillIn(step.replacement ?? '', groups);
    at = end;
  }
  return result + line.slice(at);
}

function fillIn(replacement: string, groups: PatternMatch['groups']): string {
  return replacement.replace(/\\(\d)|\\n|\\(.)|&/g, (match, digit?: string, escaped?: string) => {
    if (match === '&') return groups[0] ?? '';
    if (match === '\\n') return '\n';
    return digit === undefined ? (escaped ?? '') : (groups[Number(digit)] ?? '');
  });
}
