import { type RefCallback, useCallback, useEffect, useRef, useState } from 'react';

interface Fitting {
  /** The ref of the row into which the items are to fit. */
  row: RefCallback<HTMLElement>;
  /** The ref of an element that has one child for each item, as wide as the item. */
  ruler: RefCallback<HTMLElement>;
  /** The indexes of the items that fit. */
  fits: readonly number[];
}

/**
 * Finds how many items fit into one row, for rows that put the others into a menu. The row and the items are
 * measured, as the width of the window gives neither. `menuPx`: width of the menu's button. `keeps`: the item that is always in the row.
 */
export function useFitting({ count, menuPx, keeps }: { count: number; menuPx: number; keeps: number }): Fitting {
  const [roomPx, setRoomPx] = useState(Infinity);
  const [widthsPx, setWidthsPx] = useState<readonly number[]>([]);
  const row = useSize((element) => setRoomPx(element.clientWidth));
  const ruler = useSize((element) => {
    const next = [...element.children].map((child) => child.getBoundingClientRect().width);
    setWidthsPx((old) => (old.length === next.length && old.every((width, at) => width === next[at]) ? old : next));
  });
  const known = Array.from({ length: count }, (_, index) => widthsPx[index] ?? 0);
  return { row, ruler, fits: fitting({ widthsPx: known, roomPx, menuPx, keeps }) };
}

/**
 * Returns the indexes of the items that fit. If not all fit, these are the kept item and as many first ones as fit beside the menu's
 * button.
 */
function fitting({
  widthsPx,
  roomPx,
  menuPx,
  keeps,
}: {
  widthsPx: readonly number[];
  roomPx: number;
  menuPx: number;
  keeps: number;
}): number[] {
  const all = widthsPx.map((_, index) => index);
  if (widthsPx.reduce((sum, width) => sum + width, 0) <= roomPx) return all;
  let leftPx = roomPx - menuPx - (widthsPx[keeps] ?? 0);
  const fits: number[] = [];
  for (const index of all) {
    if (index === keeps) continue;
    leftPx -= widthsPx[index] ?? 0;
    if (leftPx < 0) break;
    fits.push(index);
  }
  return [...fits, keeps].filter((index) => index >= 0 && index < widthsPx.length).sort((a, b) => a - b);
}

/** Calls `onSize` when the element of the returned ref is there, and whenever its size or that of a child changes. */
function useSize(onSize: (element: HTMLElement) => void): RefCallback<HTMLElement> {
  const latest = useRef(onSize);
  useEffect(() => {
    latest.current = onSize;
  });
  return useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const report = (): void => latest.current(element);
    report();
    const observer = new ResizeObserver(report);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
