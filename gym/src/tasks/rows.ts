import type { GivenContact } from '../base/base-contacts.js';
import type { GivenProduct } from '../base/base-shop.js';
import type { Action } from '../task.js';
import { tap } from './steps.js';

// Rows by all their words: a search field has the name, too.

export function contactRow({ name, company }: Pick<GivenContact, 'name' | 'company'>): Action {
  return tap(`${name}, ${company}`);
}

export function productRow(product: Pick<GivenProduct, 'name' | 'price'> | undefined): Action {
  return tap(`${product?.name ?? ''}, ${(product?.price ?? 0).toFixed(2)} €`);
}
