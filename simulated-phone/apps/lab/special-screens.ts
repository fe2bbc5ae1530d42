import { button } from '../../ui/button.js';
import { column } from '../../ui/containers.js';
import { edit } from '../../ui/edit-field.js';
import { picture } from '../../ui/image-view.js';
import { ProgressSpinner } from '../../ui/progress.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { labPage } from './lab-page.js';

/** A ring that never stops turning, beside a button that works all the same. */
export function spinnerScreen(context: AppContext): Activity {
  let taps = 0;
  const count = text('Taps: 0', { id: 'count', color: theme.textSoft });
  return {
    content: labPage(context, 'Endless spinner', [
      column({ width: 'fill', align: 'center', padding: 24 }, [
        new ProgressSpinner({
          id: 'progress',
          description: 'Working',
          startMs: context.clock.monotonicMs(),
          size: 64,
        }),
      ]),
      count,
      button('Tap me', {
        id: 'tap',
        onClick: () => {
          taps += 1;
          count.text = `Taps: ${taps}`;
        },
      }),
    ]),
  };
}

/** FLAG_SECURE: pictures of it are black, dumps are not. */
export function secureScreen(context: AppContext): Activity {
  return {
    content: labPage(context, 'Secure window', [
      text('This window is secure. Pictures of it are black.', { id: 'secure_note' }),
      edit({ id: 'pin', hint: 'PIN', password: true, number: true }),
      button('Leave', { id: 'leave', onClick: () => context.finish() }),
    ]),
    onOpen: () => context.setSecure(true),
  };
}

/** A page that is one node to uiautomator. */
export function webViewScreen(context: AppContext): Activity {
  const paragraphs = [
    'Text in a web view is drawn, not made of views.',
    'A dump shows one node here, so this page can only be acted on by its pixels.',
  ];
  const web = picture({
    id: 'web',
    className: 'android.webkit.WebView',
    focusable: true,
    clips: true,
    width: 'fill',
    share: 1,
    draw: (painter, width) => {
      painter.fill(0, 0, width, 2000, '#ffffff');
      painter.run('A page', 20, 44, 28, 700, theme.text);
      let top = 64;
      for (const paragraph of paragraphs) {
        const laid = painter.drawing.text.layout(paragraph, { size: 16, weight: 400 }, painter.fontScale, width - 40);
        painter.text(laid, 20, top, theme.textSoft);
        top += laid.height + 12;
      }
      painter.fill(20, top + 8, 140, 44, '#159570', 6);
      painter.label('Buy now', 90, top + 30, 16, 500, '#ffffff');
    },
  });
  return { content: page({ title: 'Web view', onUp: () => context.finish(), body: web }) };
}

/** A field with the focus: its caret blinks for ever, and nothing else happens. */
export function caretScreen(context: AppContext): Activity {
  const field = edit({ id: 'field', hint: 'Type here' });
  return {
    content: labPage(context, 'Blinking caret', [field]),
    onOpen: () => context.focus(field),
  };
}
