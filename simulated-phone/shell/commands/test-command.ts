import { pathOf, CommandFailure, type Command, type CommandCall } from '../command.js';
import { PhoneFileError } from '../../files/file-error.js';

/** `test` and `[`: status 0 for true, 1 for false, 2 for nonsense. */
export const test: Command = async (call) => {
  const words = [...call.args];
  if (call.name === '[') {
    if (words.pop() !== ']') throw new CommandFailure("missing ']'", { status: 2 });
  }
  let at = 0;
  const or = async (): Promise<boolean> => {
    let value = await and();
    while (words[at] === '-o') {
      at++;
      const right = await and();
      value = value || right;
    }
    return value;
  };
  const and = async (): Promise<boolean> => {
    let value = await not();
    while (words[at] === '-a') {
      at++;
      const right = await not();
      value = value && right;
    }
    return value;
  };
  const not = async (): Promise<boolean> => {
    if (words[at] === '!' && words.length - at > 1) {
      at++;
      return !(await not());
    }
    if (words[at] === '(') {
      at++;
      const value = await or();
      at++;
      return value;
    }
    return primary();
  };
  const primary = async (): Promise<boolean> => {
    const [left = '', operator = '', right] = words.slice(at, at + 3);
    const compare = right === undefined ? undefined : COMPARISONS[operator];
    if (compare && right !== undefined) {
      at += 3;
      return compare(left, right);
    }
    if (/^-[a-zA-Z]$/.test(left) && words.length - at > 1) {
      at += 2;
      return unary(call, left, operator);
    }
    at++;
    return left !== '';
  };
  if (words.length === 0) return 1;
  const value = await or();
  if (at < words.length) throw new CommandFailure('too many arguments', { status: 2 });
  return value ? 0 : 1;
};

const COMPARISONS: Record<string, (left: string, right: string) => boolean> = {
  '=': (left, right) => left === right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '-eq': (left, right) => integer(left) === integer(right),
  '-ne': (left, right) => integer(left) !== integer(right),
  '-lt': (left, right) => integer(left) < integer(right),
  '-le': (left, right) => integer(left) <= integer(right),
  '-gt': (left, right) => integer(left) > integer(right),
  '-ge': (left, right) => integer(left) >= integer(right),
};

function integer(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new CommandFailure(`${text}: bad number`, { status: 2 });
  return Number(text);
}

async function unary(call: CommandCall, operator: string, operand: string): Promise<boolean> {
  if (operator === '-n') return operand !== '';
  if (operator === '-z') return operand === '';
  if (operator === '-t') return false;
  try {
    const path = pathOf(call, operand);
    const files = call.machine.shellFiles;
    const stat = await (operator === '-L' || operator === '-h' ? files.lstat(path) : files.stat(path));
    switch (operator) {
      case '-d':
        return stat.kind === 'directory';
      case '-f':
        return stat.kind === 'file';
      case '-c':
        return stat.kind === 'device';
      case '-L':
      case '-h':
        return stat.kind === 'link';
      case '-s':
        return stat.sizeBytes > 0;
      case '-x':
        return stat.kind === 'directory' || (stat.permissions & 0o111) !== 0;
      default:
        return true;
    }
  } catch (error) {
    if (error instanceof PhoneFileError) return false;
    throw error;
  }
}
