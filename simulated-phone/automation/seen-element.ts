/** A view that is seen now, as automation finds it. */
export interface SeenElement {
  /** The view itself: the same object as long as the view is there. */
  view: object;
  /** Positions in the list of those that are around it, the outermost first. */
  ancestors: readonly number[];
  /** By the names that they have in the source: `text`, `resource-id`, `bounds`. */
  attributes: ReadonlyMap<string, string>;
  /** The part that is on the display, px. */
  box: { x: number; y: number; width: number; height: number };
}
