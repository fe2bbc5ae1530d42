import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

/** The focused element, as a screen reader names it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return (element.ariaLabel ?? label ?? element.textContent).trim();
})()`;

/** More stops than any page has. */
const STOPS_MOST = 60;

describe('a person with nothing but a keyboard', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    opened = await panel.open({ signedIn: false });
    ({ page } = opened);
  });
  after(() => panel.close());

  /** Goes on by Tab until the focused element has the name. */
  async function tabTo(name: string): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < STOPS_MOST; stop++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>(FOCUSED);
      if (focused === name) return;
      passed.push(focused);
    }
    throw new Error(`Tab does not come to ${name}; it came to ${passed.join(' | ')}`);
  }

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
    for (let tab = 0; tab < 8; tab++) await page.keyboard.press('ArrowRight');
    expect(await page.evaluate<string>(FOCUSED)).to.equal('Elements');
    await page.getByRole('button', { name: 'Tap Clock' }).waitFor();
    await tabTo('Tap Clock');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Tap Stopwatch' }).waitFor();

    await page.goto('/phones/first');
    await page.getByRole('button', { name: 'More actions for first' }).waitFor();
    await tabTo('More actions for first');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
    for (let item = 0; item < 3 && (await page.evaluate<string>(FOCUSED)) !== 'Delete…'; item++) {
      await page.keyboard.press('ArrowDown');
    }
    expect(await page.evaluate<string>(FOCUSED)).to.equal('Delete…');
    await page.keyboard.press('Enter');
    await page.getByLabel('Type first to confirm').waitFor();
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await heading('Phones');
    await page.getByText('No phones yet').waitFor();
    expect(opened.complaints).to.deep.equal([]);
  });
});
