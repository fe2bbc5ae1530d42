import { existsSync } from 'node:fs';

/** Debian's browsers. The one without windows takes a fifth less of the processor in these tests. */
const DEBIANS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser that pages are tested in: CHROMIUM, else one of Debian's. */
export function chromiumPath(): string {
  const found = process.env['CHROMIUM'] ?? DEBIANS.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no browser: install Debian's chromium-headless-shell, or set CHROMIUM`);
  return found;
}
