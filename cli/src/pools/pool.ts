import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { factsOf } from '../output/columns.js';
import { plainLine } from '../output/plain-text.js';
import { UsageError } from '../output/usage-error.js';
import { exitText, labelsText } from '../phones/device-facts.js';
import { exitOf, labelsOf, planOf } from '../phones/wanted-device.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';
import { warmPriceText } from './warm-price.js';

type Pool = Schemas['Pool'];

/** The bounds of `ready`, and of `most`. */
const READY = { min: 0, max: 50 };
const POOL_SIZE = { min: 1, max: 200 };

export const put = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options, terminal, signal } = invocation;
    const [name = ''] = words;
    const [template, model, android] = ['template', 'model', 'android'].map((option) => options.text(option));
    if ((template === undefined) === (model === undefined))
      throw new UsageError('pool put: give one of --template and --model.');
    const network = exitOf(options.text('exit'));
    const plan = planOf(options.text('plan') ?? 'minute');
    const ready = options.number('ready', READY) ?? 1;
    const most = options.number('most', POOL_SIZE);
    const body = {
      ...(template !== undefined && { template }),
      ...(model !== undefined && { model }),
      ...(android !== undefined && { android }),
      ...(network !== undefined && { network }),
      ...(most !== undefined && { most }),
      ...{ plan, ready, apps: options.texts('app'), labels: labelsOf(options.texts('label')) },
    };
    const { phone } = openService(invocation);
    const price = await warmPriceText(phone, { ready, plan }, signal);
    // The price is said before it is spent. It is no part of the output, which programs read.
    if (price !== undefined) terminal.note(`cloudphone: ${price} Leased phones are charged as all others.`);
    const made = await phone.put('/v1/pools/{name}', { params: { path: { name } }, body, signal });
    print(invocation, made, poolFacts(made.pool));
  },
};

export const get = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    const body = await phone.get('/v1/pools/{name}', { params: { path: { name } }, signal });
    print(invocation, body, poolFacts(body.pool));
  },
};

export const remove = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    await phone.delete('/v1/pools/{name}', { params: { path: { name } }, signal });
    print(invocation, {}, `The pool ${plainLine(name)} is deleted.`);
  },
};

export const list = {
  run: (invocation: Invocation): Promise<void> =>
    listItems<Pool>(invocation, {
      path: '/v1/pools',
      field: 'pools',
      none: 'No pools. Make one: cloudphone pool put NAME --model MODEL',
      columns: [
        ['NAME', ({ name }) => name],
        ['FROM', ({ template, model }) => template ?? model],
        ['READY', ({ ready, phones }) => `${phones.ready} of ${ready}`],
        ['LEASED', ({ phones }) => phones.leased],
        ['STARTING', ({ phones }) => phones.starting],
        ['POOL_SIZE', ({ most }) => most],
        ['PROBLEM', ({ problem }) => problem?.message],
      ],
    }),
};

function poolFacts(pool: Pool): string {
  const { phones, warm } = pool;
  return factsOf([
    ['name', pool.name],
    ['template', pool.template],
    ['model', pool.model],
    ['android', pool.android],
    ['exit', exitText({ timezone: '', ...pool.network })],
    ['plan', pool.plan],
    ['apps', pool.apps.join(' ')],
    ['labels', labelsText(pool.labels)],
    ['ready', `${phones.ready} of ${pool.ready}`],
    ['starting', phones.starting],
    ['leased', phones.leased],
    ['most', pool.most],
    ['ready costs', `${warm.price_per_hour} USD an hour, ${warm.minutes_today} minutes today`],
    ['problem', pool.problem?.message],
  ]);
}
