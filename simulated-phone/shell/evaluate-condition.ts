import { binaryTest, unaryTest, type TestHost } from './evaluate-test.js';
import { expandToGlob, expandToText, type ExpansionHost } from './expand-word.js';
import type { Glob } from './glob.js';
import type { Condition, Word } from './grammar/syntax-tree.js';

/** Unlike in `case`, a group such as `@(a|b)` may come from a variable. */
const globOf = (word: Word, host: ExpansionHost): Promise<Glob> => expandToGlob(word, host, { groups: true });

/** Evaluates what stands between `[[` and `]]`: words are not split, and the right side of `==` is a pattern. */
export async function evaluateCondition(condition: Condition, words: ExpansionHost, tests: TestHost): Promise<boolean> {
  const evaluate = (inner: Condition): Promise<boolean> => evaluateCondition(inner, words, tests);
  switch (condition.kind) {
    case 'and':
      return (await evaluate(condition.left)) && evaluate(condition.right);
    case 'or':
      return (await evaluate(condition.left)) || evaluate(condition.right);
    case 'not':
      return !(await evaluate(condition.of));
    case 'unary':
      return unaryTest(condition.operator, await expandToText(condition.operand, words), tests);
    case 'binary': {
      const { operator, right } = condition;
      const left = await expandToText(condition.left, words);
      if (operator === '=' || operator === '==') return (await globOf(right, words)).test(left);
      if (operator === '!=') return !(await globOf(right, words)).test(left);
      return binaryTest(operator, left, await expandToText(right, words), tests);
    }
  }
}
