import type { LinearPattern } from '../../../patterns/linear-pattern.js';
import type { AwkContext } from './context.js';
import type { Steps } from './steps.js';
import type { Expression, Target } from './syntax-tree.js';
import type { Scalar } from './values.js';

/** The means by which a function of the language reads its arguments, and assigns to them. */
export interface Operands {
  readonly context: AwkContext;
  value(node: Expression): Steps<Scalar>;
  number(node: Expression): Steps<number>;
  text(node: Expression): Steps<string>;
  pattern(node: Expression): Steps<LinearPattern>;
  assign(target: Target, value: Scalar): Steps<void>;
}
