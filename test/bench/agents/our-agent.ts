import type { Intent, Task } from './tasks.js';
import type { ToolClient } from './tool-client.js';

/** Does tasks with our server: all steps on one screen are one call, which shows the changes. */
export class OurAgent {
  readonly #tools: ToolClient;

  constructor(tools: ToolClient) {
    this.#tools = tools;
  }

  observe(): Promise<string> {
    return this.#tools.call('observe', {});
  }

  /** Returns the last result. */
  async do({ app, screens, shows }: Task): Promise<string> {
    let last = await this.#tools.call('open_app', { app: app.label });
    for (const [index, intents] of screens.entries()) {
      const steps: object[] = intents.map(stepOf);
      if (index === screens.length - 1) Object.assign(steps.at(-1) ?? {}, { expect: { text: shows } });
      last = await this.#tools.call('act', { steps, timeout_ms: timeoutOf(intents) });
    }
    return last;
  }
}

function stepOf(intent: Intent): object {
  if ('tap' in intent) return { tap: { text: intent.tap } };
  if ('type' in intent)
    return { type: { target: { text: intent.type.field, role: 'textfield' }, text: intent.type.text } };
  return { scroll: { direction: 'down', until: { text: intent.find } } };
}

/** An agent allows more time for more steps, and for a search. */
function timeoutOf(intents: readonly Intent[]): number {
  const extraMs = intents.map((intent) => ('find' in intent ? 15_000 : 4_000));
  return Math.min(
    60_000,
    extraMs.reduce((all, ms) => all + ms, 8_000),
  );
}
