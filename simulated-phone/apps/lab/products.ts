import { button } from '../../ui/button.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { Activity, AppContext } from '../app.js';
import { labPage, wideButton } from './lab-page.js';

/** Pages of one window that differ in a number: a press on "Buy" that was meant for another page buys the wrong product. */
export function productsScreen(context: AppContext): Activity {
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
    content: labPage(context, 'Products', [
      title,
      price,
      button('Buy', { id: 'buy', onClick: () => (bought.text = `Bought: product ${product}`) }),
      wideButton('Next product', 'next', () => {
        product++;
        show();
      }),
      bought,
    ]),
  };
}
