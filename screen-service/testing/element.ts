import type { ScreenElement } from '../tree/elements.js';

/** Returns an element as wide as the screen and 100 pixels high, `y` from the top; default 0. */
export function element(fields: Partial<ScreenElement> & { y?: number }): ScreenElement {
  const { y = 0, ...rest } = fields;
  return {
    id: 'e1',
    role: 'text',
    text: '',
    label: '',
    words: [rest.text ?? '', rest.label ?? ''].filter((words) => words !== ''),
    resourceId: '',
    className: 'android.widget.TextView',
    bounds: { x: 0, y, width: 720, height: 100 },
    states: ['clickable'],
    ...rest,
  };
}
