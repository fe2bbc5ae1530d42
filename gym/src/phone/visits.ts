import type { GymPhone } from './gym-phone.js';

/** What the history of the browser must be, by names of pages. */
interface Wanted {
  last: string;
  /** Pages that must have been shown, too. */
  visited?: readonly string[];
  /** Pages that must not have been shown. */
  never?: readonly string[];
}

/** Returns what the history of the browser lacks. Undefined: nothing. */
export async function visitsLack(
  phone: GymPhone,
  { last, visited = [], never = [] }: Wanted,
): Promise<string | undefined> {
  const history = (await phone.appState<{ url: string }[]>('com.cloudphone.browser', 'history.json')) ?? [];
  const pages = history.map(({ url }) => url.slice(url.lastIndexOf('/') + 1));
  if (pages.at(-1) !== last) return `the last page is ${pages.at(-1) ?? 'none'}, not ${last}`;
  const missing = visited.find((page) => !pages.includes(page));
  if (missing !== undefined) return `${missing} was not visited`;
  const forbidden = never.find((page) => pages.includes(page));
  return forbidden === undefined ? undefined : `${forbidden} was visited`;
}
