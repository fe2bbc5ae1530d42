/** The shell's variables, as expressions use them. An index is given for `name[expression]`. */
export interface ArithmeticVariables {
  get: (name: string, index: number | undefined) => string;
  set: (name: string, index: number | undefined, value: string) => unknown;
}

/**
 * Evaluates an expression of `$((...))`, `((...))` and `let`. It has integers of 32 bits and C's operators, as on a phone. Names are
 * variables, which are 0 when not set; the text of a variable is an expression itself. Throws ArithmeticError.
 */
export function evaluateArithmetic(text: string, variables: ArithmeticVariables): number {
  return new Evaluation(text, variables, { steps: 0, names: [] }).value();
}

export class ArithmeticError extends Error {
  override name = 'ArithmeticError';
}

/** The state that an expression shares with the expressions in the variables that it uses. */
interface Shared {
  steps: number;
  /** Variables that are being evaluated. */
  names: string[];
}

const MAX_DEPTH = 100;
/**
 * The most steps of an expression, counted with the expressions in its variables. With `a=b+b b=c+c ...`, each further name doubles the
 * steps.
 */
const MAX_STEPS = 100_000;
const TOKEN = /0[xX][\da-zA-Z]*|\d+#[\da-zA-Z]+|\d+|[A-Za-z_]\w*|\^[<>]=?|(?:<<|>>|[-+*/%&|^])=(?!=)|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\S/y; // prettier-ignore
const NAME = /^[A-Za-z_]/;
const ASSIGNMENT = /^(?:<<|>>|\^[<>]|[-+*/%&|^])?=$/;

/** The variable or element in which a value is kept. */
interface Place {
  name: string;
  index: number | undefined;
}

class Evaluation {
  readonly #text: string;
  readonly #variables: ArithmeticVariables;
  readonly #shared: Shared;
  #position = 0;
  #token: string | undefined;
  #depth = 0;
  /** How many unused parts of `?:`, `&&` and `||` are around the present token. An unused part sets no variable and may divide by zero. */
  #skipped = 0;

  constructor(text: string, variables: ArithmeticVariables, shared: Shared) {
    this.#text = text;
    this.#variables = variables;
    this.#shared = shared;
    this.#advance();
  }

  value(): number {
    if (this.#isAtEnd()) return 0;
    const value = this.#list();
    if (!this.#isAtEnd()) throw this.#unexpected();
    return value;
  }

  #isAtEnd(): boolean {
    return this.#token === undefined;
  }

  #advance(): void {
    if (++this.#shared.steps > MAX_STEPS) throw new ArithmeticError('expression too long');
    while (/\s/.test(this.#text[this.#position] ?? '')) this.#position++;
    TOKEN.lastIndex = this.#position;
    this.#token = TOKEN.exec(this.#text)?.[0];
    this.#position += this.#token?.length ?? 0;
  }

  #take(expected: string): void {
    if (this.#token !== expected) throw this.#unexpected();
    this.#advance();
  }

  #unexpected(): ArithmeticError {
    return new ArithmeticError(
      `${this.#text.slice(0, MAX_SHOWN_CHARS)}: unexpected '${this.#token ?? 'end of expression'}'`,
    );
  }

  #nested(evaluate: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw new ArithmeticError('nested too deeply');
    const value = evaluate();
    this.#depth--;
    return value;
  }

  #unused(isUnused: boolean, evaluate: () => number): number {
    if (isUnused) this.#skipped++;
    const value = this.#nested(evaluate);
    if (isUnused) this.#skipped--;
    return value;
  }

