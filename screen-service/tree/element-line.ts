import type { ElementState, ScreenElement } from './elements.js';
import { centerOf } from '../shapes/rectangle.js';
import type { Role } from './role.js';

/** States that an element with this role usually has. A line leaves them out, as they would be repeated for each such element. */
const IMPLIED: Partial<Record<Role, readonly ElementState[]>> = {
  button: ['clickable'],
  textfield: ['clickable', 'long_clickable', 'editable'],
  checkbox: ['clickable', 'checkable'],
  switch: ['clickable', 'checkable'],
  radio: ['clickable', 'checkable'],
  slider: ['clickable'],
  combobox: ['clickable'],
  group: ['clickable'],
};

/** Returns one line of `elements_text` (its grammar is in observation.proto). */
export function elementLine(element: ScreenElement): string {
  const { id, role, states } = element;
  const implied = IMPLIED[role] ?? [];
  const shown: string[] = states.filter((state) => !implied.includes(state));
  if (role === 'group' && !states.includes('clickable')) shown.unshift('static');
  return [id, role, ...namesOf(element), placeOf(element), ...shown].join(' ');
}

/** Returns `id @x,y`, for an element that has only moved. */
export function placeLine(element: ScreenElement): string {
  return `${element.id} ${placeOf(element)}`;
}

function placeOf({ bounds }: ScreenElement): string {
  const { x, y } = centerOf(bounds);
  return `@${x},${y}`;
}

function namesOf({ role, text, label, resourceId }: ScreenElement): string[] {
  if (role === 'textfield' && text !== '') return [...quoted(label), `=${JSON.stringify(text)}`];
  const words = [...quoted(text), ...quoted(label)];
  if (words.length > 0) return words;
  const name = resourceId.slice(resourceId.lastIndexOf('/') + 1).replaceAll(/\s/g, '');
  return name === '' ? [] : [`#${name}`];
}

function quoted(text: string): string[] {
  return text === '' ? [] : [JSON.stringify(text)];
}
