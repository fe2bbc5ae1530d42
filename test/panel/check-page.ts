import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';

/** Folder of the screenshots, which are artifacts of the run. */
const SCREENSHOTS = fileURLToPath(new URL('../../../test/panel/screenshots/', import.meta.url));

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Widths of a narrow phone, a tablet and a desktop. */
const WIDTHS = [320, 768, 1440] as const;
/** Widths at which a page is examined and its screenshot is kept. Between them the layout has nothing of its own. */
const EXAMINED: readonly number[] = [320, 1440];
const DARK_WIDTH = 1440;

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Does the checks for every page. Axe finds nothing, nothing scrolls sideways from 320 to 1440 pixels, and each name of a column has its
 * value. Dark differs only in colours, so it is checked at one width. Keeps the screenshots under `name`. Call it when the page shows its
 * content.
 */
export async function checkPage(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1440, height: 900 };
  // A tooltip is outside of every landmark while the mouse is over its button.
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').first().waitFor({ state: 'hidden' });
  for (const scheme of ['light', 'dark'] as const) {
    // The toggle of the panel sets the scheme so; without a choice the panel follows the system.
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`:root[data-mantine-color-scheme=${scheme}]`).waitFor();
    for (const width of scheme === 'light' ? WIDTHS : [DARK_WIDTH]) {
      await page.setViewportSize({ width, height: 900 });
      // A layout takes some frames to follow the window, and a busy machine seconds for each.
      await until(async () => (await beyondEdge(page)) <= 0, 30_000).catch(() => undefined);
      expect(await beyondEdge(page), `${name} at ${width}: pixels beyond the right edge`).to.be.at.most(0);
      expect(await namesWithoutValue(page), `${name} at ${width}: names of columns without a value`).to.deep.equal([]);
      if (!EXAMINED.includes(width)) continue;
      const path = `${SCREENSHOTS}${name}-${width}-${scheme}.png`;
      await page.screenshot({ path, fullPage: true, animations: 'disabled' });
      expect(await findings(page), `${name} at ${width} in ${scheme}`).to.deep.equal([]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
}

function beyondEdge(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the names of columns without a value, in rows that are shown as cards. */
function namesWithoutValue(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('td[data-label]')]
      .filter((cell) => getComputedStyle(cell, '::before').content.startsWith('"') && getComputedStyle(cell).display !== 'none')
      .filter((cell) => cell.innerText.trim() === '' && cell.querySelector('[role], svg, img') === null)
      .map((cell) => cell.dataset.label)`,
  );
}

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // The preload of axe copies stylesheets into elements of a document of its own, which the page's policy refuses.
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    'axe.run({ resultTypes: ["violations"], preload: false })',
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
