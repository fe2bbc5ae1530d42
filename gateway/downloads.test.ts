import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError } from '../kit/errors/api-error.js';
import type { DownloadSchema } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

const PATH = '/v1/devices/phone/files/content?path=/sdcard/a';

describe('files that the edge sends as they come', () => {
  let world: EdgeWorld;
  let parts: () => AsyncIterable<{ file: MessageInitShape<typeof DownloadSchema> }>;
  before(async () => {
    world = await startEdge({ file: { readFile: () => parts() } });
  });
  after(() => world.close());

  /** Has the service send a file with this description and these parts, and then the error, if any. */
  const sends = (first: MessageInitShape<typeof DownloadSchema>, texts: string[], error?: Error): void => {
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

  it('have the type, the tag and the part that the service describes', async () => {
    const film = { contentType: 'video/mp4', etag: '"1"', name: 'a.mp4' };
    sends({ ...film, size: 6, range: { total: 6 } }, ['abcdef']);
    const whole = await world.call(PATH);
    const facts = ({ status, headers }: Response) =>
      [status, ...['content-type', 'etag', 'accept-ranges', 'content-range', 'content-length'].map((name) => headers.get(name))]; // prettier-ignore
    expect(facts(whole)).to.deep.equal([200, 'video/mp4', '"1"', 'bytes', null, '6']);
    expect(await whole.text()).to.equal('abcdef');
    sends({ ...film, size: 3, range: { total: 6, first: 2 } }, ['cde']);
    const part = await world.call(PATH);
    expect(facts(part)).to.deep.equal([206, 'video/mp4', '"1"', 'bytes', 'bytes 2-4/6', '3']);
    expect(await part.text()).to.equal('cde');
    sends({ ...film, size: 0, range: { total: 6, unsatisfiable: true } }, []);
    const none = await world.call(PATH);
    expect(facts(none)).to.deep.equal([416, null, null, 'bytes', 'bytes */6', '0']);
    expect(await none.text()).to.equal('');
  });
});
