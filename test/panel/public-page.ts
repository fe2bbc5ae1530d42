import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PanelWorld } from './panel-world.js';

/** The script of axe, for pages that are open. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long a page may take to be drawn, ms: the machine may be busy. */
const DRAWN_MS = 60_000;

interface Checks {
  /** A selector of an element that is there once the page is drawn. */
  drawn: string;
  widths: Record<'light' | 'dark', number[]>;
  /** A script that shows the parts that readers open or scroll to. Absent: none. */
  reveal?: string;
}

/** Opens a page without a session in both schemes and at these widths. Returns all its faults. */
export async function faultsOf(panel: PanelWorld, url: string, { drawn, widths, reveal }: Checks): Promise<string[]> {
  const faults: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of widths[scheme]) {
      const { page, context } = await panel.open({ signedIn: false, width });
      page.on('console', (message) => faults.push(`console: ${message.text()}`));
      page.on('request', (request) => {
        const { host, protocol } = new URL(request.url());
        if (protocol.startsWith('http') && host !== new URL(url).host) faults.push(`loads ${request.url()}`);
      });
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(url);
      await page.locator(drawn).first().waitFor({ timeout: DRAWN_MS });
      if (reveal !== undefined) await page.evaluate(reveal);
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) faults.push(`${width} ${scheme}: ${beyond} pixels beyond the right edge`);
      await page.evaluate(AXE);
      // The preload of axe copies stylesheets into elements of a document of its own, which the page's policy refuses.
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        'axe.run({ resultTypes: ["violations"], preload: false })',
      );
      for (const { id, nodes } of violations) faults.push(`${width} ${scheme} ${id}: ${nodes[0]?.html ?? ''}`);
      await context.close();
    }
  }
  return faults;
}
