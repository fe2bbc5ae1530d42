import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, wideButton } from './lab-page.js';

/** A window whose pages differ only in the product's number and price. A press on "Buy" that comes too late buys another product. */
export function productsScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, text, theme } = ui;
  let product = 1;
  const title = text('', { id: 'title', size: 30, weight: 500 });
  const price = text('', { id: 'price', size: 22 });
  const bought = text('Nothing is bought', { id: 'bought', color: theme.textSoft });
  const show = (): void => {
    title.text = `Product ${product}`;
    price.text = `${product * 3 + 16}.00`;
  };
  show();
  return {
    content: labPage(ui, context, 'Products', [
      title,
      price,
      button('Buy', { id: 'buy', onClick: () => (bought.text = `Bought: product ${product}`) }),
      wideButton(ui, 'Next product', 'next', () => {
        product++;
        show();
      }),
      bought,
    ]),
  };
}
