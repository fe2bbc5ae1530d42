import { ESLintUtils } from '@typescript-eslint/utils';
import { faultsOf } from './sentences.js';

/** Refuses comments with a sentence that `faultsOf` (sentences.js) finds hard to read. */
export default ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'suggestion',
    messages: { unclear: '{{fault}}: "{{sentence}}"' },
    schema: [],
  },
  defaultOptions: [],
  create(context) {
    return {
      Program() {
        for (const { text, loc } of commentsOf(context.sourceCode)) {
          for (const data of faultsOf(text)) context.report({ loc, messageId: 'unclear', data });
        }
      },
    };
  },
});

/** Returns the texts of a file's comments. Consecutive lines of `//` are one text; a comment after code is a text of its own. */
function commentsOf(sourceCode) {
  const texts = [];
  for (const { type, value, loc } of sourceCode.getAllComments()) {
    if (type === 'Shebang') continue;
    const isLine = type === 'Line' && sourceCode.lines[loc.start.line - 1].slice(0, loc.start.column).trim() === '';
    const last = texts.at(-1);
    if (isLine && last?.nextLine === loc.start.line) {
      last.text += `\n${value}`;
      last.loc = { start: last.loc.start, end: loc.end };
      last.nextLine += 1;
    } else {
      const text = type === 'Block' ? value.replace(/^[ \t]*\*+/gm, '') : value;
      texts.push({ text, loc, nextLine: isLine ? loc.end.line + 1 : undefined });
    }
  }
  return texts;
}
