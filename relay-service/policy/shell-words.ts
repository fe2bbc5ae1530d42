/**
 * Splits a shell script into its commands, each as its words without quotes: `sync; (re"boo"t -p) | cat` gives [sync], [reboot, -p],
 * [cat]. Commands in `$(…)`, backquotes and parentheses are listed too; assignments, redirections and here-documents are left out.
 *
 * One pass: the script comes from a customer and may be built to be expensive. Never throws.
 */
export function shellCommands(script: string): string[][] {
  const commands: string[][] = [];
  const substitutions: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isRedirection = false;
  let delimiter: string | undefined;
  const endWord = (): void => {
    if (word !== undefined && !isRedirection && (words.length > 0 || !NOT_A_COMMAND.test(word))) words.push(word);
    if (word !== undefined) isRedirection = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    isRedirection = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };

  const tokens = new RegExp(TOKEN);
  for (let match = tokens.exec(script); match?.groups; match = tokens.exec(script)) {
    const { escaped, single, quoted, heredoc, redirection, separator, blank, comment, plain } = match.groups;
    const literal = escaped ?? single ?? plain;
    if (literal !== undefined) {
      word = (word ?? '') + literal;
    } else if (quoted !== undefined) {
      word = (word ?? '') + quoted;
      if (/`|\$\(/.test(quoted)) substitutions.push(quoted);
    } else if (comment !== undefined && word !== undefined) {
      word += '#';
      tokens.lastIndex = match.index + 1;
    } else if (heredoc !== undefined) {
      endWord();
      delimiter = heredoc;
    } else if (redirection !== undefined) {
      endWord();
      isRedirection = true;
    } else if (separator !== undefined) {
      endCommand();
      if (separator === '\n' && delimiter !== undefined) {
        tokens.lastIndex = endOfHereDocument(script, match.index + 1, delimiter);
        delimiter = undefined;
      }
    } else if (blank !== undefined) {
      endWord();
    }
  }
  endCommand();
  // No quotation mark is left in them, so this ends here.
  return [...commands, ...substitutions.flatMap((inner) => shellCommands(inner))];
}

/** The tokens of a script. `$'…'` and `$"…"` are read as `'…'` and `"…"`, and a line may go on after a backslash. */
const TOKEN = new RegExp(
  [
    String.raw`\\\n|\$(?=['"])`,
    String.raw`\\(?<escaped>[^])`,
    String.raw`'(?<single>[^']*)'?`,
    String.raw`"(?<quoted>(?:[^"\\]|\\[^])*)"?`,
    String.raw`<<-?[ \t]*['"]?(?<heredoc>\w+)['"]?`,
    String.raw`(?<redirection>\d*[<>]+&?-?)`,
    String.raw`(?<separator>\$\(|[;&|()\n${'`'}])`,
    String.raw`(?<blank>\s+)`,
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<plain>[^\\'"<>;&|()\n\s$#${'`'}]+|[^])`,
  ].join('|'),
  'gy',
);

/** A word that may precede a command: an assignment, or a keyword. */
const NOT_A_COMMAND = /^([A-Za-z_]\w*\+?=.*|[{}!]|if|then|elif|else|while|until|do|coproc)$/s;

/** The position behind the line of the delimiter. */
function endOfHereDocument(script: string, from: number, delimiter: string): number {
  for (let at = from; at < script.length;) {
    const end = script.indexOf('\n', at) < 0 ? script.length : script.indexOf('\n', at);
    if (script.slice(at, end).trim() === delimiter) return end;
    at = end + 1;
  }
  return script.length;
}
