import { expandBraces } from './expand-braces.js';
import { boundedCount, boundedText } from './expansion-failure.js';
import { expandParameter, type ExpandedParameter } from './expand-parameter.js';
import { expandGlob, globEscape, globEscapeGroups, globOf, globUnescape, isGlob, type Glob } from './glob.js';
import type { Assignment, Node, ParameterPart, Word, WordPart } from './grammar/syntax-tree.js';
import type { ShellState } from './shell-state.js';
import { splitFields } from './split-fields.js';

/** The parts of the shell that expansion uses. */
export interface ExpansionHost {
  state: ShellState;
  /** Returns the output of `$(...)`, as it came. */
  substitute(body: Node): Promise<string>;
  listFolder(path: string): Promise<readonly string[]>;
}

/** Expands one written word into words: brackets, variables and substitutions, split at `IFS`, and patterns matched to files. */
export async function expandWord(word: Word, host: ExpansionHost): Promise<string[]> {
  const expanded: string[] = [];
  for (const one of expandBraces(withTildes(word, host.state))) {
    const fields = new Fields(host);
    await fields.add(one);
    // `{a,}` has an empty word, which counts as a word.
    for (const pattern of one.length === 0 ? [''] : fields.end()) {
      const isPattern = isGlob(pattern) && !host.state.options.has('noglob');
      const matches = isPattern ? await expandGlob(pattern, host.state.cwd, (path) => host.listFolder(path)) : [];
      boundedCount(expanded.length + matches.length);
      if (matches.length > 0) for (const match of matches) expanded.push(match);
      else expanded.push(globUnescape(pattern));
    }
  }
  return expanded;
}

/** Expands a word to one text, which is neither split nor matched: a redirect's file, a here-document. */
export async function expandToText(word: Word, host: ExpansionHost): Promise<string> {
  let text = '';
  for (const part of withTildes(word, host.state)) text = boundedText(text + (await textOf(part, host)));
  return text;
}

/** Expands the right side of an assignment, in which a `~` after a `:` is expanded too. */
export async function expandAssigned({ value }: Assignment, host: ExpansionHost): Promise<string> {
  const texts: string[] = [];
  for (const word of expandBraces(withTildes(value, host.state, { behindColons: true })))
    texts.push(await expandToText(word, host));
  return boundedText(texts.join(' '));
}

/** Expands a word to a pattern, in which quoted parts are taken literally. `groups`: an expanded text may have groups such as `@(a|b)`. */
export async function expandToPattern(word: Word, host: ExpansionHost, { groups = false } = {}): Promise<string> {
  const escaped = groups ? (text: string) => text : globEscapeGroups;
  let pattern = '';
  for (const part of word) {
    if (part.type === 'parameter' && part.operation?.kind === 'default' && !part.quoted) {
      const outcome = await parameter(part, host);
      pattern +=
        outcome.kind === 'word' ? await expandToPattern(outcome.word, host, { groups }) : escaped(joined(outcome));
      continue;
    }
    const text = await textOf(part, host);
    pattern = boundedText(pattern + (part.quoted ? globEscape(text) : part.type === 'text' ? text : escaped(text)));
  }
  return pattern;
}

/** Expands a word to a pattern for `case` and `[[`. */
export async function expandToGlob(word: Word, host: ExpansionHost, options?: { groups: boolean }): Promise<Glob> {
  return globOf(await expandToPattern(word, host, options));
}

/** The fields of one word while they are made. */
class Fields {
  readonly #host: ExpansionHost;
  readonly #fields: string[] = [];
  /** The field that is being built, as a pattern in which quoted characters are escaped. Undefined: none has begun. */
  #field: string | undefined;

  constructor(host: ExpansionHost) {
    this.#host = host;
  }

