/** Most words of a sentence. The aim is 25; a few more are no reason to stop a build. */
export const MAX_WORDS = 30;

/** Openings of sentences that have no subject of their own, each with the advice for the writer. */
const OPENINGS = [
  [/^Of /, 'Begin with the subject or the verb, not with "Of"'],
  [
    /^(Those|The ones) (that|which|who|whose|of|with|to|in|on|from|after|inside)\b/,
    'Name the subject in place of "Those"',
  ],
  // Only where the sentence ends after the verb of its clause: "What it needs is read first." is whole.
  [/^What (it|they|(an?|the) [\w-]+) (is|was|has|does|needs|costs|lacks|(may|can) (do|have))[.:;]/, 'Name what it is'],
];

/** Words that this project has other words for. */
const WORDS = [
  [/\b(tells|told)\b/i, 'Functions return, callers are notified, failures are reported: not "tells"'],
  [/\banswers (what|where|how|whether|who|which)\b/i, 'Functions return: not "answers"'],
];

/** Abbreviations whose full stop ends no sentence, and endings that do so only before a word with a capital. */
const ABBREVIATION = /(^|[\s("'])(e\.g|i\.e|vs|cf|approx)\.$/;
const PERHAPS_AN_END = /(^|[\s("'])(etc\.|\.\.\.)[)\]"']*$/;

/** The mark of a list's item, of a documentation tag or of a heading, in front of a block. */
const MARK = /^(?:[-*+]|\d+[.)]|@\w+|#+)\s+/;

/** Returns the sentences of a text in Markdown: each paragraph, item of a list, heading and cell of a table has its own. */
export function sentencesOf(text) {
  const code = [];
  const masked = withoutIndentedCode(text)
    .replace(/^[ \t]*```[^]*?(^[ \t]*```|$(?![^]))/gm, '\n\n')
    // A span of code counts as one word, whatever it contains.
    .replace(/`[^`\n]*(?:\n[^`\n]+)?`/g, (span) => `\u{e000}${code.push(span) - 1}\u{e001}`);
  return blocksOf(masked)
    .flatMap(sentencesOfBlock)
    .map((sentence) => sentence.replace(/\u{e000}(\d+)\u{e001}/gu, (_, at) => code[at].replace(/\s+/g, ' ')));
}

/** Removes blocks of code that are indented by four blanks. Text in a list's items is indented as well, and stays. */
function withoutIndentedCode(text) {
  let isList = false;
  let isCode = false;
  let wasBlank = true;
  return text
    .split('\n')
    .filter((line) => {
      const isBlank = line.trim() === '';
      const isIndented = /^ {4}/.test(line);
      if (!isIndented && !isBlank) isList = /^ *(?:[-*+]|\d+[.)])\s/.test(line) || (isList && !wasBlank);
      isCode = (isCode && (isIndented || isBlank)) || (isIndented && wasBlank && !isList && !isBlank);
      wasBlank = isBlank;
      return !isCode || isBlank;
    })
    .join('\n');
}

function blocksOf(text) {
  return text
    .replace(/^[ \t]*> ?/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)|\n(?=\s*@\w)|\n(?=\s*[|#])/)
    .map((block) => block.trim())
    .flatMap((block) => (block.startsWith('|') ? block.split(/(?<!\\)\|/) : [block]))
    .map((block) => block.trim().replace(MARK, ''));
}

function sentencesOfBlock(block) {
  const words = block.split(/\s+/);
  const sentences = [];
  let sentence = '';
  for (const [at, word] of words.entries()) {
    sentence += sentence === '' ? word : ` ${word}`;
    if (!/[.!?]["')\]*_”’]*$/.test(word) || ABBREVIATION.test(sentence)) continue;
    if (PERHAPS_AN_END.test(sentence) && /^\p{Ll}/u.test(words[at + 1] ?? '')) continue;
    sentences.push(sentence);
    sentence = '';
  }
  return [...sentences, sentence].filter((found) => found !== '');
}

/** Returns what is wrong with the sentences of a text that a reader has to read twice. */
export function faultsOf(text) {
  return sentencesOf(text).flatMap((sentence) => {
    const plain = sentence.replace(/`[^`]*`/g, 'CODE').replace(/\]\([^)\s]*\)/g, ']');
    const words = plain.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const faults = [
      ...[...OPENINGS, ...WORDS].filter(([found]) => found.test(plain)).map(([, advice]) => advice),
      ...(words > MAX_WORDS ? [`This sentence has ${words} words; ${MAX_WORDS} are the most`] : []),
    ];
    return faults.map((fault) => ({ fault, sentence }));
  });
}
