import { randomUUID } from 'node:crypto';
import { parseSelector } from './element-selector.js';
import type { SeenElement } from '../ui/seen-elements.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

/** The names of an element's id in responses: that of WebDriver, and that of the protocol before it. */
const ID_NAMES = ['element-6066-11e4-a52e-4f735466cecf', 'ELEMENT'];

/** Most elements that are remembered; the oldest is forgotten first. */
const MAX_KEPT_ELEMENTS = 1_000;

/** Names of attributes that clients use in addition to those of the source. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  contentDescription: 'content-desc',
  resourceId: 'resource-id',
  className: 'class',
  longClickable: 'long-clickable',
  name: 'content-desc',
};

/**
 * The elements that a client has found, by the ids that the client was given. An element stands for a view. The element is stale once that
 * view no longer shows.
 */
export class FoundElements {
  readonly #seen: () => readonly SeenElement[];
  readonly #viewById = new Map<string, WeakRef<object>>();
  readonly #idByView = new WeakMap<object, string>();

  /** `seen` returns the elements of the present screen in drawing order, parents before their children. */
  constructor(seen: () => readonly SeenElement[]) {
    this.#seen = seen;
  }

  /** Finds elements by the `strategy` and `selector` in the body of a request. `context`: the id of an element in which they must be. */
  find({ strategy, selector, context }: Record<string, unknown>): Record<string, string>[] {
    if (typeof strategy !== 'string' || typeof selector !== 'string')
      throw new WebDriverRefusal(400, 'invalid argument', "'strategy' and 'selector' must be texts");
    const { matches, at } = parseSelector(strategy, selector);
    const seen = this.#seen();
    const parent = typeof context === 'string' && context !== '' ? seen.indexOf(this.get(context, seen)) : undefined;
    const found = seen.filter((one) => (parent === undefined || one.ancestors.includes(parent)) && matches(one));
    return (at === undefined ? found : found.slice(at, at + 1)).map(({ view }) => this.#reference(view));
  }

  /** Returns the first element of `find`. Throws no such element. */
  findOne(body: Record<string, unknown>): Record<string, string> {
    const [first] = this.find(body);
    if (first !== undefined) return first;
    throw noSuchElement();
  }

  /** Returns the field that has the focus. */
  active(): Record<string, string> {
    const focused = this.#seen().find(({ attributes }) => attributes.get('focused') === 'true');
    if (focused === undefined) throw noSuchElement();
    return this.#reference(focused.view);
  }

  /** Returns the present element of an id. Throws for an id that was not given out, and for a view that no longer shows. */
  get(id: string, seen = this.#seen()): SeenElement {
    const view = this.#viewById.get(id);
    if (view === undefined)
      throw new WebDriverRefusal(404, 'no such element', `There is no element ${id.slice(0, 80)}`);
    const element = seen.find((one) => one.view === view.deref());
    if (element !== undefined) return element;
    throw new WebDriverRefusal(
      404,
      'stale element reference',
      'The previously found element is not present in the current view anymore. Make sure the application UI has the expected state before locating the element',
    );
  }

  #reference(view: object): Record<string, string> {
    const id = this.#idByView.get(view) ?? randomUUID();
    this.#idByView.set(view, id);
    // The element moves to the end of the order, even if it was found before.
    this.#viewById.delete(id);
    this.#viewById.set(id, new WeakRef(view));
    const [oldest] = this.#viewById.keys();
    if (this.#viewById.size > MAX_KEPT_ELEMENTS && oldest !== undefined) this.#viewById.delete(oldest);
    return Object.fromEntries(ID_NAMES.map((name) => [name, id]));
  }
}

/** Returns an attribute by its name in the source, or by one of the names that clients use. Throws for an unknown name. */
export function attributeOf({ attributes }: SeenElement, name: string): string {
  const value = attributes.get(Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? '') : name);
  if (value !== undefined) return value;
  throw new WebDriverRefusal(404, 'unknown command', `'${name.slice(0, 80)}' attribute is unknown for the element`);
}

function noSuchElement(): WebDriverRefusal {
  return new WebDriverRefusal(
    404,
    'no such element',
    'An element could not be located on the page using the given search parameters.',
  );
}
