/** The shell's variables, as expressions use them. */
interface Variables {
  get: (name: string) => string;
  set: (name: string, value: string) => unknown;
}

/**
 * `$((...))`: integers with C's operators, `?:` and assignments, without `++` and `--`. Names are variables, 0 when unset. Both sides of
 * `?:`, `&&` and `||` are evaluated. Throws ArithmeticError.
 */
export function evaluateArithmetic(text: string, variables: Variables): number {
  const tokens =
    text.match(/0[xX][\da-fA-F]+|\d+|[A-Za-z_]\w*|(?:<<|>>|[-+*/%&|^])=(?!=)|<<|>>|<=|>=|==|!=|&&|\|\||\S/g) ?? [];
  let at = 0;
  let depth = 0;

  const numberOf = (name: string): number => Math.trunc(Number(variables.get(name))) || 0;

  const nested = (evaluate: () => number): number => {
    if (++depth > MAX_DEPTH) throw new ArithmeticError('nested too deeply');
    const value = evaluate();
    depth--;
    return value;
  };

  const primary = (): number => {
    const token = tokens[at++];
    if (token === undefined) throw new ArithmeticError(`bad expression '${text}'`);
    if (token === '(') {
      const value = nested(expression);
      if (tokens[at++] !== ')') throw new ArithmeticError("missing ')'");
      return value;
    }
    const unary = UNARY.get(token);
    if (unary) return unary(nested(primary));
    if (/^\d/.test(token)) return Number(token);
    if (NAME.test(token)) return numberOf(token);
    throw new ArithmeticError(`unexpected '${token}'`);
  };

  const binary = (level: number): number => {
    let left = primary();
    for (;;) {
      const operator = tokens[at];
      const found = operator !== undefined && Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
      if (!found || found.level < level) return left;
      at++;
      left = found.apply(
        left,
        nested(() => binary(found.level + 1)),
      );
    }
  };

  const expression = (): number => {
    const [name = '', operator = ''] = tokens.slice(at, at + 2);
    if (NAME.test(name) && ASSIGNMENT.test(operator)) {
      at += 2;
      const combine = OPERATORS[operator.slice(0, -1)];
      const right = nested(expression);
      const value = combine ? combine.apply(numberOf(name), right) : right;
      variables.set(name, String(value));
      return value;
    }
    const condition = binary(0);
    if (tokens[at] !== '?') return condition;
    at++;
    const yes = nested(expression);
    if (tokens[at++] !== ':') throw new ArithmeticError("missing ':'");
    const no = nested(expression);
    return condition !== 0 ? yes : no;
  };

  const value = expression();
  if (at < tokens.length) throw new ArithmeticError(`unexpected '${tokens[at] ?? ''}'`);
  return value;
}

export class ArithmeticError extends Error {
  override name = 'ArithmeticError';
}

const MAX_DEPTH = 100;
const NAME = /^[A-Za-z_]/;
const ASSIGNMENT = /^(?:<<|>>|[-+*/%&|^])?=$/;

const UNARY: ReadonlyMap<string, (value: number) => number> = new Map([
  ['-', (value: number) => -value],
  ['+', (value: number) => value],
  ['!', (value: number) => bit(value === 0)],
  ['~', (value: number) => ~value],
]);

const bit = (truth: boolean): number => (truth ? 1 : 0);
const divisor = (value: number): number => {
  if (value === 0) throw new ArithmeticError('divide by zero');
  return value;
};

const OPERATORS: Record<string, { level: number; apply: (a: number, b: number) => number }> = {
  '||': { level: 1, apply: (a, b) => bit(a !== 0 || b !== 0) },
  '&&': { level: 2, apply: (a, b) => bit(a !== 0 && b !== 0) },
  '|': { level: 3, apply: (a, b) => a | b },
  '^': { level: 4, apply: (a, b) => a ^ b },
  '&': { level: 5, apply: (a, b) => a & b },
  '==': { level: 6, apply: (a, b) => bit(a === b) },
  '!=': { level: 6, apply: (a, b) => bit(a !== b) },
  '<': { level: 7, apply: (a, b) => bit(a < b) },
  '>': { level: 7, apply: (a, b) => bit(a > b) },
  '<=': { level: 7, apply: (a, b) => bit(a <= b) },
  '>=': { level: 7, apply: (a, b) => bit(a >= b) },
  '<<': { level: 8, apply: (a, b) => a << b },
  '>>': { level: 8, apply: (a, b) => a >> b },
  '+': { level: 9, apply: (a, b) => a + b },
  '-': { level: 9, apply: (a, b) => a - b },
  '*': { level: 10, apply: (a, b) => a * b },
  '/': { level: 10, apply: (a, b) => Math.trunc(a / divisor(b)) },
  '%': { level: 10, apply: (a, b) => a % divisor(b) },
};
