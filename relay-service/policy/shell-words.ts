/**
 * Splits a shell script into its commands, each as its words without quotes: `sync; (re"boo"t -p) | cat` gives [sync], [reboot, -p], [cat].
 * Commands in `$(…)`, backquotes and parentheses are listed too; assignments, redirections and here-documents are left out.
 *
 * The script is read in one pass, as it comes from a customer and may be built to be expensive. Each token reduces `budget`; reading stops
 * when the budget is used up. Never throws.
 */
export function shellCommands(script: string, budget: TokenBudget = { left: MAX_TOKENS }): string[][] {
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
  for (let match = tokens.exec(script); match?.groups && budget.left > 0; match = tokens.exec(script)) {
    budget.left--;
    const { escaped, single, quoted, heredoc, redirection, separator, blank, comment, plain } = match.groups;
    const literal = escaped ?? single ?? plain;
    if (literal !== undefined) {
      word = (word ?? '') + literal;
    } else if (quoted !== undefined) {
      word = (word ?? '') + quoted;
      if (/`|\$\(/.test(quoted)) substitutions.push(quoted);
    } else if (comment !== undefined) {
      if (word !== undefined) word += '#';
      else tokens.lastIndex = endOfLine(script, match.index);
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
  // The quoted scripts inside have no quotation marks left, so the recursion ends.
  return [...commands, ...substitutions.flatMap((inner) => shellCommands(inner, budget))];
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
    String.raw`(?<comment>#)`,
    String.raw`(?<plain>[^\\'"<>;&|()\n\s$#${'`'}]+|[^])`,
  ].join('|'),
  'gy',
);

/** A word that may precede a command: an assignment, or a keyword. */
const NOT_A_COMMAND = /^([A-Za-z_]\w*\+?=.*|[{}!]|if|then|elif|else|while|until|do|coproc)$/s;

/** The number of tokens that may still be read from one script, including the scripts inside it. */
export interface TokenBudget {
  left: number;
}

/** Most tokens (words, signs and blanks) that are read: more than people write in one command. Reading them takes some milliseconds. */
export const MAX_TOKENS = 8_192;

function endOfLine(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end < 0 ? script.length : end;
}

/** The position after the line of the delimiter. */
function endOfHereDocument(script: string, from: number, delimiter: string): number {
  for (let at = from; at < script.length;) {
    const end = endOfLine(script, at);
    if (script.slice(at, end).trim() === delimiter) return end;
    at = end + 1;
  }
  return script.length;
}
