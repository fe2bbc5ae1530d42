/** A product of the gym's shop. */
export interface GivenProduct {
  id: string;
  name: string;
  price: number;
  stock: number;
}

const THINGS = [
  'mug',
  'lamp',
  'towel',
  'basket',
  'kettle',
  'cushion',
  'clock',
  'vase',
  'apron',
  'tray',
  'candle',
  'blanket',
];
const COLOURS = ['Amber', 'Blue', 'Copper', 'Dusky', 'Emerald', 'Frosted', 'Golden', 'Hazel', 'Ivory', 'Jade', 'Khaki', 'Lilac', 'Mint', 'Navy', 'Olive', 'Pearl', 'Quartz', 'Ruby', 'Sandy', 'Teal', 'Umber', 'Violet', 'White', 'Yellow', 'Zebra']; // prettier-ignore

/** 300 products, which are the same on each phone. Every seventh is sold out; no two have the same price. */
export const BASE_PRODUCTS: readonly GivenProduct[] = COLOURS.flatMap((colour, row) =>
  THINGS.map((thing, at): GivenProduct => {
    const number = row * THINGS.length + at;
    const price = 3 + ((number * 167) % 300) * 0.25;
    return { id: `p${number}`, name: `${colour} ${thing}`, price, stock: number % 7 === 3 ? 0 : 1 + (number % 9) };
  }),
);

/** Products that can be bought. */
export const IN_STOCK = BASE_PRODUCTS.filter(({ stock }) => stock > 1);
