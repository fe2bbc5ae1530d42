import { expect } from 'chai';
import { ApiError } from '../kit/errors.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

const PATH = '/v1/devices/phone/files/content?path=/sdcard/a';

describe('files that the edge sends as they come', () => {
  let world: EdgeWorld;
  let parts: () => AsyncIterable<{ file: { name?: string; size?: number; data?: Uint8Array } }>;
  before(async () => {
    world = await startEdge({ file: { readFile: () => parts() } });
  });
  after(() => world.close());

  /** A file with this description and these parts; then the error, if any. */
  const sends = (first: { name?: string; size?: number }, texts: string[], error?: Error): void => {
    parts = async function* () {
      yield { file: { name: 'a', ...first } };
      for (const text of texts) yield { file: { data: Buffer.from(text) } };
      if (error !== undefined) throw error;
    };
  };
  const isCut = async (): Promise<boolean> => {
    const response = await world.call(PATH);
    expect(response.status).to.equal(200);
    return response.text().then(
      () => false,
      () => true,
    );
  };

  it('arrive whole, with and without a size', async () => {
    for (const size of [6, undefined]) {
      sends(size === undefined ? {} : { size }, ['abc', 'def']);
      const response = await world.call(PATH);
      expect([response.headers.get('content-length'), await response.text()]).to.deep.equal([
        size?.toString() ?? null,
        'abcdef',
      ]);
    }
  });

  it('are refused by an ordinary response before their first part', async () => {
    parts = () => {
      throw new ApiError('not_found', 'There is no such file.');
    };
    const response = await world.call(PATH);
    expect([response.status, await response.json()]).to.deep.equal([
      404,
      { error: 'not_found', message: 'There is no such file.' },
    ]);
  });

  it('are cut off when they fail in the middle, or are not of their size', async () => {
    sends({ size: 6 }, ['abc'], new ApiError('unavailable', 'The phone broke off.'));
    expect(await isCut()).to.equal(true);
    sends({}, ['abc'], new ApiError('unavailable', 'The phone broke off.'));
    expect(await isCut(), 'without a size').to.equal(true);
    sends({ size: 6 }, ['abc']);
    expect(await isCut(), 'too short').to.equal(true);
    sends({ size: 6 }, ['abc', 'defg']);
    expect(await isCut(), 'too long').to.equal(true);
    sends({ size: 3 }, ['abc']);
    expect(await isCut()).to.equal(false);
  });

  it('are described by HEAD, and have names that cannot leave the header', async () => {
    sends({ name: 'a"\r\nX-Evil: 1; ü😀', size: 3 }, ['abc']);
    const response = await world.call(PATH, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, '3']);
    expect(response.headers.get('x-evil')).to.equal(null);
    expect(response.headers.get('content-disposition')).to.match(/^attachment; filename=".*"; filename\*=UTF-8''/);
  });
});
