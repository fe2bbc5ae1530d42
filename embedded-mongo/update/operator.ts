import type { Target } from './target.js';

/** Reads one operand, as in `{$inc: {path: operand}}`, and returns its effect on a document. */
export type Operator = (operand: unknown) => Change;

export type Change = (target: Target, context: UpdateContext) => void;

export interface UpdateContext {
  /** Whether the document is about to be inserted by an upsert. */
  readonly inserting: boolean;
}
