import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { fieldsOf, type Values } from './parts/fields.js';
import { interruption } from './parts/interruption.js';
import { longList, screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

interface Product {
  id: string;
  name: string;
  price: number;
  stock: number;
}

interface Shop {
  products: Product[];
  /** How many of each product, by id. */
  cart: Record<string, number>;
  orders: { items: Record<string, number>; values: Values }[];
  wishes: string[];
  /** What interrupts the buyer. */
  interrupts?: string[];
  /** The interruptions to which the buyer has said yes. */
  agreed?: string[];
}

const PACKAGE = 'com.cloudphone.gym.shop';
const EMPTY: Shop = { products: [], cart: {}, orders: [], wishes: [] };
const moneyOf = (price: number): string => `${price.toFixed(2)} €`;

/** A shop with hundreds of products, a cart and a checkout. It interrupts its buyers where a task wants that. */
export default function shopApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Shop> => new StateFile<Shop>(context, 'shop', EMPTY);
  const interrupt = (context: AppContext, store: StateFile<Shop>, kinds: readonly string[], where: string): void =>
    interruption(context, kinds, where, (what) =>
      store.change(
        (shop) => ({ ...shop, agreed: [...(shop.agreed ?? []), what] }),
        () => context.finish(),
      ),
    );
  const toCart = (context: AppContext) => () => context.open({ component: `${PACKAGE}/.Cart` });

  const main = (context: AppContext): Activity => {
    const store = storeOf(context);
    let shop = EMPTY;
    let order = 'By name';
    const list = longList<Product>(ui, ({ id, name, price, stock }) => ({
      title: name,
      detail: stock === 0 ? `${moneyOf(price)}, sold out` : moneyOf(price),
      onClick: () => context.open({ component: `${PACKAGE}/.Product` }, { id }),
    }));
    const search = ui.edit({ id: 'search', hint: 'Search the shop', fieldStyle: 'pill', onChange: () => filter() });
    const orders = ['By name', 'Cheapest first', 'Dearest first'] as const;
    const sort = new ui.DropDown({ id: 'sort', description: 'Order', choices: orders, onChange: (at) => { order = orders[at] ?? 'By name'; filter(); } }); // prettier-ignore
    const filter = (): void => {
      const words = search.text.trim().toLowerCase();
      const sign = order === 'Cheapest first' ? 1 : -1;
      const found = shop.products.filter(({ name }) => name.toLowerCase().includes(words));
      list.show(
        found.sort((a, b) => (order === 'By name' ? a.name.localeCompare(b.name, 'en') : sign * (a.price - b.price))),
      );
    };
    const body = ui.column({ width: 'fill', share: 1 }, [
      ui.column({ width: 'fill', padding: [4, 16], gap: 8 }, [search, sort]),
      ui.overlay({ width: 'fill', share: 1 }, [list.view]),
    ]);
    const cart = ui.button('Cart', { id: 'cart', kind: 'text', onClick: toCart(context) });
    const show = (found: Shop): void => {
      shop = { ...found, products: [...found.products] };
      filter();
      interrupt(context, store, found.interrupts ?? [], 'home');
    };
    return { content: ui.page({ title: 'Shop', actions: [cart], body }), onResume: () => store.read(show) };
  };

  const product = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'] ?? '';
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const add = (): void =>
      store.change(
        (shop) => ({ ...shop, cart: { ...shop.cart, [id]: (shop.cart[id] ?? 0) + 1 } }),
        () => context.toast('In the cart'),
      );
    store.read(({ products, interrupts = [] }) => {
      const one = products.find((known) => known.id === id);
      if (one === undefined) return;
      const buy = ui.button('Add to cart', { id: 'add', width: 'fill', enabled: one.stock > 0, onClick: add });
      const wish = (): void =>
        store.change(
          (shop) => ({ ...shop, wishes: [...shop.wishes, id] }),
          () => context.toast('On the list'),
        );
      const details = [
        ui.text(moneyOf(one.price), { id: 'price', size: 20 }),
        ui.text(one.stock === 0 ? 'Sold out' : `${one.stock} in stock`, { id: 'stock' }),
        ...[buy, wide(ui, 'Add to wish list', wish), wide(ui, 'Go to cart', toCart(context))],
      ];
      body.setChildren([ui.text(one.name, { id: 'name', size: 24, weight: 500 })]);
      const show = (): void => body.setChildren([...body.children, ...details]);
      if (interrupts.includes('late')) context.later(2500, show, { pending: true });
      else show();
      interrupt(context, store, interrupts, 'product');
    });
    return { content: screen(ui, context, 'Product', [body]) };
  };

  const cart = (context: AppContext): Activity => {
    const store = storeOf(context);
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const set = (id: string, count: number) => () =>
      store.change((shop) => {
        const rest = Object.entries(shop.cart).filter(([other]) => other !== id);
        return { ...shop, cart: Object.fromEntries(count > 0 ? [...rest, [id, count]] : rest) };
      }, show);
    const show = ({ products, cart: items }: Shop): void => {
      const rows = Object.entries(items).flatMap(([id, count]) => {
        const name = products.find((known) => known.id === id)?.name ?? id;
        return [
          ui.text(`${count} × ${name}`, { id: 'item' }),
          ui.row({ width: 'fill', gap: 8 }, [
            ui.button('−', { description: `One ${name} less`, kind: 'tonal', onClick: set(id, count - 1) }),
            ui.button('+', { description: `One ${name} more`, kind: 'tonal', onClick: set(id, count + 1) }),
            ui.button('Remove', { description: `Remove ${name}`, kind: 'text', onClick: set(id, 0) }),
          ]),
        ];
      });
      const buy = ui.button('Checkout', {
        id: 'checkout',
        width: 'fill',
        onClick: () => context.open({ component: `${PACKAGE}/.Checkout` }),
      });
      body.setChildren(rows.length === 0 ? [ui.text('The cart is empty', { id: 'empty' })] : [...rows, buy]);
    };
    return { content: screen(ui, context, 'Cart', [body]), onResume: () => store.read(show) };
  };

  const checkout = (context: AppContext): Activity => {
    const store = storeOf(context);
    const form = fieldsOf(ui, context, [
      { kind: 'text', name: 'Name', must: /\S/, hint: 'must not be empty' },
      { kind: 'text', name: 'Street', must: /\S/, hint: 'must not be empty' },
      { kind: 'radio', name: 'Delivery', choices: ['Standard', 'Express', 'Pick up'], value: 'Express' },
      { kind: 'check', name: 'Add insurance for 4.90 €', value: true },
      { kind: 'check', name: 'Do not send me no newsletter', value: false },
    ]);
    const fault = ui.text('', { id: 'fault', color: '#b3261e' });
    const order = (): void => {
      fault.text = form.fault() ?? '';
      if (fault.text !== '') return;
      const values = form.values();
      store.change(
        (shop) => ({ ...shop, cart: {}, orders: [...shop.orders, { items: shop.cart, values }] }),
        () =>
          context.dialog({
            title: 'Order sent',
            dismissible: false,
            buttons: [{ label: 'OK', onClick: () => context.finish() }],
          }),
      );
    };
    store.read(({ interrupts = [] }) => interrupt(context, store, interrupts, 'checkout'));
    return { content: screen(ui, context, 'Checkout', [...form.views, fault, wide(ui, 'Buy now', order)]) };
  };

  return {
    package: PACKAGE,
    label: 'Shop',
    drawIcon: ui.appIcon('#a8326f', 'apps'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Product': product, '.Cart': cart, '.Checkout': checkout },
  };
}
