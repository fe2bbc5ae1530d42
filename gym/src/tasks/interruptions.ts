import { IN_STOCK } from '../base/base-shop.js';
import { Family } from '../family.js';
import { setShop } from '../base/app-lists.js';
import { shopLack } from '../base/app-lacks.js';
import { productRow } from './rows.js';
import { open, tap, type, wait } from './steps.js';

/** A shop that interrupts its buyers, read from its cart and its orders. */
export const interruptions = new Family('interruptions')
  .add('rating', {
    params: ({ pick }) => ({ product: pick(IN_STOCK) }),
    goal: ({ product }) => `Put "${product.name}" into the cart of the Shop. Rate nothing.`,
    prepare: (phone) => setShop(phone, { interrupts: ['home:rating', 'product:battery'] }),
    verdict: (phone, { product }) => shopLack(phone, { cart: { [product.id]: 1 } }),
    policy: ({ product }) => [
      ...[open('Shop'), tap('Not now'), type('Search the shop', product.name), productRow(product)],
      ...[tap('OK'), tap('Add to cart')],
    ],
  })
  .add('newsletter', {
    params: ({ pick }) => ({ product: pick(IN_STOCK) }),
    goal: ({ product }) => `Put "${product.name}" on the wish list of the Shop. You want no newsletter.`,
    prepare: (phone) => setShop(phone, { interrupts: ['product:newsletter'] }),
    verdict: (phone, { product }) => shopLack(phone, { wishes: [product.id] }),
    policy: ({ product }) => [
      ...[open('Shop'), type('Search the shop', product.name), productRow(product)],
      ...[tap('No, I like to pay more'), tap('Add to wish list')],
    ],
  })
  .add('late-content', {
    params: ({ pick }) => ({ product: pick(IN_STOCK) }),
    goal: ({ product }) => `Put "${product.name}" into the cart of the Shop, which takes its time.`,
    prepare: (phone) => setShop(phone, { interrupts: ['late', 'home:message'] }),
    verdict: (phone, { product }) => shopLack(phone, { cart: { [product.id]: 1 } }),
    policy: ({ product }) => [
      ...[open('Shop'), type('Search the shop', product.name), productRow(product)],
      ...[wait('Add to cart'), tap('Add to cart')],
    ],
  })
  .add('session', {
    params: ({ pick, int }) => ({ product: pick(IN_STOCK), street: `${int(1, 99)} Harbour Street` }),
    goal: ({ product, street }) =>
      `Your cart in the Shop holds "${product.name}". Order it for Ada Lund, ${street}, standard delivery, without insurance and without newsletter.`,
    prepare: (phone, { product }) => setShop(phone, { cart: { [product.id]: 1 }, interrupts: ['checkout:session'] }),
    verdict: (phone, { product, street }) =>
      shopLack(phone, {
        orders: [
          {
            items: { [product.id]: 1 },
            // The last box is worded against its sense: checked means no newsletter is refused.
            values: { Name: 'Ada Lund', Street: street, Delivery: 'Standard', 'Add insurance for 4.90 €': false, 'Do not send me no newsletter': false }, // prettier-ignore
          },
        ],
      }),
    policy: ({ street }) => [
      ...[open('Shop'), tap('Cart'), tap('Checkout'), tap('Stay'), type('Name', 'Ada Lund'), type('Street', street)],
      ...[{ key: { name: 'back' } } as const, tap('Standard'), tap('Add insurance for 4.90 €')],
      ...[{ scroll: { direction: 'down', until: { text: 'Buy now' } } } as const, tap('Buy now'), tap('OK')],
    ],
  })
  .add('clear-cart', {
    params: ({ sample }) => ({ products: sample(IN_STOCK, 3) }),
    goal: ({ products: [, second] }) =>
      `Remove everything but "${second?.name ?? ''}" from the cart of the Shop. You want no newsletter.`,
    prepare: (phone, { products }) =>
      setShop(phone, { cart: Object.fromEntries(products.map(({ id }) => [id, 2])), interrupts: ['home:newsletter'] }),
    verdict: (phone, { products: [, second] }) => shopLack(phone, { cart: { [second?.id ?? '']: 2 } }),
    policy: ({ products: [first, , third] }) => [
      ...[open('Shop'), tap('No, I like to pay more'), tap('Cart')],
      ...[tap(`Remove ${first?.name ?? ''}`), tap(`Remove ${third?.name ?? ''}`)],
    ],
  });
