/** A node of a parsed script. */
export type Node =
  | { type: 'list'; items: { node: Node; background: boolean }[] }
  | { type: 'and-or'; left: Node; operator: '&&' | '||'; right: Node }
  | { type: 'pipeline'; stages: Node[]; negated: boolean }
  | { type: 'command'; assignments: { name: string; value: Word }[]; words: Word[]; redirects: Redirect[] }
  | { type: 'group'; body: Node; redirects: Redirect[]; subshell: boolean }
  | { type: 'if'; branches: { condition: Node; body: Node }[]; otherwise?: Node; redirects: Redirect[] }
  | { type: 'while'; condition: Node; body: Node; until: boolean; redirects: Redirect[] }
  | { type: 'for'; name: string; words?: Word[]; body: Node; redirects: Redirect[] }
  | { type: 'case'; word: Word; branches: { patterns: Word[]; body: Node }[]; redirects: Redirect[] }
  | FunctionNode;

/** `name() body`: defines a function. */
export interface FunctionNode {
  type: 'function';
  name: string;
  body: Node;
  /** Length of the definition in the script, which is the memory that the shell pays for keeping it. */
  sourceChars: number;
}

/** One word as written, before expansion. */
export type Word = readonly WordPart[];

export type WordPart =
  | { type: 'text'; text: string; quoted: boolean }
  | { type: 'variable'; name: string; quoted: boolean; operator?: string; argument?: Word }
  | { type: 'substitution'; body: Node; quoted: boolean }
  | { type: 'arithmetic'; expression: Word; quoted: boolean };

export interface Redirect {
  descriptor: number;
  operator: '<' | '>' | '>>' | '>&' | '<&' | '<<';
  /** File, descriptor number, or the text of a here-document. */
  target: Word;
}

/** `message`: the text that sh prints after `/system/bin/sh: `. */
export class ShellSyntaxError extends Error {
  override name = 'ShellSyntaxError';

  /** Whether more lines could make it right: an open quote, an `if` without its `fi`. */
  get isIncomplete(): boolean {
    return /unterminated|missing '|unexpected 'EOF'/.test(this.message);
  }
}
