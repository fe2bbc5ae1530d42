import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { type NameServer, publicLookup } from './public-lookup.js';

describe('a look-up at name servers', () => {
  const names = (v4: string[] | Error, v6: string[] | Error): NameServer => {
    const say = (response: string[] | Error) => async () => {
      if (response instanceof Error) throw response;
      return response;
    };
    return { resolve4: say(v4), resolve6: say(v6) } as unknown as NameServer;
  };
  const lookUp = (server: NameServer, options: object): Promise<string | LookupAddress[]> =>
    new Promise((resolve, reject) => {
      publicLookup(server)('name.example', options, (error, found) => (error ? reject(error) : resolve(found)));
    });
  const failure = Object.assign(new Error('no data'), { code: 'ENODATA' });

  it('returns addresses of both families, IPv4 first', async () => {
    expect(await lookUp(names(['192.0.2.1'], ['2001:db8::1']), { all: true })).to.deep.equal([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  it('is content with one family', async () => {
    expect(await lookUp(names(failure, ['2001:db8::1']), {})).to.equal('2001:db8::1');
    expect(await lookUp(names(['192.0.2.1'], failure), {})).to.equal('192.0.2.1');
  });

  it('keeps to the family that is wanted', async () => {
    const both = names(['192.0.2.1'], ['2001:db8::1']);
    expect(await lookUp(both, { family: 6 })).to.equal('2001:db8::1');
    expect(await lookUp(both, { family: 4, all: true })).to.deep.equal([{ address: '192.0.2.1', family: 4 }]);
  });

  it('fails when there is no address', async () => {
    for (const server of [names(failure, failure), names([], [])]) {
      let code: unknown;
      await lookUp(server, { all: true }).catch((error: unknown) => (code = (error as NodeJS.ErrnoException).code));
      expect(code).to.be.oneOf(['ENODATA', 'ENOTFOUND']);
    }
  });
});