  /** Adds a word. `splits`: its unquoted text comes from an expansion, and is split. */
  async add(word: Word, splits = false): Promise<void> {
    for (const part of word) {
      if (part.type === 'parameter') await this.#addParameter(part);
      else {
        const text = await textOf(part, this.#host);
        if (part.quoted) this.#append(globEscape(text));
        else if (part.type === 'text' && !splits) this.#append(text);
        else this.#split(text, part.type === 'text');
      }
    }
  }

  end(): string[] {
    this.#close();
    return this.#fields;
  }

  async #addParameter(part: ParameterPart): Promise<void> {
    const outcome = await parameter(part, this.#host);
    if (outcome.kind === 'word') {
      if (part.quoted) this.#append(globEscape(await expandToText(outcome.word, this.#host)));
      else await this.add(outcome.word, true);
      return;
    }
    const { texts, all } = outcome;
    const unjoined = !part.quoted && part.name === '*' && !part.operation ? this.#host.state.positional : texts;
    boundedCount(this.#fields.length + unjoined.length);
    unjoined.forEach((text, index) => {
      if (index > 0) this.#close();
      if (part.quoted) this.#append(globEscape(text));
      else this.#split(text, false);
    });
    if (part.quoted && !all && texts.length === 0) this.#append('');
  }

  #append(pattern: string): void {
    this.#field = boundedText((this.#field ?? '') + pattern);
  }

  #split(text: string, isWritten: boolean): void {
    const { leading, pieces, trailing } = splitFields(text, this.#host.state.separators);
    if (leading) this.#close();
    pieces.forEach((piece, index) => {
      if (index > 0) this.#close();
      this.#append(isWritten ? piece : globEscapeGroups(piece));
    });
    if (trailing) this.#close();
  }

  #close(): void {
    if (this.#field === undefined) return;
    boundedCount(this.#fields.length);
    this.#fields.push(this.#field);
    this.#field = undefined;
  }
}

function parameter(part: ParameterPart, host: ExpansionHost): Promise<ExpandedParameter> {
  return expandParameter(part, {
    state: host.state,
    toText: (word) => expandToText(word, host),
    toPattern: (word) => expandToPattern(word, host),
  });
}

function joined(outcome: ExpandedParameter & { kind: 'texts' }): string {
  return boundedText(outcome.texts.join(' '));
}

async function textOf(part: WordPart, host: ExpansionHost): Promise<string> {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'element':
      return `${part.name}[${await expandToText(part.subscript, host)}]`;
    case 'substitution':
      return (await host.substitute(part.body)).replace(/\n+$/, '');
    case 'arithmetic':
      return String(host.state.evaluate(await expandToText(part.expression, host)));
    case 'parameter': {
      const outcome = await parameter(part, host);
      return outcome.kind === 'word' ? expandToText(outcome.word, host) : joined(outcome);
    }
  }
}

/** Replaces `~` at the start of a word, or after its `NAME=`, by the home folder. With `behindColons`, it does so after each `:` too. */
function withTildes(word: Word, state: ShellState, { behindColons = false } = {}): Word {
  if (!word.some((part) => part.type === 'text' && !part.quoted && part.text.includes('~'))) return word;
  const home = state.variables.get('HOME') ?? '~';
  return word.map((part, index) => {
    if (part.type !== 'text' || part.quoted) return part;
    const isLast = index === word.length - 1;
    const text = part.text.replace(
      /(^(?:[A-Za-z_]\w*=)?|:)~(\/|(?=:)|$)/g,
      (whole, before: string, slash: string, at: number) => {
        const isAtStart = index === 0 && at === 0;
        // In `~"x"` the next part is the name of a user, whose home folder is another one.
        const isOpen = slash === '' && at + whole.length === part.text.length && !isLast;
        if (isOpen || (!isAtStart && !(behindColons && before === ':'))) return whole;
        return before + (slash === '/' && home === '/' ? '/' : home + slash);
      },
    );
    return { ...part, text };
  });
}

/**
 * Adds words to those of a command. They are added one by one, as arguments of one call would have to fit on the stack. Throws
 * ExpansionFailure for too many words.
 */
export function addWords(to: string[], words: readonly string[]): void {
  boundedCount(to.length + words.length);
  for (const word of words) to.push(word);
}
