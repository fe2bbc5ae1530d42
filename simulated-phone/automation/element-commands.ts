import { captureFrame } from '../capture/capture-frame.js';
import { encodePng } from '../capture/encode-frame.js';
import type { Machine } from '../machine/machine.js';
import { attributeOf, FoundElements } from './elements.js';
import { performPointerActions } from './pointer-actions.js';
import type { SeenElement } from '../ui/seen-elements.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

/** Most characters that a client may type by one command. */
const MAX_TYPED_CHARS = 10_000;

type Handler = (body: Record<string, unknown>, id: string, name: string) => unknown;

/** The commands of a session on elements, touches and pictures. */
export class ElementCommands {
  readonly #machine: Machine;
  readonly #signal: AbortSignal;
  readonly #found: FoundElements;
  readonly #handlers: Readonly<Record<string, Handler>>;

  /** `seen` throws where the screen cannot be read; `signal` aborts when the server ends. */
  constructor(machine: Machine, seen: () => readonly SeenElement[], signal: AbortSignal) {
    this.#machine = machine;
    this.#signal = signal;
    const found = (this.#found = new FoundElements(seen));
    const of = (id: string): SeenElement => found.get(id);
    this.#handlers = {
      'POST element': (body) => found.findOne(body),
      'POST elements': (body) => found.find(body),
      'GET element/active': () => found.active(),
      'POST element/:id/click': (_, id) => this.#tap(of(id)),
      'POST element/:id/clear': (_, id) => this.#type(id, '', true),
      'POST element/:id/value': ({ text, replace }, id) => this.#type(id, text, replace === true),
      'GET element/:id/text': (_, id) => of(id).attributes.get('text') ?? '',
      'GET element/:id/name': (_, id) => of(id).attributes.get('content-desc') ?? '',
      'GET element/:id/attribute/:name': (_, id, name) => attributeOf(of(id), name),
      'GET element/:id/rect': (_, id) => of(id).box,
      'GET element/:id/location': (_, id) => placeOf(of(id)),
      'GET element/:id/size': (_, id) => sizeOf(of(id)),
      'POST actions': (body) => {
        // The screen is read once, as a request may have a thousand moves that begin at elements.
        const atFirst = seen();
        return performPointerActions(machine, body, (id) => found.get(id, atFirst).box, signal);
      },
      'GET screenshot': () => this.#picture(),
    };
  }

  /** Handles a command by its method and the path below the session. Throws unknown command where there is none. */
  async handle(method: string, path: readonly string[], body: Record<string, unknown>): Promise<unknown> {
    const [root = '', id = '', kind, name = ''] = path;
    const isOfElement = root === 'element' && kind !== undefined;
    const route = isOfElement
      ? ['element', ':id', kind, ...(path.length > 3 ? [':name', ...path.slice(4)] : [])].join('/')
      : path.join('/');
    const key = `${method} ${route}`;
    const handler = Object.hasOwn(this.#handlers, key) ? this.#handlers[key] : undefined;
    if (handler === undefined)
      throw new WebDriverRefusal(
        404,
        'unknown command',
        `The simulated phone has no ${method} ${path.join('/').slice(0, 200)}`,
      );
    return (await handler(body, id, name)) ?? null;
  }

  #tap({ box: { x, y, width, height } }: SeenElement): void {
    const point = { x: x + width / 2, y: y + height / 2, pointer: 0 };
    for (const phase of ['down', 'up'] as const) this.#machine.screen.touch({ phase, ...point });
  }

  /** Types into a field, which is tapped first unless it has the focus. */
  #type(id: string, text: unknown, replaces: boolean): void {
    const typed = Array.isArray(text) ? text.join('') : text;
    if (typeof typed !== 'string' || typed.length > MAX_TYPED_CHARS)
      throw new WebDriverRefusal(
        400,
        'invalid argument',
        `'text' must be a text of at most ${MAX_TYPED_CHARS} characters`,
      );
    const isFocused = (): boolean => this.#found.get(id).attributes.get('focused') === 'true';
    if (!isFocused()) this.#tap(this.#found.get(id));
    const { screen } = this.#machine;
    if (!isFocused() || screen.focusedField === undefined)
      throw new WebDriverRefusal(
        400,
        'invalid element state',
        'Cannot set the element to the text: it is no text field',
      );
    if (replaces) screen.clearText();
    if (typed !== '') screen.commitText(typed);
  }

  #picture(): Promise<string> {
    return captureFrame(this.#machine, this.#signal, async (frame) => (await encodePng(frame)).toString('base64'));
  }
}

function placeOf({ box: { x, y } }: SeenElement): { x: number; y: number } {
  return { x, y };
}

function sizeOf({ box: { width, height } }: SeenElement): { width: number; height: number } {
  return { width, height };
}
