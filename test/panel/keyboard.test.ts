import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

/** A script that returns the focused element, as a screen reader names it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return (element.ariaLabel ?? label ?? element.textContent).trim();
})()`;

/** Most stops of a page; no page has more. */
const MAX_STOPS = 60;

describeInBrowser('a person with nothing but a keyboard', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    opened = await panel.open({ signedIn: false });
    ({ page } = opened);
  });
  after(() => panel.close());

  /** Presses a key until the focused element has the name. */
  async function focusBy(key: string, name: string | ((name: string) => boolean)): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      await page.keyboard.press(key);
      const focused = await page.evaluate<string>(FOCUSED);
      if (typeof name === 'string' ? focused === name : name(focused)) return;
      passed.push(focused);
    }
    throw new Error(`${key} does not come to ${String(name)}; it came to ${passed.join(' | ')}`);
  }
  const tabTo = (name: string | ((name: string) => boolean)): Promise<void> => focusBy('Tab', name);

  const heading = (name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor();

  it('signs up and gets a phone on the trial, uses it, and deletes it', async () => {
    await page.goto('/sign-up');
    await tabTo('E-mail');
    await page.keyboard.type('bea@example.com');
    await tabTo('Password');
    await page.keyboard.type('correct horse battery');
    await page.keyboard.press('Enter');
    await heading('Phones');

    await tabTo('Create a phone');
    await page.keyboard.press('Enter');
    await heading('Create a phone');
    await page.getByText('30 min left').waitFor();
    await tabTo('Name');
    await page.keyboard.type('first');
    await tabTo('Create and start');
    await page.keyboard.press('Enter');
    await heading('first');
    await page.locator('canvas[data-drawn=true]').waitFor();

    // The field that types on the phone lets Tab through.
    await tabTo('Type on first');
    await tabTo('Home');
    await tabTo('About');
    // The tabs that have no room are in a menu after the others.
    await tabTo((name) => /^More: .*\bElements\b/.test(name));
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Elements' }).waitFor();
    await focusBy('ArrowDown', 'Elements');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Tap Clock' }).waitFor();
    await tabTo('Tap Clock');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Tap Stopwatch' }).waitFor();

    await page.goto('/phones/first');
    await page.getByRole('button', { name: 'More actions for first' }).waitFor();
    await tabTo('More actions for first');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
    await focusBy('ArrowDown', 'Delete…');
    await page.keyboard.press('Enter');
    await page.getByLabel('Type first to confirm').waitFor();
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await heading('Phones');
    await page.getByText('No phones yet').waitFor();
    expect(opened.complaints).to.deep.equal([]);
  });
});
