import type { Operation } from './document.js';

/** An operation in the texts of the API: `POST /v1/devices/demo/start`. */
const CALL = /\b(?:call )?(GET|POST|PATCH|DELETE) (\/v1(?:\/[\w{}*-]+)+)(?:\?[\w=&]+)?/g;

/** Replaces HTTP requests by the names of tools, in texts of the API that are written for programs. */
export class ToolNames {
  readonly #patterns: readonly { method: string; path: RegExp; tool: string }[];

  constructor(tools: readonly { tool: string; operation: Operation }[]) {
    this.#patterns = tools.map(({ tool, operation: { method, path } }) => ({
      ...{ method, tool },
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  in(text: string): string {
    return text.replace(CALL, (words, method: string, path: string) => {
      const known = this.#patterns.find((pattern) => pattern.method === method && pattern.path.test(path));
      return known?.tool ?? words;
    });
  }
}
