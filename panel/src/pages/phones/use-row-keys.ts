import { type RefObject, useEffect, useRef } from 'react';

/** Elements that take the letters typed by the user. Checkboxes and radio buttons take none. */
const WRITES = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';
/** Elements that have keys of their own. */
const OVER = '[role=dialog], [role=menu], [role=listbox]';

/**
 * Moves through the rows of a table by keys: j and k go to the next row and the one before, x chooses, Enter opens. The link of the row has
 * the focus, so that the browser opens it and screen readers say it.
 */
export function useRowKeys(table: RefObject<HTMLElement | null>, onChoose: (row: string) => void): void {
  const choose = useRef(onChoose);
  useEffect(() => {
    choose.current = onChoose;
  });
  useEffect(() => {
    let last: string | undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(`${WRITES}, ${OVER}`) !== null) return;
      const rows = [...(table.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const focused = rows.findIndex((row) => row.contains(document.activeElement));
      const at = focused >= 0 ? focused : rows.findIndex(({ dataset }) => dataset['row'] === last);
      const step = { j: 1, k: -1 }[event.key];
      if (step !== undefined) {
        const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
        last = next?.dataset['row'];
        next?.querySelector('a')?.focus();
      } else {
        const row = rows[focused]?.dataset['row'];
        if (event.key !== 'x' || row === undefined) return;
        choose.current(row);
      }
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [table]);
}
