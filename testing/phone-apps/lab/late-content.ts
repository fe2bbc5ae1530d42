import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, numberExtra } from './lab-page.js';

/** A still screen whose content appears after `ms` (1500). With `spinner true`, a ring turns until then. */
export function lateContentScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, column, ProgressSpinner, text, theme } = ui;
  const ms = numberExtra(context, 'ms', 1500);
  const holder = column({ id: 'holder', width: 'fill', gap: 12 }, []);
  const load = (): void => {
    const waiting = [text('Loading…', { id: 'loading', color: theme.textFaint })];
    const spinner = new ProgressSpinner({ id: 'progress', startMs: context.clock.monotonicMs() });
    holder.setChildren(context.extras['spinner'] === 'true' ? [...waiting, spinner] : waiting);
    context.later(
      ms,
      () =>
        holder.setChildren([
          text('Content', { id: 'content', size: 22, weight: 500 }),
          text(`It came ${ms} ms after the screen was opened.`, { color: theme.textSoft }),
          button('Continue', { id: 'continue', onClick: () => context.toast('Continued') }),
        ]),
      { pending: true },
    );
  };
  load();
  return {
    content: labPage(ui, context, 'Late content', [
      holder,
      button('Load again', { id: 'reload', kind: 'outlined', onClick: load }),
    ]),
  };
}

/**
 * Content after `first_ms` (200) that looks done, and then changes once more after `second_ms` (700): a wait that
 * ends at the first quiet moment ends too early.
 */
export function secondPaintScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, text, theme } = ui;
  const firstMs = numberExtra(context, 'first_ms', 200);
  const secondMs = numberExtra(context, 'second_ms', 700);
  const price = text('—', { id: 'price', size: 34, weight: 500 });
  const note = text('Asking for the price', { id: 'note', color: theme.textSoft });
  const load = (): void => {
    price.text = '—';
    note.text = 'Asking for the price';
    context.later(
      firstMs,
      () => {
        price.text = '19.00';
        note.text = 'Price';
      },
      { pending: true },
    );
    context.later(
      firstMs + secondMs,
      () => {
        price.text = '17.10';
        note.text = 'Price with discount';
      },
      { pending: true },
    );
  };
  load();
  return {
    content: labPage(ui, context, 'Late second paint', [
      price,
      note,
      button('Ask again', { id: 'reload', kind: 'outlined', onClick: load }),
    ]),
  };
}
