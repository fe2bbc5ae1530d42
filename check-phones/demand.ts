/** Throws with the text unless the condition holds. */
export function demand(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}
