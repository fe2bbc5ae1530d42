/** `$((...))`: integers with C's operators. Names are variables, 0 when unset. Throws ArithmeticError. */
export function evaluateArithmetic(text: string, variable: (name: string) => string): number {
  const tokens = text.match(/\d+|0x[\da-fA-F]+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!~&|^?:]|\S/g) ?? [];
  let at = 0;
  let depth = 0;

  const primary = (): number => {
    const token = tokens[at++];
    if (token === undefined) throw new ArithmeticError(`bad expression '${text}'`);
    if (token === '(') {
      const value = binary(0);
      if (tokens[at++] !== ')') throw new ArithmeticError("missing ')'");
      return value;
    }
    const unary = UNARY.get(token);
    if (unary) {
      if (++depth > MAX_DEPTH) throw new ArithmeticError('nested too deeply');
      const value = unary(primary());
      depth--;
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    if (/^[A-Za-z_]/.test(token)) return Math.trunc(Number(variable(token))) || 0;
    throw new ArithmeticError(`unexpected '${token}'`);
  };

  const binary = (level: number): number => {
    if (++depth > MAX_DEPTH) throw new ArithmeticError('nested too deeply');
    let left = primary();
    for (;;) {
      const operator = tokens[at];
      const found = operator !== undefined && Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
      if (!found || found.level < level) {
        depth--;
        return left;
      }
      at++;
      left = found.apply(left, binary(found.level + 1));
    }
  };

  const value = binary(0);
  if (at < tokens.length) throw new ArithmeticError(`unexpected '${tokens[at] ?? ''}'`);
  return value;
}

export class ArithmeticError extends Error {
  override name = 'ArithmeticError';
}

const MAX_DEPTH = 100;

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
