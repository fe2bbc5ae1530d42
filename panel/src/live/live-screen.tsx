import { Loader } from '@mantine/core';
import { type DOMAttributes, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './live.module.css';
import { namedKey, shortcutOf } from './keyboard.ts';
import { usePinch } from './pinch.tsx';
import { ratioOf } from './ratio.ts';
import type { Live } from './use-live.ts';

/** The shape until the size is known. */
const UPRIGHT = { width: 9, height: 16 };

interface Props {
  name: string;
  live: Live;
  /** Whether the screen is only watched. */
  isWatchOnly?: boolean;
  /** Copies or cuts the selection on the phone, also to this computer. Absent: only to the phone's clipboard. */
  onCopy?: (letter: 'c' | 'x') => void;
  /** Content over the screen, through which touches go. */
  children?: ReactNode;
}

/**
 * Shows the live screen, and passes mouse, fingers, wheel and keyboard on to the phone. An invisible text field takes the keyboard, as only
 * a text field gets the text that input methods compose. Tab, and most keys with Ctrl or Alt, stay with the browser.
 */
export function LiveScreen({ name, live, isWatchOnly = false, onCopy, children }: Props) {
  const { phone, screen, hasFrame, error, state } = live;
  const { fingers } = phone;
  const canvas = useRef<HTMLCanvasElement>(null);
  const keyboard = useRef<HTMLTextAreaElement>(null);
  const [isFocused, setIsFocused] = useState(false);
  const pinch = usePinch(fingers);

  // React's onWheel is not used, as it cannot keep the page from scrolling.
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    phone.drawOn(element);
    if (isWatchOnly) return () => phone.drawOn(null);
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
      fingers.turnWheel(event, event.deltaX * unit, event.deltaY * unit);
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => {
      phone.drawOn(null);
      element.removeEventListener('wheel', turn);
    };
  }, [phone, fingers, isWatchOnly]);

  const flush = (field: HTMLTextAreaElement): void => {
    if (field.value === '') return;
    phone.type(field.value);
    field.value = '';
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const letter = shortcutOf(event);
    if (letter !== undefined) {
      event.preventDefault();
      if (onCopy !== undefined && (letter === 'c' || letter === 'x')) onCopy(letter);
      else phone.pressCtrl(letter);
    }
    if (event.nativeEvent.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const key = namedKey(event.key);
    if (key === undefined) return;
    event.preventDefault();
    phone.send([{ key: { name: key } }]);
  };
  const touches: DOMAttributes<HTMLCanvasElement> = {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      // On touch screens the browser's own keyboard would come up with every tap, so a button opens it.
      if (event.pointerType === 'mouse') keyboard.current?.focus({ preventScroll: true });
      fingers.press(event.pointerId, event);
      pinch.begin(event);
    },
    // The text field keeps the focus.
    onMouseDown: (event) => event.preventDefault(),
    onPointerMove: (event) => {
      fingers.move(event.pointerId, event);
      pinch.move(event);
    },
    onPointerUp: (event) => {
      fingers.lift(event.pointerId, event);
      pinch.end(event);
    },
    onPointerCancel: (event) => {
      fingers.lift(event.pointerId, event);
      pinch.end(event);
    },
    onPointerLeave: pinch.leave,
    onContextMenu: (event) => {
      event.preventDefault();
      // On a Mac this event comes with a click while Ctrl is held, which pinches.
      if (!event.ctrlKey) phone.send([{ key: { name: 'BACK' } }]);
    },
  };
  return (
    <div
      className={classes.frame}
      data-frame
      data-focused={isFocused}
      data-landscape={screen !== undefined && screen.width > screen.height}
      style={ratioOf(screen ?? UPRIGHT)}
    >
      <canvas
        ref={canvas}
        className={classes.canvas}
        role="img"
        aria-label={`Live screen of ${name}`}
        data-drawn={hasFrame}
        data-watch-only={isWatchOnly}
        {...(!isWatchOnly && touches)}
      />
      {children}
      {pinch.marks}
      {!isWatchOnly && (
        <textarea
          ref={keyboard}
          className={classes.keyboard}
          aria-label={`Type on ${name}`}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          rows={1}
          onFocus={() => setIsFocused(true)}
          onBlur={() => setIsFocused(false)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            // Without text, with a picture or nothing, the phone's own clipboard is pasted.
            if (event.clipboardData.getData('text') !== '') return;
            event.preventDefault();
            phone.pressCtrl('v');
          }}
          onInput={(event) => {
            if (!(event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing)) flush(event.currentTarget);
          }}
          onCompositionEnd={(event) => flush(event.currentTarget)}
        />
      )}
      {!hasFrame && (
        <div className={classes.waiting}>
          <Loader size="sm" color="#e4e7ec" aria-hidden />
          <span>{error ?? (state === 'closed' ? 'Connecting again' : 'Connecting')}</span>
        </div>
      )}
    </div>
  );
}
