import type { Locator } from 'playwright-core';

/** Where an element is in the window, CSS pixels. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the boxes of all elements at one moment. Asking for one after the other would wait for elements that a new layout has removed. */
export function boxesOf(elements: Locator): Promise<Box[]> {
  return elements.evaluateAll((all) => all.map((one) => one.getBoundingClientRect() as Box));
}
