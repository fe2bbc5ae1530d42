/**
 * Splits a shell script into its commands, each as its words without quotes: `sync; (re"boo"t -p) | cat` gives [sync], [reboot, -p],
 * [cat]. Commands in `$(…)`, backquotes and parentheses are listed too; assignments, redirections and here-documents are left out.
 *
 * One pass in linear time, without recursion: the script comes from a customer and may be built to be expensive. Never throws; a
 * script that the phone's shell would reject is read as far as it makes sense.
 */
export function shellCommands(script: string): string[][] {
  const commands: string[][] = [];
  const outer: { words: string[]; word: string | undefined; inQuotes: boolean; end: string }[] = [];
  const hereDocuments: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let inQuotes = false;
  let nextWord: 'argument' | 'redirection' | 'here-document' = 'argument';

  const endWord = (): void => {
    if (word === undefined) return;
    if (nextWord === 'here-document') hereDocuments.push(word);
    else if (nextWord === 'argument' && (words.length > 0 || !NOT_A_COMMAND.test(word))) words.push(word);
    nextWord = 'argument';
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    nextWord = 'argument';
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const enter = (end: string): void => {
    outer.push({ words, word, inQuotes, end });
    [words, word, inQuotes] = [[], undefined, false];
  };
  const leave = (): void => {
    endCommand();
    const back = outer.pop();
    if (back) ({ words, word, inQuotes } = back);
  };
  const isInside = (end: string): boolean => outer.at(-1)?.end === end;

  for (let at = 0; at < script.length; at++) {
    const character = script.charAt(at);
    const next = script.charAt(at + 1);
    if (character === '\\') {
      if (next !== '\n') word = (word ?? '') + next;
      at++;
    } else if (character === '"') {
      inQuotes = !inQuotes;
      word ??= '';
    } else if (character === '$' && next === '(') {
      word = `${word ?? ''}$()`;
      enter(')');
      at++;
    } else if (character === '`') {
      if (isInside('`')) {
        leave();
      } else {
        word = `${word ?? ''}\`\``;
        enter('`');
      }
    } else if (inQuotes) {
      word = (word ?? '') + character;
    } else if (character === "'") {
      const end = endOf(script, "'", at + 1);
      word = (word ?? '') + script.slice(at + 1, end);
      at = end;
    } else if (character === '$' && (next === "'" || next === '"')) {
      // $'…' and $"…" are read as '…' and "…".
    } else if (character === '(') {
      endCommand();
      enter(')');
    } else if (character === ')' && isInside(')')) {
      leave();
    } else if (';&|)'.includes(character)) {
      endCommand();
    } else if (character === '\n') {
      endCommand();
      for (const delimiter of hereDocuments.splice(0)) at = endOfHereDocument(script, at, delimiter);
    } else if (character === '<' || character === '>') {
      // `2>` redirects 2, which is no argument.
      if (/^\d+$/.test(word ?? '')) word = undefined;
      endWord();
      nextWord = 'redirection';
      if (script.startsWith('<<', at) && script.charAt(at + 2) !== '<') nextWord = 'here-document';
      while (/[<>&|-]/.test(script.charAt(at + 1))) at++;
    } else if (character === '#' && word === undefined) {
      at = endOf(script, '\n', at) - 1;
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? '') + character;
    }
  }
  endCommand();
  while (outer.length > 0) {
    leave();
    endCommand();
  }
  return commands;
}

/** What may precede a command: an assignment, or a word of the shell's grammar. */
const NOT_A_COMMAND = /^([A-Za-z_]\w*\+?=.*|[{}!]|if|then|elif|else|while|until|do|coproc)$/s;

function endOf(script: string, character: string, from: number): number {
  const end = script.indexOf(character, from);
  return end < 0 ? script.length : end;
}

/** The position of the line end behind the delimiter's line; `at` is the line end before the document. */
function endOfHereDocument(script: string, at: number, delimiter: string): number {
  let lineEnd = at;
  while (lineEnd < script.length) {
    const from = lineEnd + 1;
    lineEnd = endOf(script, '\n', from);
    if (script.slice(from, lineEnd).trim() === delimiter) break;
  }
  return lineEnd;
}
