import { type PointerEvent, useEffect, useRef, useState } from 'react';
import type { Fingers, PointerMoment } from './fingers.ts';
import classes from './live.module.css';

/** A place on the screen, as fractions of its width and height. */
interface Place {
  x: number;
  y: number;
}

/**
 * Pinches with a mouse. While Ctrl is held, there is a second finger at the place of the first, mirrored at the centre of the screen. Both
 * are drawn as soon as Ctrl is held. Returns handlers for the pointer's events, and the drawing.
 */
export function usePinch(fingers: Fingers) {
  const [shown, setShown] = useState<Place>();
  const pointed = useRef<Place>(undefined);
  const pinching = useRef<number>(undefined);
  useEffect(() => {
    const show = ({ key }: KeyboardEvent): void => {
      if (key === 'Control') setShown(pointed.current);
    };
    const hide = ({ key }: KeyboardEvent): void => {
      if (key === 'Control' && pinching.current === undefined) setShown(undefined);
    };
    window.addEventListener('keydown', show);
    window.addEventListener('keyup', hide);
    return () => {
      window.removeEventListener('keydown', show);
      window.removeEventListener('keyup', hide);
    };
  }, []);
  const end = (event: PointerEvent): void => {
    if (pinching.current !== event.pointerId) return;
    pinching.current = undefined;
    fingers.lift(secondOf(event.pointerId), event);
    if (!event.ctrlKey) setShown(undefined);
  };
  return {
    begin: (event: PointerEvent): void => {
      if (!event.ctrlKey || event.pointerType !== 'mouse') return;
      pinching.current = event.pointerId;
      fingers.press(secondOf(event.pointerId), mirrored(event));
    },
    move: (event: PointerEvent): void => {
      const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
      pointed.current = { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
      if (pinching.current === event.pointerId) fingers.move(secondOf(event.pointerId), mirrored(event));
      if (pinching.current !== undefined || shown !== undefined) setShown(pointed.current);
    },
    end,
    leave: (): void => {
      pointed.current = undefined;
      if (pinching.current === undefined) setShown(undefined);
    },
    marks: shown && <PinchMarks at={shown} />,
  };
}

function PinchMarks({ at: { x, y } }: { at: Place }) {
  return [
    { x, y },
    { x: 1 - x, y: 1 - y },
  ].map((place, finger) => (
    <span
      key={finger}
      className={classes.finger}
      data-finger={finger}
      style={{ left: `${place.x * 100}%`, top: `${place.y * 100}%` }}
    />
  ));
}

/** Returns the second finger's pointer. It is negative, as numbers of browsers are not. */
function secondOf(pointer: number): number {
  return -1 - pointer;
}

function mirrored({ currentTarget, clientX, clientY, timeStamp }: PointerEvent): PointerMoment {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return { clientX: left + right - clientX, clientY: top + bottom - clientY, timeStamp };
}
