import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { until } from '../../testing/until.js';

/** Waits until a field has the focus after a refusal, and is described by the error with the text. */
export async function waitForFieldError(field: Locator, text: string): Promise<void> {
  await until(async () => (await field.getAttribute('aria-invalid')) === 'true');
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ').filter((id) => id !== '');
  const descriptions = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).textContent()));
  expect(descriptions.join('\n')).to.contain(text);
  const id = await field.getAttribute('id');
  await until(async () => (await field.page().evaluate('document.activeElement.id')) === id);
}