  #list(): number {
    let value = this.#assignment();
    while (this.#token === ',') {
      this.#advance();
      value = this.#assignment();
    }
    return value;
  }

  #assignment(): number {
    const place = this.#place();
    const operator = this.#token ?? '';
    if (place && ASSIGNMENT.test(operator)) {
      this.#advance();
      const combine = OPERATORS.get(operator.slice(0, -1));
      const right = this.#nested(() => this.#assignment());
      return this.#set(place, combine ? combine.apply(this.#get(place), this.#divisor(operator, right)) : right);
    }
    return this.#conditional(place);
  }

  /** `begun`: the name at the beginning of the expression, if there is one; it has been read already. */
  #conditional(begun: Place | undefined): number {
    const condition = this.#binary(0, begun);
    if (this.#token !== '?') return condition;
    this.#advance();
    const yes = this.#unused(condition === 0, () => this.#list());
    this.#take(':');
    const no = this.#unused(condition !== 0, () => this.#assignment());
    return condition === 0 ? no : yes;
  }

  #binary(level: number, begun?: Place): number {
    let left = begun ? this.#valueAt(begun) : this.#unary();
    for (;;) {
      const operator = this.#token ?? '';
      const found = OPERATORS.get(operator);
      if (!found || found.level < level) {
        if (ASSIGNMENT.test(operator)) throw new ArithmeticError(`${this.#text.slice(0, MAX_SHOWN_CHARS)}: ${operator} requires lvalue`); // prettier-ignore
        return left;
      }
      this.#advance();
      const isDecided = (operator === '&&' && left === 0) || (operator === '||' && left !== 0);
      const right = this.#unused(isDecided, () => this.#binary(found.level + 1));
      left = found.apply(left, this.#divisor(operator, right));
    }
  }

  #unary(): number {
    const token = this.#token;
    if (token === undefined) throw this.#unexpected();
    if (token === '++' || token === '--') {
      this.#advance();
      const place = this.#place();
      if (!place) throw this.#unexpected();
      return this.#set(place, (this.#get(place) + (token === '++' ? 1 : -1)) | 0);
    }
    const unary = UNARY.get(token);
    if (unary) {
      this.#advance();
      return unary(this.#nested(() => this.#unary()));
    }
    if (token === '(') {
      this.#advance();
      const value = this.#nested(() => this.#list());
      this.#take(')');
      return value;
    }
    const place = this.#place();
    if (!place) {
      if (!/^\d/.test(token)) throw this.#unexpected();
      this.#advance();
      return numberOf(token);
    }
    return this.#valueAt(place);
  }

  /** Returns the value of a name that has been read, and reads and applies a `++` or `--` after it. */
  #valueAt(place: Place): number {
    const value = this.#get(place);
    const step = this.#token === '++' ? 1 : this.#token === '--' ? -1 : 0;
    if (step === 0) return value;
    this.#advance();
    this.#set(place, (value + step) | 0);
    return value;
  }

  /** Reads `name` or `name[index]`. Returns undefined for another token, which is not taken. */
  #place(): Place | undefined {
    const name = this.#token;
    if (name === undefined || !NAME.test(name)) return undefined;
    const isElement = this.#text[this.#position] === '[';
    this.#advance();
    if (!isElement) return { name, index: undefined };
    this.#advance();
    const index = this.#nested(() => this.#list());
    this.#take(']');
    return { name, index };
  }

  #get({ name, index }: Place): number {
    const text = this.#variables.get(name, index).trim();
    if (text === '' || this.#skipped > 0) return 0;
    if (/^-?\d+$/.test(text)) return Number(text) | 0;
    if (this.#shared.names.includes(name) || this.#shared.names.length > MAX_DEPTH)
      throw new ArithmeticError(`${name}: expression recurses on parameter '${name}'`);
    this.#shared.names.push(name);
    const value = new Evaluation(text, this.#variables, this.#shared).value();
    this.#shared.names.pop();
    return value;
  }

  #set({ name, index }: Place, value: number): number {
    if (this.#skipped === 0) this.#variables.set(name, index, String(value));
    return value;
  }

  /** Returns the right side of an operator. Throws ArithmeticError for a division by zero, except in an unused part. */
  #divisor(operator: string, value: number): number {
    if (value !== 0 || !/^[/%]=?$/.test(operator)) return value;
    if (this.#skipped > 0) return 1;
    throw new ArithmeticError(`${this.#text.slice(0, MAX_SHOWN_CHARS)}: zero divisor`);
  }
}

const MAX_SHOWN_CHARS = 200;

/** Parses `12`, `0x1f`, `16#1f`. */
function numberOf(token: string): number {
  const [, base = '10', digits = token] = /^(\d+)#(.+)$/.exec(token.replace(/^0[xX]/, '16#')) ?? [];
  let value = 0;
  for (const digit of digits.toLowerCase()) {
    const worth = parseInt(digit, 36);
    if (Number.isNaN(worth) || worth >= Number(base))
      throw new ArithmeticError(`${token}: bad number: Invalid argument`);
    value = (Math.imul(value, Number(base)) + worth) | 0;
  }
  if (/#$/.test(token) || /^0[xX]$/.test(token)) throw new ArithmeticError(`${token}: bad number: Invalid argument`);
  return value;
}

const UNARY: ReadonlyMap<string, (value: number) => number> = new Map([
  ['-', (value: number) => -value | 0],
  ['+', (value: number) => value],
  ['!', (value: number) => bit(value === 0)],
  ['~', (value: number) => ~value],
]);

const bit = (truth: boolean): number => (truth ? 1 : 0);
const turnLeft = (a: number, b: number): number => (a << b) | (a >>> (32 - (b & 31))) | 0;

const OPERATORS: ReadonlyMap<string, { level: number; apply: (a: number, b: number) => number }> = new Map(
  Object.entries({
    '||': { level: 1, apply: (a: number, b: number) => bit(a !== 0 || b !== 0) },
    '&&': { level: 2, apply: (a: number, b: number) => bit(a !== 0 && b !== 0) },
    '|': { level: 3, apply: (a: number, b: number) => a | b },
    '^': { level: 4, apply: (a: number, b: number) => a ^ b },
    '&': { level: 5, apply: (a: number, b: number) => a & b },
    '==': { level: 6, apply: (a: number, b: number) => bit(a === b) },
    '!=': { level: 6, apply: (a: number, b: number) => bit(a !== b) },
    '<': { level: 7, apply: (a: number, b: number) => bit(a < b) },
    '>': { level: 7, apply: (a: number, b: number) => bit(a > b) },
    '<=': { level: 7, apply: (a: number, b: number) => bit(a <= b) },
    '>=': { level: 7, apply: (a: number, b: number) => bit(a >= b) },
    '<<': { level: 8, apply: (a: number, b: number) => a << b },
    '>>': { level: 8, apply: (a: number, b: number) => a >> b },
    '^<': { level: 8, apply: turnLeft },
    '^>': { level: 8, apply: (a: number, b: number) => turnLeft(a, 32 - (b & 31)) },
    '+': { level: 9, apply: (a: number, b: number) => (a + b) | 0 },
    '-': { level: 9, apply: (a: number, b: number) => (a - b) | 0 },
    '*': { level: 10, apply: (a: number, b: number) => Math.imul(a, b) },
    '/': { level: 10, apply: (a: number, b: number) => Math.trunc(a / b) | 0 },
    '%': { level: 10, apply: (a: number, b: number) => (a % b) | 0 },
  }),
);
