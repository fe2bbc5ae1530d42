import type { InputEvent, LiveScreenSize } from './live-connection.ts';

/** Returns the events of one screen for a screen of another size. Each touch keeps its share of the width and height. */
export function scaled(
  events: readonly InputEvent[],
  from: LiveScreenSize | undefined,
  to: LiveScreenSize | undefined,
): InputEvent[] {
  if (from === undefined || to === undefined) return [...events];
  return events.map((event) => {
    if (!('touch' in event)) return event;
    const { x, y, ...touch } = event.touch;
    return {
      ...event,
      touch: { ...touch, x: Math.floor((x * to.width) / from.width), y: Math.floor((y * to.height) / from.height) },
    };
  });
}
