import { pathOf, CommandFailure, type Command } from '../command.js';
import { binaryTest, unaryTest, type TestHost } from '../evaluate-test.js';
import { BINARY_TESTS, UNARY_TESTS } from '../grammar/parse-condition.js';

/** `test` and `[` as programs, for `xargs` and `find -exec`. The status is 0 for true, 1 for false, 2 for wrong words. */
export const test: Command = (call) =>
  evaluateTest(call.name, call.args, {
    files: call.machine.shellFiles,
    absolute: (path) => pathOf(call, path),
    evaluate: integer,
    isOption: () => false,
    isSet: (name) => call.environment.has(name),
    isTerminal: () => false,
  });

/** Evaluates the words of `test` or `[`. Throws CommandFailure for wrong words. */
export async function evaluateTest(name: string, args: readonly string[], host: TestHost): Promise<0 | 1> {
  const words = [...args];
  if (name === '[') {
    if (words.pop() !== ']') throw new CommandFailure('missing ]', { status: 2 });
  }
  let at = 0;
  let depth = 0;
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
  const nested = async (evaluate: () => Promise<boolean>): Promise<boolean> => {
    if (++depth > MAX_DEPTH) throw new CommandFailure('nested too deeply', { status: 2 });
    const value = await evaluate();
    depth--;
    return value;
  };
  const not = async (): Promise<boolean> => {
    const [first, second] = words.slice(at, at + 2);
    const isComparison = words.length - at >= 3 && BINARY_TESTS.has(second ?? '');
    if (first === '!' && words.length - at > 1 && !isComparison) {
      at++;
      return !(await nested(not));
    }
    if (first === '(' && words.length - at > 1 && !isComparison) {
      at++;
      const value = await nested(or);
      if (words[at++] !== ')') throw new CommandFailure("missing ')'", { status: 2 });
      return value;
    }
    return primary();
  };
  const primary = async (): Promise<boolean> => {
    const [left = '', operator = '', right] = words.slice(at, at + 3);
    if (right !== undefined && BINARY_TESTS.has(operator)) {
      at += 3;
      return binaryTest(operator, left, right, host);
    }
    if (UNARY_TESTS.test(left) && words.length - at > 1) {
      at += 2;
      return unaryTest(left, operator, host);
    }
    at++;
    return left !== '';
  };
  if (words.length === 0) return 1;
  const value = await or();
  if (at < words.length) throw new CommandFailure(`${words[at] ?? ''}: unexpected operator/operand`, { status: 2 });
  return value ? 0 : 1;
}

const MAX_DEPTH = 100;

function integer(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new CommandFailure(`${text}: bad number`, { status: 2 });
  return Number(text);
}
