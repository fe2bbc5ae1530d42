import type { Machine } from '../machine/machine.js';
import { PhoneFileError } from '../files/file-error.js';
import type { FileStat } from '../files/file-stat.js';
import type { FileTree } from '../files/file-tree.js';

/** The files, variables and options that the tests of `test`, `[` and `[[` read. */
export interface TestHost {
  files: FileTree<Machine>;
  absolute: (path: string) => string;
  /** Returns the value of an operand of `-eq` and the like. */
  evaluate: (expression: string) => number;
  /** Whether `set -o NAME` is on. */
  isOption: (name: string) => boolean;
  isSet: (name: string) => boolean;
  isTerminal: (descriptor: number) => boolean;
}

/** Evaluates `-e /sdcard`, `-n text` and the like. */
export async function unaryTest(operator: string, operand: string, host: TestHost): Promise<boolean> {
  switch (operator) {
    case '-n':
      return operand !== '';
    case '-z':
      return operand === '';
    case '-o':
      return host.isOption(operand.replace(/^!/, '')) !== operand.startsWith('!');
    case '-v':
      return host.isSet(operand);
    case '-t':
      return host.isTerminal(/^\d+$/.test(operand) ? Number(operand) : -1);
  }
  const stat = await statOf(operand, host, operator === '-L' || operator === '-h');
  return stat !== undefined && fileTest(operator, stat);
}

/** Evaluates `a = b`, `1 -lt 2` and the like. `=`, `==` and `!=` compare texts; the caller handles patterns. */
export async function binaryTest(operator: string, left: string, right: string, host: TestHost): Promise<boolean> {
  switch (operator) {
    case '=':
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '-nt':
    case '-ot':
    case '-ef': {
      const [one, other] = [await statOf(left, host), await statOf(right, host)];
      if (operator === '-ef')
        return (
          one !== undefined && other !== undefined && (await realPath(left, host)) === (await realPath(right, host))
        );
      const [newer, older] = operator === '-nt' ? [one, other] : [other, one];
      return newer !== undefined && (older === undefined || newer.mtimeMs > older.mtimeMs);
    }
  }
  const [a, b] = [host.evaluate(left), host.evaluate(right)];
  switch (operator) {
    case '-eq':
      return a === b;
    case '-ne':
      return a !== b;
    case '-lt':
      return a < b;
    case '-le':
      return a <= b;
    case '-gt':
      return a > b;
    default:
      return a >= b;
  }
}

function fileTest(operator: string, stat: FileStat): boolean {
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
    case '-b':
    case '-p':
    case '-S':
    case '-G':
    case '-k':
    case '-g':
    case '-u':
      return false;
    default:
      return true;
  }
}

async function statOf(path: string, host: TestHost, ofLink = false): Promise<FileStat | undefined> {
  try {
    return await (ofLink ? host.files.lstat(host.absolute(path)) : host.files.stat(host.absolute(path)));
  } catch (error) {
    if (error instanceof PhoneFileError) return undefined;
    throw error;
  }
}

async function realPath(path: string, host: TestHost): Promise<string> {
  return host.files.realPath(host.absolute(path));
}
