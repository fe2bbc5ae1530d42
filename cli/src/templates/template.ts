import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { factsOf } from '../output/columns.js';
import { plainLine } from '../output/plain-text.js';
import { sizeText } from '../output/sizes.js';
import { UsageError } from '../output/usage-error.js';
import { findSnapshot } from '../phones/find-snapshot.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';

type Template = Schemas['Template'];

export const create = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options, signal } = invocation;
    const [name = ''] = words;
    const [from, wanted] = [options.text('from'), options.text('snapshot')];
    if (wanted === undefined)
      throw new UsageError('template create: --snapshot is missing. "cloudphone snapshots NAME" lists them.');
    const { phone } = openService(invocation);
    const snapshot = from === undefined ? wanted : (await findSnapshot(invocation, phone, `${from}/${wanted}`)).id;
    const made = await phone.post('/v1/templates', { body: { name, snapshot }, signal });
    const job = await waitForJob(invocation, phone, made.job);
    const { template } = await phone.get('/v1/templates/{name}', { params: { path: { name } }, signal });
    print(invocation, { job, template }, templateFacts(template));
  },
};

export const get = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    const body = await phone.get('/v1/templates/{name}', { params: { path: { name } }, signal });
    print(invocation, body, templateFacts(body.template));
  },
};

export const remove = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    await phone.delete('/v1/templates/{name}', { params: { path: { name } }, signal });
    print(invocation, {}, `The template ${plainLine(name)} is deleted.`);
  },
};

export const list = {
  run: (invocation: Invocation): Promise<void> =>
    listItems<Template>(invocation, {
      path: '/v1/templates',
      field: 'templates',
      none: 'No templates. Make one: cloudphone template create NAME --snapshot ID',
      columns: [
        ['NAME', ({ name }) => name],
        ['STATE', ({ state }) => state],
        ['MODEL', ({ model }) => model],
        ['ANDROID', ({ android }) => android],
        ['SIZE', ({ size }) => sizeText(size)],
        ['MADE', ({ created_at: at }) => at],
      ],
    }),
};

function templateFacts({ id, name, state, model, android, size, created_at: at }: Template): string {
  return factsOf([
    ['name', name],
    ['id', id],
    ['state', state],
    ['model', `${model}, Android ${android}`],
    ['size', sizeText(size)],
    ['made', at],
  ]);
}
