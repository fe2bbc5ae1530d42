import { CompoundButton } from '../ui/compound-button.js';
import { EditField } from '../ui/edit-field.js';
import { ScrollBase } from '../ui/scroll.js';
import type { View } from '../ui/view.js';
import type { ActivityRecord, Task } from './tasks.js';

/**
 * The open apps of a phone as a snapshot keeps them: the intent of each activity, and its typed, checked, scrolled and focused views.
 * Dialogs, lists, toasts and animations are not kept. Fetched data is not kept either, as an activity fetches it again.
 */
export interface SavedScreen {
  /** The apps, the one in front last. */
  tasks: SavedActivity[][];
}

interface SavedActivity {
  component: string;
  extras: Readonly<Record<string, string>>;
  data?: string;
  views: SavedView[];
}

interface SavedView {
  /** Index among its parent's children, from the window's root down. */
  at: number[];
  /** The view's class, so that nothing is put into another view. */
  className: string;
  text?: string;
  caret?: number;
  checked?: boolean;
  offset?: number;
  focused?: true;
}

/** Returns the saved state of open apps. `tasks`: the apps, the one in front last. */
export function saveScreen(tasks: readonly Task[]): SavedScreen {
  return { tasks: tasks.map(({ records }) => records.map(saveActivity)) };
}

/** Restores the saved state of the views of an activity that was opened again. */
export function restoreViews(record: ActivityRecord, views: readonly SavedView[]): void {
  const [window] = record.windows;
  if (window === undefined) return;
  // A view must be laid out before it is known how far it can be scrolled.
  window.bringUp();
  for (const { at, className, text, caret, checked, offset, focused } of views) {
    const view = at.reduce<View | undefined>((parent, index) => parent?.children[index], window.root);
    if (view === undefined || view.className !== className) continue;
    if (view instanceof EditField && text !== undefined) {
      view.edit((edit) => {
        if (edit.text !== text) edit.replaceAll(text);
        edit.place(caret ?? text.length);
      });
    }
    if (view instanceof CompoundButton && checked !== undefined && view.checked !== checked) view.click();
    if (view instanceof ScrollBase && offset !== undefined) view.offset = offset;
    if (focused) window.focus(view);
  }
}

function saveActivity({ component, extras, data, windows }: ActivityRecord): SavedActivity {
  const views: SavedView[] = [];
  const [window] = windows;
  const visit = (view: View, at: number[]): void => {
    const saved = saveView(view);
    const focused = window?.focused === view;
    if (saved !== undefined || focused) {
      views.push({ at, className: view.className, ...saved, ...(focused && { focused }) });
    }
    view.children.forEach((child, index) => visit(child, [...at, index]));
  };
  if (window !== undefined) visit(window.root, []);
  return { component, extras, ...(data !== undefined && { data }), views };
}

function saveView(view: View): Pick<SavedView, 'text' | 'caret' | 'checked' | 'offset'> | undefined {
  if (view instanceof EditField) return { text: view.text, caret: view.caret };
  if (view instanceof CompoundButton) return { checked: view.checked };
  if (view instanceof ScrollBase && view.offset > 0) return { offset: view.offset };
  return undefined;
}
