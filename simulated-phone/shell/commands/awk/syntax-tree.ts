/** A variable: a global one by name, or a parameter of the surrounding function by its place. */
export interface VariableReference {
  type: 'variable';
  name: string;
  local: number | undefined;
}

export interface FieldReference {
  type: 'field';
  index: Expression;
}

export interface ElementReference {
  type: 'element';
  array: VariableReference;
  subscripts: readonly Expression[];
}

/** A target of an assignment. */
export type Target = VariableReference | FieldReference | ElementReference;

export type Expression =
  | Target
  | { type: 'number'; value: number }
  | { type: 'string'; value: string }
  | { type: 'regex'; source: string }
  | { type: 'assign'; target: Target; operator: string; value: Expression }
  | { type: 'increment'; target: Target; by: 1 | -1; isPrefix: boolean }
  | { type: 'unary'; operator: string; operand: Expression }
  | { type: 'binary'; operator: string; left: Expression; right: Expression }
  | { type: 'logical'; operator: '&&' | '||'; left: Expression; right: Expression }
  | { type: 'conditional'; condition: Expression; yes: Expression; no: Expression }
  | { type: 'match'; isNegated: boolean; text: Expression; pattern: Expression }
  | { type: 'in'; subscripts: readonly Expression[]; array: VariableReference }
  /** Expressions in parentheses; there are several for `(i, j) in a` and `print (a, b)`. */
  | { type: 'group'; items: readonly Expression[] }
  | { type: 'builtin'; name: string; args: readonly Expression[] }
  | { type: 'call'; name: string; args: readonly Expression[] }
  | { type: 'getline'; target: Target | undefined; file: Expression | undefined };

/** The file that a print statement writes to. */
export interface OutputTarget {
  append: boolean;
  file: Expression;
}

export type Statement =
  | { type: 'block'; statements: readonly Statement[] }
  | { type: 'expression'; expression: Expression }
  | { type: 'print'; isFormatted: boolean; args: readonly Expression[]; to: OutputTarget | undefined }
  | { type: 'if'; condition: Expression; yes: Statement; no: Statement | undefined }
  | { type: 'while'; condition: Expression; body: Statement }
  | { type: 'do'; condition: Expression; body: Statement }
  | { type: 'for'; first: Statement | undefined; condition: Expression | undefined; next: Statement | undefined; body: Statement }
  | { type: 'for-in'; variable: VariableReference; array: VariableReference; body: Statement }
  | { type: 'jump'; kind: 'break' | 'continue' | 'next' | 'nextfile' }
  | { type: 'exit'; status: Expression | undefined }
  | { type: 'return'; value: Expression | undefined }
  | { type: 'delete'; array: VariableReference; subscripts: readonly Expression[] | undefined }; // prettier-ignore

/** An action with the pattern that chooses its records. */
export interface Rule {
  from: Expression | undefined;
  /** The end of a range. Undefined: the rule has no range. */
  to: Expression | undefined;
  /** The action. Undefined: the record is printed. */
  action: Statement | undefined;
}

export interface AwkFunction {
  parameters: readonly string[];
  body: Statement;
}

export interface Program {
  begin: readonly Statement[];
  rules: readonly Rule[];
  end: readonly Statement[];
  functions: ReadonlyMap<string, AwkFunction>;
}
