/** A node of a parsed script. */
export type Node =
  | { type: 'list'; items: { node: Node; background: boolean }[] }
  | { type: 'and-or'; left: Node; operator: '&&' | '||'; right: Node }
  /** Commands that are joined by pipes. `timed`: the shell prints how long they took, in its own format or that of POSIX. */
  | { type: 'pipeline'; stages: Node[]; negated: boolean; timed?: 'long' | 'posix' }
  | CommandNode
  | { type: 'array'; name: string; append: boolean; words: Word[] }
  | { type: 'group'; body: Node; redirects: Redirect[]; subshell: boolean }
  | { type: 'if'; branches: { condition: Node; body: Node }[]; otherwise?: Node; redirects: Redirect[] }
  | { type: 'while'; condition: Node; body: Node; until: boolean; redirects: Redirect[] }
  | { type: 'for'; name: string; words?: Word[]; body: Node; redirects: Redirect[] }
  | { type: 'case'; word: Word; branches: CaseBranch[]; redirects: Redirect[] }
  | { type: 'condition'; condition: Condition; redirects: Redirect[] }
  | { type: 'arithmetic'; expression: Word; redirects: Redirect[] }
  | FunctionNode;

/** Assignments, words and redirects: `A=1 program "$x" > file`. */
export interface CommandNode {
  type: 'command';
  assignments: Assignment[];
  words: Word[];
  redirects: Redirect[];
}

/** `name=value`, `name[subscript]=value`; `append`: `+=`. */
export interface Assignment {
  name: string;
  subscript?: Word;
  append: boolean;
  value: Word;
}

/**
 * A branch of `case`. `next` decides what runs after its body: nothing (`;;`), the next body (`;&`), or the later branches that match
 * (`;|`).
 */
export interface CaseBranch {
  patterns: Word[];
  body: Node;
  next: 'end' | 'body' | 'match';
}

/** The condition between `[[` and `]]`. */
export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; of: Condition }
  | { kind: 'unary'; operator: string; operand: Word }
  | { kind: 'binary'; operator: string; left: Word; right: Word };

/** `name() body`: defines a function. */
export interface FunctionNode {
  type: 'function';
  name: string;
  body: Node;
  /** The definition as written, for `typeset -f`. The memory that the shell pays for the function follows from its length. */
  source: string;
}

/** One word as written, before expansion. */
export type Word = readonly WordPart[];

export type WordPart =
  | { type: 'text'; text: string; quoted: boolean }
  | ParameterPart
  /** `name[subscript]` in front of `=` or `+=`. */
  | { type: 'element'; name: string; subscript: Word; quoted: false }
  | { type: 'substitution'; body: Node; quoted: boolean }
  | { type: 'arithmetic'; expression: Word; quoted: boolean };

/** `$name`, `${name[subscript]}`, with an operation on the value. */
export interface ParameterPart {
  type: 'parameter';
  name: string;
  /** The subscript of an array's element. `@` and `*`: all elements. Absent: the first one. */
  subscript?: Word | '@' | '*';
  quoted: boolean;
  operation?: ParameterOperation;
}

export type ParameterOperation =
  | { kind: 'length' | 'width' | 'quote' }
  /** `${!name}`: the name of the variable that `name` refers to. For `${!name[@]}` it is the subscripts. */
  | { kind: 'name' }
  /** `${name:-word}` and the like. `colon`: an empty value counts as a missing one. */
  | { kind: 'default'; sign: '-' | '=' | '+' | '?'; colon: boolean; word: Word }
  | { kind: 'cut'; which: '#' | '##' | '%' | '%%'; pattern: Word }
  | { kind: 'slice'; offset: Word; length?: Word }
  | { kind: 'replace'; which: 'first' | 'all' | 'start' | 'end'; pattern: Word; by: Word };

export interface Redirect {
  descriptor: number;
  /** The operator. `<<<` has a text as its target, and a line feed is added to it. */
  operator: '<' | '>' | '>|' | '>>' | '<>' | '>&' | '<&' | '<<' | '<<<';
  /** File, descriptor number, or the text of a here-document. */
  target: Word;
}

/** The error of a script with wrong syntax. `message`: the text that sh prints after `/system/bin/sh: `. */
export class ShellSyntaxError extends Error {
  override name = 'ShellSyntaxError';
  /** Whether more lines could complete it, as for an open quote, or an `if` without its `fi`. */
  readonly isIncomplete: boolean;

  constructor(message: string, options: { incomplete?: boolean } = {}) {
    super(message);
    this.isIncomplete = options.incomplete ?? false;
  }
}

/** Returns the text of a word without quoted or expanded parts; undefined for any other word. */
export function plainText(word: Word | undefined): string | undefined {
  const [only, ...others] = word ?? [];
  return only?.type === 'text' && !only.quoted && others.length === 0 ? only.text : undefined;
}

/** Returns the assignment that a word is; undefined when it is none. */
export function assignmentOf(word: Word): Assignment | undefined {
  const [first, ...rest] = word;
  if (first?.type === 'element') {
    const [equals, ...value] = rest;
    const match = equals?.type === 'text' && !equals.quoted ? /^(\+?)=([\s\S]*)$/.exec(equals.text) : null;
    if (!match) return undefined;
    return {
      name: first.name,
      subscript: first.subscript,
      append: match[1] === '+',
      value: withText(match[2] ?? '', value),
    };
  }
  if (first?.type !== 'text' || first.quoted) return undefined;
  const match = /^([A-Za-z_]\w*)(\+?)=([\s\S]*)$/.exec(first.text);
  if (!match) return undefined;
  return { name: match[1] ?? '', append: match[2] === '+', value: withText(match[3] ?? '', rest) };
}

function withText(text: string, rest: Word): Word {
  return text === '' ? rest : [{ type: 'text', text, quoted: false }, ...rest];
}
