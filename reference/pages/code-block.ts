import { escapeHtml, Html, markup } from './html.js';

/**
 * Makes a block of code, which scrolls when it is wider than its place. `language` is a word as in Markdown. Code of an unknown language is
 * not coloured.
 */
export function codeBlock(code: string, language = ''): Html {
  return markup`<pre class="code" tabindex="0"><code>${highlighted(code.replace(/\n$/, ''), language)}</code></pre>`;
}

const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const NUMBER = '\\b\\d[\\d_]*(?:\\.\\d+)?\\b';
const SCRIPT_WORDS =
  'as|async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|import|in|interface|let|new|of|return|static|switch|throw|try|type|typeof|while';
const PYTHON_WORDS =
  'and|as|async|await|break|class|continue|def|elif|else|except|finally|for|from|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield';
const GO_WORDS =
  'break|case|chan|const|continue|default|defer|else|for|func|go|if|import|interface|map|package|range|return|select|struct|switch|type|var';
const SHELL_WORDS = 'case|do|done|elif|else|esac|export|fi|for|if|in|then|while';

/** The parts of each language that have a colour, in the order in which they are looked for. */
const LANGUAGES: Record<string, RegExp> = {
  json: parts({
    key: '"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)',
    string: STRING,
    number: NUMBER,
    word: '\\b(?:true|false|null)\\b',
  }),
  sh: parts({ comment: '(?<=^|\\s)#.*', string: `"(?:[^"\\\\]|\\\\.)*"|'[^']*'`, word: `\\b(?:${SHELL_WORDS})\\b` }),
  ts: parts({
    comment: '//.*|/\\*[^]*?\\*/',
    string: `${STRING}|\`(?:[^\`\\\\]|\\\\.)*\``,
    number: NUMBER,
    word: `\\b(?:${SCRIPT_WORDS})\\b`,
  }),
  py: parts({
    comment: '#.*',
    string: `[bf]?"""[^]*?"""|[bf]?(?:${STRING})`,
    number: NUMBER,
    word: `\\b(?:${PYTHON_WORDS}|True|False|None)\\b`,
  }),
  go: parts({
    comment: '//.*',
    string: `${STRING}|\`[^\`]*\``,
    number: NUMBER,
    word: `\\b(?:${GO_WORDS}|nil|true|false)\\b`,
  }),
};

const ALIASES: Record<string, string> = {
  js: 'ts',
  typescript: 'ts',
  javascript: 'ts',
  python: 'py',
  shell: 'sh',
  bash: 'sh',
  yaml: 'sh',
};

/** Longest code that is coloured, characters. Longer code is shown without colours. */
const MAX_COLOURED_CHARS = 40_000;

function parts(byName: Record<string, string>): RegExp {
  return new RegExp(
    Object.entries(byName)
      .map(([name, source]) => `(?<${name}>${source})`)
      .join('|'),
    'gm',
  );
}

function highlighted(code: string, language: string): Html {
  const expression = LANGUAGES[ALIASES[language] ?? language];
  if (expression === undefined || code.length > MAX_COLOURED_CHARS) return markup`${code}`;
  let shown = '';
  let end = 0;
  for (const match of code.matchAll(expression)) {
    const groups: Record<string, string | undefined> = match.groups ?? {};
    const name = Object.keys(groups).find((group) => groups[group] !== undefined) ?? '';
    shown += `${escapeHtml(code.slice(end, match.index))}<span class="${name}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return new Html(shown + escapeHtml(code.slice(end)));
}
