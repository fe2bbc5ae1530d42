import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Task } from './tasks.js';
import type { ToolClient } from './tool-client.js';

const VERSION = '1.0.4';

/** An element of its list. */
interface Listed {
  words: string[];
  x: number;
  y: number;
}

/** How often a list that lacks the wanted element is requested again: the screen may still be on its way. */
const TRIES = 3;

/** Swipes in search of something below. */
const SWIPES = 30;

/**
 * Installs mobile-mcp into a folder of its own and returns the folder and its program. It is no dependency of ours: a package that it
 * needs requires a newer Node than ours, although the part used here works.
 */
export async function installMobileMcp(): Promise<{ folder: string; program: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'cloudphone-mobile-mcp-'));
  await writeFile(join(folder, 'package.json'), '{"private": true}');
  const quiet = ['--engine-strict=false', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', ['install', ...quiet, `@mobilenext/mobile-mcp@${VERSION}`], { cwd: folder });
  return { folder, program: join(folder, 'node_modules/@mobilenext/mobile-mcp/lib/index.js') };
}

/**
 * Does tasks with mobile-mcp as agents do. It acts by coordinates of the latest list, then lists again, as nothing else shows the effect of
 * an act.
 */
export class MobileMcpAgent {
  readonly #tools: ToolClient;
  readonly #device: string;
  #listed: Listed[] = [];

  constructor(tools: ToolClient, device: string) {
    this.#tools = tools;
    this.#device = device;
  }

  async observe(): Promise<string> {
    const text = await this.#call('mobile_list_elements_on_screen');
    this.#listed = parse(text);
    return text;
  }

  /** Returns the last list. */
  async do({ app, screens, shows }: Task): Promise<string> {
    await this.#call('mobile_launch_app', { packageName: app.package });
    let last = await this.observe();
    for (const intents of screens) {
      let isTyping = false;
      for (const intent of intents) {
        if ('tap' in intent) {
          await this.#tap(intent.tap);
          last = await this.observe();
        } else if ('type' in intent) {
          await this.#tap(intent.type.field);
          await this.#call('mobile_type_keys', { text: intent.type.text, submit: false });
          last = await this.observe();
          isTyping = true;
        } else {
          // The keyboard lies over the wanted element, and takes the swipes.
          if (isTyping) await this.#call('mobile_press_button', { button: 'BACK' });
          isTyping = false;
          await this.#find(intent.find);
        }
      }
    }
    await this.#see(shows);
    return last;
  }

  async #tap(words: string): Promise<void> {
    const { x, y } = await this.#see(words);
    await this.#call('mobile_click_on_screen_at_coordinates', { x, y });
  }

  async #find(words: string): Promise<void> {
    for (let swipe = 0; swipe < SWIPES && find(this.#listed, words) === undefined; swipe++) {
      await this.#call('mobile_swipe_on_screen', { direction: 'up' });
      await this.observe();
    }
  }

  async #see(words: string): Promise<Listed> {
    for (let tries = 0; ; tries++) {
      const found = find(this.#listed, words);
      if (found !== undefined) return found;
      if (tries === TRIES) throw new Error(`mobile-mcp does not list "${words}"`);
      await this.observe();
    }
  }

  #call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.#tools.call(name, { device: this.#device, ...args });
  }
}

/** The element with these words, else the first that has them in its words. */
function find(listed: readonly Listed[], words: string): Listed | undefined {
  return (
    listed.find((one) => one.words.includes(words)) ??
    listed.find((one) => one.words.some((text) => text.includes(words)))
  );
}

/** `TextView text="Notes" id="…" at=40,84 size=672x57`, one a line. */
function parse(text: string): Listed[] {
  return text.split('\n').flatMap((line) => {
    const place = / at=(-?\d+),(-?\d+) size=(\d+)x(\d+)/.exec(line);
    if (place === null) return [];
    const [left = 0, top = 0, width = 0, height = 0] = place.slice(1).map(Number);
    const words = [...line.matchAll(/ (?:text|label|name|value)=("(?:[^"\\]|\\.)*")/g)].map(
      ([, quoted = '""']) => JSON.parse(quoted) as string,
    );
    return [{ words, x: Math.round(left + width / 2), y: Math.round(top + height / 2) }];
  });
}
