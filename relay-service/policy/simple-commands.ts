/**
 * The simple commands of a shell script, each as its words without quotes: `sync; (re"boo"t -p) | cat` is [sync], [reboot, -p],
 * [cat]. Commands inside `$(…)`, backquotes and parentheses are listed too. A word that only the shell on the phone can know
 * (`$x`) stays as it is written. Assignments and redirections are left out; a here-document's lines are listed as if they were
 * commands. Never throws: what the phone's shell will call an error is cut at the end of the text. Substitutions inside of each
 * other are followed to a depth beyond what anyone writes by hand; a script made to cost time or stack finds an end there.
 */
export function simpleCommands(script: string, depth = 0): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let skipsNextWord = false;

  const addCommands = (inner: string): void => {
    if (depth < MAX_DEPTH) for (const command of simpleCommands(inner, depth + 1)) commands.push(command);
  };
  const endWord = (): void => {
    if (word === undefined) return;
    const isAssignment = words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(word);
    if (skipsNextWord) skipsNextWord = false;
    else if (!isAssignment && !(words.length === 0 && OPENING_WORDS.has(word))) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    skipsNextWord = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };

  let at = 0;
  while (at < script.length) {
    const character = script.charAt(at);
    const rest = script.slice(at, at + 3);
    if (character === '\\') {
      if (script[at + 1] !== '\n') word = (word ?? '') + script.charAt(at + 1);
      at += 2;
    } else if (character === "'" || rest.startsWith("$'")) {
      const from = at + (character === "'" ? 1 : 2);
      const end = endOfSingleQuotes(script, from, character !== "'");
      const text = script.slice(from, end);
      word = (word ?? '') + (character === "'" ? text : withoutEscapes(text));
      at = end + 1;
    } else if (character === '"') {
      const { text, nested, end } = doubleQuoted(script, at + 1, depth);
      word = (word ?? '') + text;
      for (const inner of nested) addCommands(inner);
      at = end + 1;
    } else if (character === '`' || rest.startsWith('$(') || /^[<>]\(/.test(rest)) {
      const { inner, end } = substitution(script, at, depth);
      addCommands(inner);
      word = (word ?? '') + script.slice(at, end);
      at = end;
    } else if (/[;&|\n()]/.test(character)) {
      endCommand();
      at++;
    } else if (character === '<' || character === '>') {
      // `2>` is a redirection of 2, not an argument.
      if (word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      while (/[<>&|-]/.test(script.charAt(at))) at++;
      skipsNextWord = true;
    } else if (character === '#' && word === undefined) {
      const end = script.indexOf('\n', at);
      at = end < 0 ? script.length : end;
    } else if (/\s/.test(character)) {
      endWord();
      at++;
    } else if (character === '$' && script[at + 1] === '{') {
      const end = script.indexOf('}', at);
      const to = end < 0 ? script.length : end + 1;
      word = (word ?? '') + script.slice(at, to);
      at = to;
    } else {
      word = (word ?? '') + character;
      at++;
    }
  }
  endCommand();
  return commands;
}

const MAX_DEPTH = 16;

/** Words after which a command begins. */
const OPENING_WORDS = new Set(['{', '}', 'if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', 'time', 'coproc']);

function endOfSingleQuotes(script: string, from: number, escapes: boolean): number {
  for (let at = from; at < script.length; at++) {
    if (escapes && script.charAt(at) === '\\') at++;
    else if (script.charAt(at) === "'") return at;
  }
  return script.length;
}

/** `$'…'`: the escapes that can spell a letter. */
function withoutEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))/gs,
    (_all, hex?: string, wide?: string, octal?: string, other?: string) => {
      const code = hex ?? wide;
      if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
      return other ?? '';
    },
  );
}

function doubleQuoted(script: string, from: number, depth: number): { text: string; nested: string[]; end: number } {
  let text = '';
  const nested: string[] = [];
  let at = from;
  while (at < script.length && script.charAt(at) !== '"') {
    if (script.charAt(at) === '\\' && /[\\"$`\n]/.test(script.charAt(at + 1))) {
      if (script[at + 1] !== '\n') text += script.charAt(at + 1);
      at += 2;
    } else if (depth < MAX_DEPTH && (script.charAt(at) === '`' || script.startsWith('$(', at))) {
      const { inner, end } = substitution(script, at, depth + 1);
      nested.push(inner);
      text += script.slice(at, end);
      at = end;
    } else {
      text += script.charAt(at++);
    }
  }
  return { text, nested, end: at };
}

/** The script inside of `$(…)`, `<(…)` or backquotes that begin at `at`; `end` is behind them. */
function substitution(script: string, at: number, depth: number): { inner: string; end: number } {
  if (script.charAt(at) === '`') {
    let end = at + 1;
    while (end < script.length && script.charAt(end) !== '`') end += script.charAt(end) === '\\' ? 2 : 1;
    return { inner: script.slice(at + 1, end).replace(/\\([\\`$])/g, '$1'), end: Math.min(end + 1, script.length) };
  }
  const from = at + 2;
  let open = 1;
  let end = from;
  while (end < script.length && open > 0) {
    const character = script.charAt(end);
    if (character === '\\') end++;
    else if (character === "'") end = endOfSingleQuotes(script, end + 1, false);
    else if (character === '"' && depth < MAX_DEPTH) end = doubleQuoted(script, end + 1, depth + 1).end;
    else if (character === '(') open++;
    else if (character === ')') open--;
    end++;
  }
  return { inner: script.slice(from, open === 0 ? end - 1 : end), end: Math.min(end, script.length) };
}
