import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage } from './lab-page.js';

/** A ring that never stops turning, beside a button that works all the same. */
export function spinnerScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, column, ProgressSpinner, text, theme } = ui;
  let taps = 0;
  const count = text('Taps: 0', { id: 'count', color: theme.textSoft });
  return {
    content: labPage(ui, context, 'Endless spinner', [
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
export function secureScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, edit, text } = ui;
  return {
    content: labPage(ui, context, 'Secure window', [
      text('This window is secure. Pictures of it are black.', { id: 'secure_note' }),
      edit({ id: 'pin', hint: 'PIN', password: true, number: true }),
      button('Leave', { id: 'leave', onClick: () => context.finish() }),
    ]),
    onOpen: () => context.setSecure(true),
  };
}

/** A page that is one node to uiautomator. */
export function webViewScreen(ui: Toolkit, context: AppContext): Activity {
  const { picture, theme, page } = ui;
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
export function caretScreen(ui: Toolkit, context: AppContext): Activity {
  const { edit } = ui;
  const field = edit({ id: 'field', hint: 'Type here' });
  return {
    content: labPage(ui, context, 'Blinking caret', [field]),
    onOpen: () => context.focus(field),
  };
}
