import { demand } from '../demand.js';
import type { Row } from '../row.js';
import { MARK, needsSnapshots, takenSnapshot } from './copies.js';
import { MAIN } from './life.js';

/** The snapshot becomes a template, and a new phone is made from the template, with an identity of its own. */
export const templates: Row = {
  name: 'template, and a phone of it',
  run: async (phones) => {
    needsSnapshots(phones);
    const source = phones.get(MAIN);
    const [template, name] = [phones.nameOf('template'), phones.nameOf('of-template')];
    const saved = await phones.api.post('/v1/templates', { body: { snapshot: takenSnapshot(phones), name: template } });
    await source.wait(saved.job);
    try {
      const { job } = await phones.api.post('/v1/devices', { body: { ...(await phones.terms()), template, name } });
      const made = await phones.made('of-template', name, job);
      demand((await made.shell(`cat ${MARK}`)).trim() === 'before', 'the file of the snapshot is not there');
      const serials = [(await source.startFacts()).serial, (await made.startFacts()).serial];
      demand(serials[0] !== serials[1], `both have ro.serialno ${serials[0] ?? ''}`);
      await phones.delete('of-template');
      return serials[1] ?? '';
    } finally {
      await phones.api.delete('/v1/templates/{name}', { params: { path: { name: template } } });
    }
  },
};
