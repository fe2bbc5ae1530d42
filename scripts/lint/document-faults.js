import { faultsOf } from './sentences.js';

/**
 * Returns the faults in the sentences of a Markdown file, or in the comments of a .proto file, each with its line. Consecutive lines of
 * `//` are one text.
 */
export function documentFaults(path, source) {
  // A tag of HTML is no word; its lines stay, so that the others keep their numbers.
  const withoutTags = source.replace(/<\/?[a-z][^>]*>/g, (tag) => tag.replace(/[^\n]/g, ''));
  const texts = path.endsWith('.md') ? [{ text: withoutTags, line: 1 }] : protoComments(source);
  return texts.flatMap(({ text, line }) =>
    faultsOf(text).map((found) => ({ ...found, line: line + lineOf(found.sentence, text) })),
  );
}

function protoComments(source) {
  return [...source.matchAll(/(?:^[ \t]*\/\/.*\n?)+|(?<=[;{}][ \t]*)\/\/.*/gm)].map(({ 0: comment, index }) => ({
    text: comment.replace(/^[ \t]*\/\//gm, ''),
    line: source.slice(0, index).split('\n').length,
  }));
}

/** Returns how many lines of the text are before the sentence, whose words may be on several lines. */
function lineOf(sentence, text) {
  const words = sentence.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  const at = text.search(new RegExp(words.join('\\s+')));
  return text.slice(0, at).split('\n').length - 1;
}
