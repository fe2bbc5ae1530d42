import { randomUUID } from 'node:crypto';
import { parseSelector } from './element-selector.js';
import type { SeenElement } from '../ui/seen-elements.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

/** The names of an element's id in responses: of WebDriver, and of the protocol before it. */
const ID_NAMES = ['element-6066-11e4-a52e-4f735466cecf', 'ELEMENT'];

/** Elements that are remembered; the oldest goes first. */
const KEPT_MOST = 1_000;

/** Names of attributes that clients use beside those of the source. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  contentDescription: 'content-desc',
  resourceId: 'resource-id',
  className: 'class',
  longClickable: 'long-clickable',
  name: 'content-desc',
};

/** The elements that a client has found, by the ids that it was given. Each stands for a view: it is stale once the view is not seen any more. */
export class FoundElements {
  readonly #seen: () => readonly SeenElement[];
  readonly #viewById = new Map<string, WeakRef<object>>();
  readonly #idByView = new WeakMap<object, string>();

  /** `seen` returns the elements of the screen as it is, in drawing order, parents before their children. */
  constructor(seen: () => readonly SeenElement[]) {
    this.#seen = seen;
  }

  /** Finds elements by the body of a request: `strategy`, `selector`, and `context`, the id of an element that they are in. */
  find({ strategy, selector, context }: Record<string, unknown>): Record<string, string>[] {
    if (typeof strategy !== 'string' || typeof selector !== 'string')
      throw new WebDriverRefusal(400, 'invalid argument', "'strategy' and 'selector' must be texts");
    const { matches, at } = parseSelector(strategy, selector);
    const seen = this.#seen();
    const parent = typeof context === 'string' && context !== '' ? seen.indexOf(this.get(context, seen)) : undefined;
    const found = seen.filter((one) => (parent === undefined || one.ancestors.includes(parent)) && matches(one));
    return (at === undefined ? found : found.slice(at, at + 1)).map(({ view }) => this.#reference(view));
  }

  /** The first element of `find`. Throws no such element. */
  findOne(body: Record<string, unknown>): Record<string, string> {
    const [first] = this.find(body);
    if (first !== undefined) return first;
    throw noSuchElement();
  }

  /** The field that has the focus. */
  active(): Record<string, string> {
    const focused = this.#seen().find(({ attributes }) => attributes.get('focused') === 'true');
    if (focused === undefined) throw noSuchElement();
    return this.#reference(focused.view);
  }

  /** The element of an id as it is now. Throws for an id that was not given, and for a view that is not seen any more. */
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
    // Last in the order, also where it was found before.
    this.#viewById.delete(id);
    this.#viewById.set(id, new WeakRef(view));
    const [oldest] = this.#viewById.keys();
    if (this.#viewById.size > KEPT_MOST && oldest !== undefined) this.#viewById.delete(oldest);
    return Object.fromEntries(ID_NAMES.map((name) => [name, id]));
  }
}

/** An attribute by its name in the source, or by one of the names that clients use. Throws for one that there is not. */
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
